#include "ardea/measure/bench.h"

#include <gtest/gtest.h>

#include "ardea/compile/compile.h"
#include "ardea/measure/inputs.h"
#include "ardea/measure/reference_order.h"
#include "ardea/runtime/thread_pool.h"
#include "ardea/support/error.h"

namespace ardea::measure {
namespace {

ops::Workload workload(const std::string& op, std::vector<std::int64_t> sizes, std::string layout = "") {
  return ops::make_workload({.op = op, .sizes = std::move(sizes), .layout = std::move(layout)});
}

BenchReport benched(const ops::Workload& w, const std::vector<Peer>& peers) {
  const runtime::Function compiled = compile::callable(ops::create_function(w), target::host());
  return bench(w, {compiled}, peers, {.rotation = {.rounds = 6, .turn_s = 1e-6}});
}

std::string message(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Peer loops() { return {ARDEA_PEERS, "cloop"}; }

TEST(Bench, the_loops_agree_with_the_reference_on_odd_shapes) {
  const std::vector<ops::Workload> workloads = {
      workload("gemm", {5, 7, 3}),
      workload("gemm", {1, 1, 1}),
      workload("bmm", {3, 5, 7, 11}),
      workload("gemv", {13, 17}),
      workload("gemm_bias_relu", {3, 5, 7}),
      workload("matmul_exp_matmul", {3, 5, 7, 11}),
      workload("c2d", {1, 8, 9, 3, 5, 3, 3, 1, 1, 1}),
      workload("c2d", {2, 9, 8, 3, 5, 3, 2, 2, 1, 2}, "nhwc"),
      workload("c2d", {1, 9, 9, 3, 5, 3, 3, 2, 2, 2}),
      workload("grouped", {1, 9, 9, 4, 6, 3, 3, 2, 2, 2, 2}),
      workload("grouped", {1, 9, 9, 4, 6, 3, 3, 2, 2, 2, 2}, "nhwc"),
      workload("depthwise", {1, 9, 9, 5, 3, 3, 1, 1}),
      workload("depthwise", {1, 9, 9, 5, 3, 3, 2, 1}, "nhwc"),
      workload("softmax", {7, 37}),
      workload("layernorm", {5, 131}),
      workload("reduce_sum", {7, 101}),
      workload("reduce_max", {7, 101}),
      workload("mean", {3, 17}),
      workload("var", {3, 17}),
      workload("relu", {3, 33}),
      workload("sigmoid", {3, 33}),
      workload("add", {3, 33}),
      workload("mul", {3, 33})};
  for (const ops::Workload& w : workloads) {
    const BenchReport report = benched(w, {loops()});
    ASSERT_EQ(report.contenders.size(), 2U) << ops::to_string(w);
    EXPECT_TRUE(report.all_agree()) << ops::to_string(w);
    EXPECT_GT(report.contenders[1].min_s, 0);
    EXPECT_EQ(report.best, 1U) << "a loop is the best where there is no library";
  }
}

TEST(Bench, a_copy_takes_part_without_a_check) {
  const BenchReport report = benched(workload("relu", {7, 33}), {Peer(ARDEA_PEERS, "copy"), loops()});
  ASSERT_GE(report.contenders.size(), 3U);
  EXPECT_EQ(report.contenders[1].kind, ARDEA_PEER_YARDSTICK);
  EXPECT_FALSE(report.contenders[1].check.has_value());
  EXPECT_TRUE(report.all_agree());
}

TEST(Bench, a_peer_that_cannot_do_it_is_left_out_with_its_reason) {
  const BenchReport report = benched(workload("transpose", {5, 7}), {loops()});
  EXPECT_EQ(report.contenders.size(), 1U);
  ASSERT_EQ(report.left_out.size(), 1U);
  EXPECT_EQ(report.left_out[0].name, "cloop");
  EXPECT_NE(report.left_out[0].reason.find("transpose"), std::string::npos);
  EXPECT_FALSE(report.best.has_value());
}

TEST(Bench, wrong_answers_are_noticed_and_are_not_the_best) {
  const BenchReport report = benched(workload("relu", {5, 7}), {Peer(ARDEA_TEST_PEERS, "silent"), loops()});
  ASSERT_EQ(report.contenders.size(), 3U);
  EXPECT_FALSE(report.contenders[1].agrees()) << "the output was not poisoned before";
  EXPECT_TRUE(report.contenders[2].agrees());
  EXPECT_FALSE(report.all_agree());
  EXPECT_FALSE(report.best.has_value()) << "loops are not compared with where there is a library";
}

TEST(Bench, all_variants_of_a_peer_take_part_and_the_fastest_stands_for_it) {
  const BenchReport report = benched(workload("relu", {64, 1024}), {Peer(ARDEA_TEST_PEERS, "twofold")});
  ASSERT_EQ(report.contenders.size(), 3U);
  EXPECT_EQ(report.contenders[1].label, "slowly");
  EXPECT_EQ(report.fastest_of("twofold")->label, "quickly");
  EXPECT_EQ(report.fastest_of("nobody"), nullptr);
}

TEST(Bench, peers_pack_ahead_only_where_ardea_does) {
  const ops::Workload w = workload("relu", {5, 7});
  const runtime::Function compiled = compile::callable(ops::create_function(w), target::host());
  const std::vector<Peer> peers = {Peer(ARDEA_TEST_PEERS, "prepacking")};
  const BenchOptions options{.rotation = {.rounds = 6, .turn_s = 1e-6}};
  const BenchReport plain = bench(w, {compiled}, peers, options);
  ASSERT_EQ(plain.contenders.size(), 2U);
  EXPECT_EQ(plain.contenders[0].label, "");
  EXPECT_EQ(plain.contenders[1].label, "slowly");
  // What is packed here is a relu: another one makes no difference.
  const PackedWeights weights{0, ops::create_function(w), [&](const std::vector<interp::Argument>& a) {
                                compiled(std::get<runtime::Array>(a[0]), std::get<runtime::Array>(a[1]));
                              }};
  const BenchReport packed = bench(w, {compiled, weights}, peers, options);
  ASSERT_EQ(packed.contenders.size(), 3U);
  EXPECT_EQ(packed.contenders[0].label, "prepacked");
  EXPECT_TRUE(packed.contenders[0].agrees());
  EXPECT_EQ(packed.contenders[2].label, "quickly, prepacked");
}

TEST(Bench, copies_work_at_the_same_time_as_one_kernel_on_all_threads) {
  const ops::Workload w = workload("gemm", {37, 41, 43});
  const runtime::Function compiled =
      compile::callable(in_quick_order(ops::create_function(w)), target::host());
  const int threads = runtime::ThreadPool::shared().thread_count();
  const CopiesReport report = bench_copies(w, {compiled}, {compiled},
                                           {.threads = threads, .rotation = {.rounds = 6, .turn_s = 1e-6}});
  EXPECT_EQ(report.checks.size(), static_cast<std::size_t>(threads) + 1);
  EXPECT_TRUE(report.all_agree());
  EXPECT_GT(report.ratio.low, 0);
  EXPECT_NE(message([&] {
              bench_copies(w, {compiled}, {compiled}, {.threads = threads + 1});
            }).find("ARDEA_NUM_THREADS"),
            std::string::npos);
}

TEST(Peers, one_that_fails_is_an_error_with_its_own_sentence) {
  const ops::Workload w = workload("relu", {5, 7});
  EXPECT_NE(message([&] {
              benched(w, {Peer(ARDEA_TEST_PEERS, "failing")});
            }).find("the peer failing failed: the test wants it so"),
            std::string::npos);
  EXPECT_NE(
      message([&] { benched(w, {Peer(ARDEA_TEST_PEERS, "unprepared")}); }).find("failed to prepare relu 5,7"),
      std::string::npos);
}

TEST(Peers, an_unknown_one_a_file_that_is_none_and_another_version) {
  EXPECT_NE(message([] { Peer(ARDEA_PEERS, "clop"); }).find("did you mean cloop"), std::string::npos);
  EXPECT_NE(message([] { Peer(ARDEA_PEERS, "clop"); }).find("make bench-peers"), std::string::npos);
  EXPECT_NE(message([] { Peer("/nowhere", "cloop"); }).find("and no other"), std::string::npos);
  EXPECT_NE(message([] { Peer(ARDEA_TEST_PEERS, "newer"); }).find("version"), std::string::npos);
  EXPECT_NE(message([] { Peer(ARDEA_PEERS, "../peers/cloop"); }).find("there is no peer"), std::string::npos);
}

TEST(ReferenceOrder, keeps_the_answers) {
  for (const ops::Workload& w : {workload("gemm", {5, 7, 3}), workload("c2d", {1, 8, 9, 3, 5, 3, 3, 1, 1, 1}),
                                 workload("softmax", {5, 7}), workload("matmul_exp_matmul", {3, 5, 7, 11}),
                                 workload("reduce_sum", {1, 13}), workload("relu", {3, 5})}) {
    const Function plain = ops::create_function(w), quick = in_quick_order(plain);
    const auto before = make_arguments(plain, {.seed = 3});
    const auto after = copy_arguments(before);
    interp::run(quick, after);
    EXPECT_TRUE(check(plain, before, after).agrees()) << ops::to_string(w);
  }
}

}  // namespace
}  // namespace ardea::measure
