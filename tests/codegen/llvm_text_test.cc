#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/codegen/llvm/codegen.h"
#include "ardea/ir/store_hint.h"
#include "ardea/ir/unroll_hint.h"
#include "tests/codegen/lowered.h"

/// What only LLVM's text shows, and what only LLVM is asked for.

namespace ardea::test {
namespace {

TEST(LlvmText, a_promise_of_no_overlap_saves_the_question_at_run_time) {
  const Buffer a = flat("a", 5000, int32), out = flat("out", 5000, int32);
  const Stmt body = loop(5000, [&](const Var& i) { return make_store(out, {i}, make_load(a, {i}) + 1); });
  const auto text = [&](Attributes attributes) {
    return codegen::llvm_ir(std::vector{entry("shift", {a, out}, body, std::move(attributes))}, host(), {});
  };
  const std::string question = "diff.check";  // LLVM's name for the distance between two pointers
  EXPECT_NE(text({}).find(question), std::string::npos);
  EXPECT_EQ(text({{"tir.noalias", Attribute{make_bool(true)}}}).find(question), std::string::npos);
}

/// As flat, with the promise that it begins on a multiple of 64 bytes.
Buffer promised(const std::string& name, std::int64_t elements) {
  BufferNode node = *flat(name, elements, float32);
  node.alignment_bytes = 64;
  return Buffer(std::move(node));
}

std::size_t occurrences_in(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// The second row begins within a line: its store brings the line in first, like all stores of the loop that
/// runs where the array does not begin on one. What goes past the caches is waited for.
TEST(LlvmText, only_whole_lines_go_past_the_caches) {
  const Buffer a = flat("a", 640, float32), out = flat("out", 640, float32);
  const auto store = [&](const Expr& at) {
    return make_store(out, {make_ramp(at, make_int(1), 16)}, make_load(a, {make_ramp(at, make_int(1), 16)}));
  };
  const Stmt rows = loop(16, [&](const Var& i) { return make_seq({store(i * 32), store(i * 32 + 17)}); });
  For marked = *rows.as<For>();
  marked.annotations[past_caches_key] = Attribute{make_bool(true)};
  const auto text = [&](const Stmt& body, const std::string& machine) {
    return codegen::llvm_ir(std::vector{entry("rows", {a, out}, body)}, target::find(machine),
                            {.optimization_level = 0});
  };
  const std::string past = text(marked, "sapphirerapids");
  EXPECT_EQ(occurrences_in(past, "!nontemporal"), 1);
  EXPECT_EQ(occurrences_in(past, "store <16 x float>"), 4);
  EXPECT_EQ(occurrences_in(past, "call void @llvm.x86.sse.sfence"), 1);
  EXPECT_EQ(occurrences_in(text(rows, "sapphirerapids"), "!nontemporal"), 0);
  EXPECT_EQ(occurrences_in(text(marked, "neoverse-v1"), "!nontemporal"), 0);
}

TEST(LlvmText, arrays_may_begin_on_any_element) {
  const Buffer a = flat("a", 64, float32), out = flat("out", 64, float32);
  const Stmt body = loop(4, [&](const Var& i) {
    return make_store(out, {make_ramp(i * 16, make_int(1), 16)},
                      make_load(a, {make_ramp(i * 16, make_int(1), 16)}));
  });
  const std::string text =
      codegen::llvm_ir(std::vector{entry("anywhere", {a, out}, body)}, host(), {.optimization_level = 0});
  const std::size_t load = text.find("load <16 x float>"), store = text.find("store <16 x float>");
  EXPECT_EQ(text.substr(text.find("align", load), 8), "align 4\n");
  EXPECT_EQ(text.substr(text.find("align", store), 8), "align 4\n");
}

TEST(LlvmText, vector_accesses_state_the_alignment_that_is_known) {
  const Buffer a = promised("a", 64), out = promised("out", 64);
  const Stmt body = loop(4, [&](const Var& i) {
    return make_store(out, {make_ramp(i * 16, make_int(1), 16)},
                      make_load(a, {make_ramp(i * 16 + 4, make_int(1), 16)}));
  });
  const std::string text =
      codegen::llvm_ir(std::vector{entry("aligned", {a, out}, body)}, host(), {.optimization_level = 0});
  EXPECT_NE(text.find("load <16 x float>, ptr %"), std::string::npos);
  const std::size_t load = text.find("load <16 x float>"), store = text.find("store <16 x float>");
  EXPECT_EQ(text.substr(text.find("align", load), 8), "align 16");
  EXPECT_EQ(text.substr(text.find("align", store), 8), "align 64");
}

TEST(LlvmText, names_for_parts_of_an_index_keep_its_alignment) {
  const Buffer a = promised("a", 64), out = promised("out", 64);
  const Var row("row");
  const Stmt body = loop(4, [&](const Var& i) -> Stmt {
    return LetStmt{row, i * 16,
                   make_store(out, {make_ramp(row, make_int(1), 16)},
                              make_load(a, {make_ramp(row + 8, make_int(1), 16)}))};
  });
  const std::string text =
      codegen::llvm_ir(std::vector{entry("aligned", {a, out}, body)}, host(), {.optimization_level = 0});
  const std::size_t load = text.find("load <16 x float>"), store = text.find("store <16 x float>");
  EXPECT_EQ(text.substr(text.find("align", load), 8), "align 32");
  EXPECT_EQ(text.substr(text.find("align", store), 8), "align 64");
}

/// Places of four vectors of one iteration: what changes with the loop is spread over lanes once.
TEST(LlvmText, ramps_that_begin_some_steps_apart_share_what_changes) {
  const Buffer out = flat("out", 16000, int64);
  const Stmt body = loop(1000, [&](const Var& i) {
    std::vector<Stmt> stores;
    for (std::int64_t part = 0; part < 4; ++part) {
      const Expr places = make_ramp(i * 16 + part * 4, make_int(1), 4);
      stores.push_back(make_store(out, {places}, places * places));
    }
    return make_seq(stores);
  });
  const std::string text = codegen::llvm_ir(std::vector{entry("places", {out}, body)},
                                            target::find("neoverse-v1"), {.optimization_level = 1});
  const std::size_t first = text.find("insertelement");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("insertelement", first + 1), std::string::npos) << text;
}

/// out = the sum of 9 rows of a, in a slot that is allocated around the loop.
Function sum_in_a_slot(ForKind kind) {
  const Buffer a = flat("a", 144, float32), out = flat("out", 16, float32);
  const Buffer sum = make_buffer("sum", std::vector<std::int64_t>{1}, float32.with_lanes(16), "register");
  const Expr value = make_load(sum, {make_int(0)});
  const Stmt add = loop(
      9,
      [&](const Var& i) {
        return make_store(sum, {make_int(0)}, value + make_load(a, {make_ramp(i * 16, make_int(1), 16)}));
      },
      kind);
  const Stmt body = make_seq({make_store(sum, {make_int(0)}, make_const(0, sum->type)), add,
                              make_store(out, {make_ramp(make_int(0), make_int(1), 16)}, value)});
  return entry("sum", {a, out},
               Allocate{sum->data, sum->type, sum->shape, sum->scope, DeclareBuffer{sum, body}});
}

TEST(LlvmText, slots_of_scope_register_are_values_and_their_loops_stay_as_they_are) {
  const Function f = sum_in_a_slot(ForKind::serial);
  const std::string before = codegen::llvm_ir({&f, 1}, host(), {.optimization_level = 0});
  EXPECT_NE(before.find("%register.sum = alloca <16 x float>"), std::string::npos) << before;
  const std::string text = codegen::llvm_ir({&f, 1}, host(), {});
  EXPECT_EQ(text.find("alloca"), std::string::npos) << text;
  EXPECT_NE(text.find("phi <16 x float>"), std::string::npos) << text;
  EXPECT_NE(text.find("!\"llvm.loop.unroll.disable\""), std::string::npos) << text;
}

TEST(LlvmText, a_slot_that_must_have_an_address_is_refused) {
  const Function f = sum_in_a_slot(ForKind::parallel);
  EXPECT_EQ(error_of([&] { codegen::llvm_ir({&f, 1}, host(), {}); }),
            "ardea_entry_sum: the slot sum of scope \"register\" stays in memory, because a parallel loop or "
            "a call "
            "inside takes its address; allocate it inside that loop, or use scope \"local\"");
}

TEST(LlvmText, loops_left_to_llvm_carry_a_request_to_unroll_them) {
  const Buffer a = flat("a", 5000, int32), out = flat("out", 5000, int32);
  const auto text = [&](std::int64_t extent, ForKind kind) {
    const Stmt body =
        loop(extent, [&](const Var& i) { return make_store(out, {i}, make_load(a, {i}) + 1); }, kind);
    return codegen::llvm_ir(std::vector{entry("steps", {a, out}, body)}, host(), {.optimization_level = 0});
  };
  EXPECT_EQ(text(64, ForKind::serial).find("llvm.loop.unroll"), std::string::npos);
  EXPECT_NE(text(64, ForKind::unrolled).find("!{!\"llvm.loop.unroll.full\"}"), std::string::npos);
  EXPECT_NE(text(65, ForKind::unrolled).find("!{!\"llvm.loop.unroll.count\", i32 8}"), std::string::npos);
}

/// out[8·k + i] = i + k for i in 8, a loop for each k.
Function row_of_loops(std::int64_t count, const Attributes& annotations = {}) {
  const Buffer out = flat("out", 8 * count, int64);
  std::vector<Stmt> loops;
  for (std::int64_t k = 0; k < count; ++k) {
    const Var sum("sum");
    For each = *loop(8, [&](const Var& i) -> Stmt {
                  return LetStmt{sum, i + k, make_store(out, {i + 8 * k}, sum)};
                }).as<For>();
    each.annotations = annotations;
    loops.emplace_back(each);
  }
  return entry("row", {out}, make_seq(loops));
}

/// LLVM's analysis takes a time that grows with the square of their number.
TEST(LlvmText, very_many_short_loops_are_no_loops) {
  const auto has_loops = [](const Function& f) {
    const std::string text = codegen::llvm_ir(std::vector{f}, host(), {.optimization_level = 0});
    return text.find(" phi ") != std::string::npos;
  };
  EXPECT_TRUE(has_loops(row_of_loops(8)));
  EXPECT_FALSE(has_loops(row_of_loops(40)));
  EXPECT_TRUE(has_loops(row_of_loops(40, {{rolled_key, {make_int(1)}}})));
  const auto answer = runtime::Array::zeros({320}, int64);
  compile(row_of_loops(40))(answer);
  for (std::int64_t k = 0; k < 40; ++k)
    for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(answer.get_int(8 * k + i), i + k);
}

TEST(LlvmText, rolled_loops_carry_a_request_to_stay_so) {
  const std::string text =
      codegen::llvm_ir(std::vector{row_of_loops(1, {{rolled_key, {make_int(1)}}})}, host(), {});
  EXPECT_NE(text.find("llvm.loop.unroll.disable"), std::string::npos);
  EXPECT_NE(text.find(" phi "), std::string::npos);
}

/// Written out before its vectors are looked for, a row would be copied element by element.
TEST(LlvmText, long_rows_that_are_copied_stay_loops) {
  const auto stays = [](std::int64_t columns, std::int64_t step) {
    const Buffer a = flat("a", columns * step + 9, float32), out = flat("out", columns + 7, float32);
    const Stmt row = loop(
        columns, [&](const Var& i) { return make_store(out, {i + 7}, make_load(a, {i * step + 9 - step})); });
    const std::string text =
        codegen::llvm_ir(std::vector{entry("row", {a, out}, row)}, host(), {.optimization_level = 0});
    return text.find("llvm.loop.unroll.disable") != std::string::npos;
  };
  EXPECT_FALSE(stays(57, 2));
  EXPECT_FALSE(stays(15, 1));
  const Buffer a = flat("a", 57, float32), out = flat("out", 64, float32);
  const Stmt row = loop(57, [&](const Var& i) { return make_store(out, {i + 7}, make_load(a, {i})); });
  const auto text = [&](int level) {
    return codegen::llvm_ir(
        std::vector{entry("row", {a, out}, row, {{"tir.noalias", Attribute{make_bool(true)}}})}, host(),
        {.optimization_level = level});
  };
  EXPECT_NE(text(0).find("llvm.loop.unroll.disable"), std::string::npos);
  const std::string best = text(3);
  EXPECT_TRUE(best.find("llvm.memcpy") != std::string::npos || best.find(" x float>") != std::string::npos)
      << best;
}

/// Blocks of thousands of instructions take LLVM seconds to put in order.
TEST(LlvmText, nests_that_would_be_long_blocks_stay_loops) {
  const auto transposed = [](std::int64_t rows, std::int64_t columns) {
    const Buffer a = flat("a", rows * columns, float32), out = flat("out", rows * columns, float32);
    const Stmt body = loop(rows, [&](const Var& i) {
      return loop(columns, [&](const Var& j) {
        return make_store(out, {j * rows + i}, make_load(a, {i * columns + j}));
      });
    });
    const std::string text = codegen::llvm_ir(
        std::vector{entry("transposed", {a, out}, body, {{"tir.noalias", Attribute{make_bool(true)}}})},
        host(), {});
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_LT(transposed(13, 64), 700);
  EXPECT_LT(transposed(13, 256), 700);
}

TEST(Contract, decides_whether_a_product_sum_rounds_once) {
  // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 exactly, which a rounded product loses.
  const Buffer a = flat("a", 1, float32), out = flat("out", 1, float32);
  const auto run = [&](bool contract) {
    const auto answer = runtime::Array::zeros({1}, float32);
    run_elementwise(out,
                    [&](const Var& i) {
                      const Expr x = make_load(a, {i});
                      return x * x - make_float(1 + 0x1p-11);
                    },
                    {a, out}, {floats({1 + 0x1p-12}, float32), answer}, host(), {.contract = contract});
    return answer.get_float(0);
  };
  EXPECT_EQ(run(false), 0.0);
  const bool fuses = host().arch == target::Arch::aarch64 || host().has("fma");
  EXPECT_EQ(run(true), fuses ? 0x1p-24 : 0.0);
}

TEST(LlvmText, takes_large_temporaries_from_the_heap) {
  const Buffer out = flat("out", 4, int32);
  struct Case {
    std::int64_t elements;
    int pairs, from_heap;
  };
  // 4,000 int32 fit the 64 KiB four times; 5,000 are more than a quarter of them.
  for (const auto& [elements, pairs, from_heap] :
       {Case{7, 1, 0}, Case{4000, 1, 0}, Case{4000, 3, 2}, Case{5000, 1, 2}, Case{100003, 1, 2}}) {
    Stmt body = make_no_op();
    for (int pair = 0; pair < pairs; ++pair) body = through_temporaries(out, elements, body);
    const Function f = entry("temporaries", {out}, body);
    const std::string text = codegen::llvm_ir(std::vector{f}, host(), {.optimization_level = 0});
    const auto count = [&](const std::string& word) {
      int n = 0;
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
      return n;
    };
    EXPECT_EQ(count("call ptr @ardea_allocate"), from_heap) << elements;
  }
}

TEST(Names, of_functions_may_be_any_text) {
  const Buffer out = flat("out", 1, int32);
  const auto answer = integers({0}, int32);
  compile(entry("naïve name", {out}, make_store(out, {make_int(0)}, make_int(1, int32))))(answer);
  EXPECT_EQ(answer.get_int(0), 1);
}

}  // namespace
}  // namespace ardea::test
