#include "ardea/arith/regions.h"

#include <gtest/gtest.h>

#include "ardea/arith/verify.h"
#include "ardea/ir/builder.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"

namespace ardea::arith {
namespace {

using Extents = std::vector<std::int64_t>;

std::string text(const std::vector<Touched>& boxes) {
  std::string out;
  for (const Touched& box : boxes)
    out += (out.empty() ? "" : ", ") + print(box.region) + (box.exact ? "" : " (inexact)");
  return out;
}

/// Reads and writes of the body of a function whose parameters are `parameters`.
struct Regions {
  std::string reads, writes;
};

Regions of(const std::string& parameters, const std::string& body) {
  const Function f = parse_function("@T.prim_func\ndef main(" + parameters + "):\n" + body);
  const Block* root = root_block(f);
  const Accesses found = accesses(root == nullptr ? f.body : root->body, facts_of(f));
  return {text(found.reads), text(found.writes)};
}

const std::string vectors = R"(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int64)";
const std::string images = R"(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"))";

TEST(Regions, relax_over_the_loops_inside) {
  const Regions r = of(vectors, R"(
    for i, j in T.grid(4, 8):
        B[i * 8 + j] = A[i * 8 + j + 2]
)");
  EXPECT_EQ(r.reads, "A[2:34]");
  EXPECT_EQ(r.writes, "B[0:32]");
}

TEST(Regions, keep_what_is_defined_outside) {
  const Regions r = of(vectors, R"(
    for i in range(4):
        B[n + i] = A[n]
)");
  EXPECT_EQ(r.reads, "A[n]");
}

TEST(Regions, grow_a_halo_by_themselves) {
  // (t - 1)·stride + (k - 1)·dilation + 1 = 5·2 + 2·3 + 1 = 17
  const Regions r = of(vectors, R"(
    for i, k in T.grid(6, 3):
        B[i] = B[i] + A[i * 2 + k * 3]
)");
  EXPECT_EQ(r.reads, "B[0:6], A[0:17] (inexact)");
  EXPECT_EQ(of(vectors, R"(
    for i, k in T.grid(6, 3):
        B[i] = B[i] + A[i * 2 + k]
)")
                .reads,
            "B[0:6], A[0:13]");
}

TEST(Regions, are_inexact_over_strides_and_diagonals) {
  EXPECT_EQ(of(vectors, R"(
    for i in range(8):
        B[i * 2] = T.float32(0.0)
)")
                .writes,
            "B[0:15] (inexact)");
  EXPECT_EQ(of(images, R"(
    for i in range(8):
        B[i, i] = T.float32(0.0)
)")
                .writes,
            "B[0:8, 0:8] (inexact)");
  EXPECT_EQ(of(images, R"(
    for i in range(32):
        B[i // 8, i % 8] = T.float32(0.0)
)")
                .writes,
            "B[0:4, 0:8]");
}

TEST(Regions, are_exact_where_every_remainder_comes) {
  const auto writes = [](const std::string& loops, const std::string& index) {
    return of(vectors, "    for i, j in T.grid(" + loops + "):\n        B[" + index + "] = T.float32(0.0)\n")
        .writes;
  };
  // Wherever a row of three begins, or a longer one.
  EXPECT_EQ(writes("1, 3", "(n * 7 + j) % 3"), "B[0:3]");
  EXPECT_EQ(writes("2, 2", "(n * 7 + i * 2 + j) % 3"), "B[0:3]");
  EXPECT_EQ(writes("1, 3", "(n - j) % 3"), "B[0:3]");
  // Two values of three, steps that leave some out, and two indices that move together.
  EXPECT_EQ(writes("1, 2", "(n * 7 + j) % 3"), "B[0:3] (inexact)");
  EXPECT_EQ(writes("1, 4", "(n * 7 + j * 2) % 4"), "B[0:4] (inexact)");
  EXPECT_EQ(of(images + ", n: T.int64", R"(
    for j in range(3):
        B[(n * 7 + j) % 3, j] = T.float32(0.0)
)")
                .writes,
            "B[0:3, 0:3] (inexact)");
  // A remainder that no loop moves is one element.
  EXPECT_EQ(writes("2, 3", "n % 3"), "B[n % 3]");
}

TEST(Regions, use_the_conditions_around_an_access) {
  const Regions r = of(vectors, R"(
    for i in range(64):
        B[i] = T.if_then_else(1 <= i and i < 33, A[i - 1], T.float32(0.0))
)");
  EXPECT_EQ(r.reads, "A[0:32]");
  EXPECT_EQ(r.writes, "B[0:64]");
  EXPECT_EQ(of(vectors, R"(
    for i, j in T.grid(3, 8):
        if i * 8 + j < 19:
            B[i * 8 + j] = T.float32(0.0)
)")
                .writes,
            "B[0:19]");
  EXPECT_EQ(of(vectors, R"(
    for i, j in T.grid(3, 8):
        if i + j < 4:
            B[i * 8 + j] = T.float32(0.0)
)")
                    .writes.find("inexact") != std::string::npos,
            true);
}

// Where a loop that moves nothing has a first iteration that fulfils the condition, nothing is left out.
TEST(Regions, are_exact_where_the_first_of_idle_iterations_comes) {
  const auto partial = [&](const char* rows, const char* condition) {
    return of(images, std::string("\n    for i, j, k in T.grid(") + rows + ", 8, 4):\n        if " +
                          condition + ":\n            B[i, j] = B[i, j] + A[i * 4 + k, j]\n")
        .writes;
  };
  EXPECT_EQ(partial("2", "i * 4 + k < 7"), "B[0:2, 0:8]");
  EXPECT_EQ(partial("3", "i * 4 + k < 7"), "B[0:2, 0:8] (inexact)");  // no k for i = 2
  EXPECT_EQ(partial("2", "i * 4 + k > 1"), "B[0:2, 0:8] (inexact)");  // not the first: not seen
  EXPECT_EQ(partial("2", "i * 4 + k < 7 and i + k > 1"), "B[0:2, 0:8] (inexact)");
}

TEST(Regions, are_inexact_under_conditions_on_data) {
  const Regions r = of(vectors, R"(
    for i in range(8):
        if A[i] > T.float32(0.0):
            B[i] = A[i + 1]
)");
  EXPECT_EQ(r.reads, "A[0:9] (inexact)");
  EXPECT_EQ(r.writes, "B[0:8] (inexact)");
}

TEST(Regions, do_not_name_the_memory_of_conditions) {
  // k changes between the condition and what it guards, and has no name outside.
  const Regions r = of(vectors, R"(
    k_data = T.allocate([1], "int64", "local")
    k = T.Buffer((1,), "int64", data=k_data, scope="local")
    k[0] = n
    for i in range(8):
        if i >= k[0] and i < 6:
            k[0] = 0
            B[i] = A[i]
        assert k[0] < 4, "small"
)");
  EXPECT_EQ(r.reads, "A[0:6] (inexact)");
  EXPECT_EQ(r.writes, "B[0:6] (inexact)");
}

TEST(Regions, leave_out_what_never_runs) {
  const Regions r = of(vectors, R"(
    for i in range(8):
        if i < 8:
            B[i] = T.float32(0.0)
        else:
            B[i] = A[i]
)");
  EXPECT_EQ(r.reads, "");
  EXPECT_EQ(r.writes, "B[0:8]");
}

TEST(Regions, take_the_whole_dimension_where_data_decides) {
  const Regions r =
      of(R"(A: T.Buffer((64, 8), "float32"), J: T.Buffer((16,), "int64"), B: T.Buffer((16,), "float32"))", R"(
    for i in range(16):
        B[i] = A[J[i], 3]
)");
  EXPECT_EQ(r.reads, "A[0:64, 3] (inexact), J[0:16]");
}

TEST(Regions, follow_lets) {
  const Regions r = of(vectors, R"(
    for i in range(8):
        x: T.int64 = i * 4
        B[x + 1] = A[x]
)");
  EXPECT_EQ(r.reads, "A[0:29] (inexact)");
  EXPECT_EQ(r.writes, "B[1:30] (inexact)");
}

TEST(Regions, count_every_lane_and_its_mask) {
  EXPECT_EQ(of(vectors, R"(
    for i in range(4):
        B[i * 8:i * 8 + 8] = A[i * 16:i * 16 + 16:2]
)")
                .writes,
            "B[0:32]");
  FunctionBuilder f("main");
  const Buffer b = f.parameter("B", Extents{64});
  const Expr lanes = make_ramp(make_int(0), make_int(1), 16);
  f.store(b, {lanes}, make_broadcast(make_float(0), 16), lanes < make_broadcast(make_int(10), 16));
  EXPECT_EQ(text(accesses(f.build().body, {}).writes), "B[0:10]");
}

TEST(Regions, clip_to_the_buffer_where_they_may_leave_it) {
  const Regions r = of(vectors, R"(
    for i in range(70):
        if A[0] > T.float32(0.0):
            B[i - 3] = T.float32(0.0)
)");
  EXPECT_EQ(r.writes, "B[0:64] (inexact)");
}

TEST(Regions, follow_triangular_loops) {
  const Regions r = of(images, R"(
    for i in range(8):
        for j in range(i + 1):
            B[i, j] = T.float32(0.0)
)");
  EXPECT_EQ(r.writes, "B[0:8, 0:8] (inexact)");
}

TEST(Regions, do_not_trust_loops_that_may_not_run) {
  const Regions r = of(vectors, R"(
    for i, j in T.grid(8, n - 3):
        B[i] = T.float32(0.0)
)");
  EXPECT_EQ(r.writes, "B[0:8] (inexact)");
}

TEST(Regions, count_blocks_by_what_they_declare) {
  const Regions r = of(images, R"(
    for i in range(4):
        with T.block("tile"):
            v = T.axis.spatial(8, i + 2)
            T.reads(A[v * 4:v * 4 + 4, 0:32])
            T.writes(B[v * 4:v * 4 + 4, 0:16])
            for x, y in T.grid(4, 16):
                B[v * 4 + x, y] = A[v * 4 + x, y]
)");
  EXPECT_EQ(r.reads, "A[8:24, 0:32] (inexact)");
  EXPECT_EQ(r.writes, "B[8:24, 0:16]");
}

TEST(Regions, count_matched_buffers_as_parts_of_their_sources) {
  const Regions r = of(images, R"(
    for i in range(2):
        with T.block("tile"):
            v = T.axis.spatial(2, i)
            B_1 = T.match_buffer(B[v * 4 + 1:v * 4 + 5, 2:18], (4, 16))
            for x, y in T.grid(4, 8):
                B_1[x, y] = A[x, y]
)");
  EXPECT_EQ(r.reads, "A[0:4, 0:8]");
  EXPECT_EQ(r.writes, "B[1:9, 2:10]");
}

TEST(Regions, leave_out_memory_of_their_own) {
  const Regions r = of(vectors, R"(
    S = T.allocate([64], "float32", "global")
    S_1 = T.Buffer((64,), data=S)
    for i in range(64):
        S_1[i] = A[i]
    for i in range(64):
        B[i] = S_1[i]
)");
  EXPECT_EQ(r.reads, "A[0:64]");
  EXPECT_EQ(r.writes, "B[0:64]");
}

TEST(Regions, count_addresses_given_away_as_anything) {
  const Regions r = of(vectors, R"(
    T.evaluate(T.call_registered("f", T.address_of(A[3]), dtype="int32"))
)");
  EXPECT_EQ(r.reads, "A[0:64] (inexact)");
  EXPECT_EQ(r.writes, "A[0:64] (inexact)");
}

TEST(Regions, hold_for_symbolic_extents) {
  const Function f = parse_function(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int64()
    k = T.int64()
    A = T.match_buffer(a, (n * 2 + k,))
    B = T.match_buffer(b, (n, k))
    for i, j in T.grid(n, k):
        B[i, j] = A[i * 2 + j]
)");
  const Accesses found = accesses(f.body, facts_of(f));
  EXPECT_EQ(text(found.writes), "B[0:n, 0:k]");
  ASSERT_EQ(found.reads.size(), 1u);
  const Analyzer facts = facts_of(f);
  const Expr n = f.parameters[1].buffer->shape[0], k = f.parameters[1].buffer->shape[1];
  // (n - 1)·2 + (k - 1) + 1
  EXPECT_TRUE(facts.proves(equals(found.reads[0].region.region[0].extent, n * 2 + k - 2)))
      << text(found.reads);
}

TEST(Regions, are_exact_only_where_they_are_stated) {
  // The condition holds for t = 0 and then leaves 1 element; for t = 1 nothing is written.
  const Buffer b = make_buffer("B", Extents{64});
  const Var t("t"), i("i");
  Analyzer facts;
  facts.bind(t, {make_int(0), make_int(2)});
  for (const std::int64_t extent : {1, 3}) {
    const Stmt s =
        make_for(i, make_int(0), make_int(extent),
                 make_if(t * 4 + i + 3 < make_int(6), make_store(b, {t * 4 + i + 3}, make_float(0))));
    const Accesses found = accesses(s, facts);
    ASSERT_EQ(found.writes.size(), 1u);
    Analyzer last = facts;
    last.assume(equals(t, make_int(1)));
    const Expr count = found.writes[0].region.region[0].extent;
    EXPECT_TRUE(!found.writes[0].exact || last.proves(count <= make_int(0))) << text(found.writes);
  }
}

TEST(Regions, unite_by_the_box_around_both) {
  const Regions r = of(images, R"(
    for i in range(4):
        B[i, 3] = A[i, 0]
        B[i + 4, 3] = A[i, 5]
)");
  EXPECT_EQ(r.writes, "B[0:8, 3]");
  EXPECT_EQ(r.reads, "A[0:4, 0:6] (inexact)");
}

TEST(Regions, unite_by_min_and_max_where_bounds_do_not_compare) {
  const Buffer a = make_buffer("A", Extents{64});
  const Var x("x"), y("y");
  const auto point = [&](const Expr& at) { return Touched{{a, {{at, make_int(1)}}}, true}; };
  const Touched both = unite(point(x), point(y), {});
  EXPECT_FALSE(both.exact);
  Analyzer facts;
  EXPECT_EQ(contains(both.region, point(x).region, facts), Proof::proved) << print(both.region);
  EXPECT_EQ(contains(both.region, point(y).region, facts), Proof::proved) << print(both.region);
}

TEST(Regions, contain_and_miss_each_other_with_three_answers) {
  const Buffer a = make_buffer("A", Extents{64});
  const Var x("x"), n("n");
  Analyzer facts;
  facts.parameter(n);
  const auto slice = [&](const Expr& low, const Expr& extent) { return BufferRegion{a, {{low, extent}}}; };
  const auto c = [](std::int64_t value) { return make_int(value); };
  EXPECT_EQ(contains(slice(x, c(4)), slice(x + 1, c(3)), facts), Proof::proved);
  EXPECT_EQ(contains(slice(x, c(4)), slice(x + 1, c(4)), facts), Proof::refuted);
  EXPECT_EQ(contains(slice(c(0), n), slice(c(0), c(4)), facts), Proof::unknown);
  EXPECT_EQ(disjoint(slice(x, c(4)), slice(x + 4, n), facts), Proof::proved);
  EXPECT_EQ(disjoint(slice(x, c(4)), slice(x + 3, n), facts), Proof::refuted);
  EXPECT_EQ(disjoint(slice(c(0), n), slice(c(4), c(1)), facts), Proof::unknown);
}

TEST(CompleteRegions, list_reads_in_the_order_of_first_access) {
  const Function f = complete_regions(parse_function(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i, j, k in T.grid(8, 8, 8):
        with T.block("update"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)"));
  const std::string out = print(f);
  EXPECT_NE(out.find("T.reads(C[vi, vj], A[vi, vk], B[vk, vj])"), std::string::npos) << out;
  EXPECT_NE(out.find("T.writes(C[vi, vj])"), std::string::npos) << out;
}

TEST(CompleteRegions, leave_out_what_an_init_covers_and_nothing_else) {
  const auto sum = [](const std::string& read) {
    return print(complete_regions(parse_function(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((9,), "float32")):
    for i, k in T.grid(8, 8):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0.0)
            C[vi] = C[vi] + )" + read + "\n")));
  };
  EXPECT_NE(sum("A[vi, vk]").find("T.reads(A[vi, vk])"), std::string::npos) << sum("A[vi, vk]");
  EXPECT_NE(sum("C[8]").find("T.reads(C["), std::string::npos) << sum("C[8]");
}

TEST(CompleteRegions, declare_what_can_be_proved) {
  // The box around the three is a min and a max of mirrored places.
  const Function f = complete_regions(parse_function(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n, 8), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i in range(n):
        with T.block("mirror"):
            v = T.axis.spatial(n, i)
            B[v] = A[T.min(T.max(v - 1, 1 - v), n - 1), 3] + A[v, 3] + A[T.max(T.min(v + 2, 2 * n - v - 4), 0), 4]
)"));
  const std::string out = print(f);
  EXPECT_NE(out.find("T.reads(A[0:n, 3:5])"), std::string::npos) << out;
  EXPECT_TRUE(verify(f).empty());
}

TEST(CompleteRegions, keep_what_is_declared) {
  const Function f = parse_function(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("copy"):
            v = T.axis.spatial(8, i)
            T.reads(A[0:8])
            T.writes(B[v])
            B[v] = A[v]
)");
  EXPECT_TRUE(structurally_equal(complete_regions(f), f));
}

}  // namespace
}  // namespace ardea::arith
