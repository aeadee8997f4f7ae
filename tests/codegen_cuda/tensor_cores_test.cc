#include <gtest/gtest.h>

#include "ardea/compile/cuda_program.h"
#include "ardea/interp/interpreter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "ardea/ops/registry.h"
#include "ardea/runtime/cuda/driver.h"
#include "ardea/schedule/parse_script.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "ardea/support/text_file.h"
#include "tests/codegen_cuda/programs.h"
#include "tests/support/sampled.h"

/// Products on tensor cores by the steps of examples/gemm_mma.py, changed for other types and tiles: what the
/// interpreter makes of the lowered program, whose warps run their instructions lane by lane in any order and
/// whose copies land at their waits; and what a GPU makes of the kernel, where there is one. Factors are
/// small whole numbers, so that every sum is exact. Not made here: sizes that no tile divides, copies under
/// conditions, pipelines inside of pipelines.

namespace ardea::codegen {

namespace {

struct Variant {
  std::string in, out;         ///< types
  std::string name;            ///< of the factors, in names of records
  std::string stored, zeroed;  ///< of the sums
  std::int64_t depth = 16;
  bool by_columns = false;  ///< B lies as [n, k]
  std::int64_t warps_m = 1, warps_n = 2, frags_m = 2, frags_n = 2, steps = 2, ahead = 2, panels = 7;

  std::int64_t m() const { return 2 * warps_m * frags_m * 16; }
  std::int64_t n() const { return 2 * warps_n * frags_n * 8; }
  std::int64_t k() const { return panels * steps * depth; }
  std::string text() const {
    return fmt::format("{} {} k{} {} warps {}x{} frags {}x{} steps {} ahead {} panels {}", in, out, depth,
                       by_columns ? "by columns" : "by rows", warps_m, warps_n, frags_m, frags_n, steps,
                       ahead, panels);
  }
};

std::vector<Variant> variants() {
  const Variant halves{"float16", "float16", "f16", "f16", "f32"};
  std::vector<Variant> all = {halves};
  const auto add = [&](const auto& change) {
    all.push_back(halves);
    change(all.back());
  };
  add([](Variant& v) { v.by_columns = true; });
  add([](Variant& v) { v.depth = 8, v.out = "float32", v.stored = "f32"; });
  add([](Variant& v) { v.depth = 8, v.by_columns = true; });
  add([](Variant& v) { v.in = v.out = "bfloat16", v.name = v.stored = "bf16"; });
  add([](Variant& v) {
    v.in = "bfloat16", v.name = "bf16", v.depth = 8, v.out = "float32", v.stored = "f32";
  });
  for (const std::int64_t depth : {4, 8})
    add([&](Variant& v) { v = {"float32", "float32", "tf32", "f32", "f32", depth, true}; });
  for (const char* type : {"int8", "uint8"})
    for (const std::int64_t depth : {16, 32})
      add([&](Variant& v) {
        v = {type, "int32", std::string(type) == "int8" ? "i8" : "u8", "i32", "i32", depth, true};
      });
  // Tiles, and pipelines that are never full.
  add([](Variant& v) { v.warps_m = 2, v.warps_n = 1, v.frags_m = 1, v.frags_n = 4, v.steps = 3; });
  add([](Variant& v) { v.steps = 4, v.ahead = 1, v.panels = 4; });
  add([](Variant& v) { v.ahead = 3, v.panels = 3; });
  add([](Variant& v) { v.ahead = 1, v.panels = 1; });
  return all;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "examples/gemm_mma.py has no `" << from << "`";
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

std::string steps_of(const Variant& v) {
  std::string text = read_text_file(std::string(ARDEA_SOURCE_DIR) + "/examples/gemm_mma.py");
  const auto replace = [&](const std::string& from, const std::string& to) {
    text = replaced(text, from, to);
  };
  replace("warps_m, warps_n = 2, 4", fmt::format("warps_m, warps_n = {}, {}", v.warps_m, v.warps_n));
  replace("frags_m, frags_n = 4, 8", fmt::format("frags_m, frags_n = {}, {}", v.frags_m, v.frags_n));
  replace("\nsteps = 4", fmt::format("\nsteps = {}", v.steps));
  replace("\nahead = 2", fmt::format("\nahead = {}", v.ahead));
  replace("\ndepth = 16", fmt::format("\ndepth = {}", v.depth));
  replace("k16_f16", fmt::format("k{}_{}", v.depth, v.name));
  replace("mma.store_f16", "mma.store_" + v.stored);
  replace("mma.zero_f32", "mma.zero_" + v.zeroed);
  const std::int64_t lanes = 16 / ops::parse_types(v.in)[0].bytes();
  replace("32, 8])", fmt::format("32, {}])", lanes));
  replace("row, 8)", fmt::format("row, {})", lanes));
  if (v.stored == v.zeroed)  // no conversion behind the sums
    replace(
        "product = sch.get_block(\"C_acc\")\nresult = sch.get_block(\"C\")\nsch.set_scope(product, 0, "
        "\"mma.c\")",
        "product = sch.get_block(\"C\")\nresult = sch.cache_write(product, 0, \"mma.c\")");
  if (!v.by_columns) return text;
  replace("warps_n * frags_n * 8]", "steps * depth]");
  replace("mma.load_b_", "mma.load_b_by_columns_");
  replace("lambda k, n:", "lambda n, k:");
  replace("warp, pair, tile, column_in = sch.split(column, [", "warp, pair, tile, row_in = sch.split(row, [");
  replace("sch.reorder(warp, pair, tile, row, column_in)", "sch.reorder(warp, pair, tile, row_in, column)");
  return text;
}

Function product_of(const Variant& v) {
  ops::Workload wanted{.op = "gemm",
                       .sizes = {v.m(), v.k(), v.n()},
                       .out = ops::parse_types(v.out)[0],
                       .transpose_b = v.by_columns};
  wanted.in = ops::parse_types(v.in);
  Function f = ops::create_function(ops::make_workload(wanted), "product");
  for (const char* array : {"A", "B", "C"}) f = promise_alignment(f, array, 16, "test");
  schedule::Schedule schedule(f);
  schedule.replay(schedule::parse_script(steps_of(v), "gemm_mma.py"));
  return schedule.program();
}

struct Product {
  std::vector<interp::Argument> arguments;
  std::vector<std::int64_t> expected;

  Product(const Variant& v, const Function& f, std::uint64_t seed) {
    Random random(seed);
    const std::int64_t least = v.in == "uint8" ? 0 : -3;
    for (const Parameter& p : f.parameters) {
      std::vector<std::int64_t> shape;
      for (const Expr& extent : p.buffer->shape) shape.push_back(*constant_int(extent));
      const runtime::Array array = runtime::Array::zeros(shape, p.buffer->type);
      for (std::int64_t i = 0; i < array.element_count(); ++i)
        array.set_float(i, static_cast<double>(random.integer(least, 3)));
      arguments.emplace_back(array);
    }
    const auto factor = [&](std::size_t which, std::int64_t index) {
      return static_cast<std::int64_t>(std::get<runtime::Array>(arguments[which]).get_float(index));
    };
    for (std::int64_t i = 0; i < v.m(); ++i)
      for (std::int64_t j = 0; j < v.n(); ++j) {
        std::int64_t sum = 0;
        for (std::int64_t l = 0; l < v.k(); ++l)
          sum += factor(0, i * v.k() + l) * factor(1, v.by_columns ? j * v.k() + l : l * v.n() + j);
        expected.push_back(sum);
      }
  }

  /// How many sums are others.
  std::int64_t wrong() const {
    const auto& out = std::get<runtime::Array>(arguments[2]);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      count += out.get_float(static_cast<std::int64_t>(i)) != static_cast<double>(expected[i]);
    return count;
  }
};

TEST(TensorCores, multiply_in_the_interpreter_whatever_order_threads_run_in) {
  const std::vector<Variant> all = variants();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Variant& v = all[i];
    if (!test::takes_case(i, 5)) continue;
    const Function lowered = lower::lower(product_of(v), gpu());
    for (const std::uint64_t seed : {1, 2}) {
      if (!test::takes_case(i + seed, 2)) continue;
      const Product product(v, lowered, seed);
      ASSERT_NO_THROW(interp::run(lowered, product.arguments, {.seed = seed}))
          << v.text() << " seed " << seed;
      EXPECT_EQ(product.wrong(), 0) << v.text() << " seed " << seed;
    }
  }
}

/// Where there is none the interpreter runs them before they are lowered.
TEST(TensorCores, multiply_on_a_gpu_where_there_is_one) {
  const bool is_there = runtime::cuda::why_no_gpu().empty();
  for (const Variant& v : test::sampled(is_there ? 1 : 7, variants())) {
    const Function f = product_of(v);
    const Product product(v, f, 3);
    if (is_there) {
      const runtime::Function on_gpu = compile::callable(f, gpu());
      std::vector<runtime::Value> values;
      for (const interp::Argument& argument : product.arguments)
        values.emplace_back(std::get<runtime::Array>(argument));
      ASSERT_NO_THROW(on_gpu.call(values)) << v.text();
    } else {
      interp::run(f, product.arguments);
    }
    EXPECT_EQ(product.wrong(), 0) << v.text();
  }
}

bool is_call_of(const Stmt& s, const char* name) {
  const auto* evaluate = s.as<Evaluate>();
  const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
  return call != nullptr && call->op->name == name;
}

/// The program without the nth of such calls.
Stmt without(const Stmt& body, const char* name, int nth) {
  int seen = 0;
  return rewrite(body, Rewriter{.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
                   return is_call_of(s, name) && seen++ == nth ? std::optional(make_no_op()) : std::nullopt;
                 }});
}

int count_of(const Stmt& body, const char* name) {
  int count = 0;
  visit_stmts(body, [&](const Stmt& s) { count += is_call_of(s, name); });
  return count;
}

/// Whether the interpreter finds the fault in one of some orders.
bool is_noticed(const Variant& v, const Function& lowered) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Product product(v, lowered, seed);
    try {
      interp::run(lowered, product.arguments, {.seed = seed});
    } catch (const Error&) {
      return true;
    }
    if (product.wrong() > 0) return true;
  }
  return false;
}

TEST(TensorCores, wait_no_more_often_than_they_must) {
  for (const Variant& v : test::sampled<Variant>(2, {variants()[0], variants()[1]})) {
    const Function lowered = lower::lower(product_of(v), gpu());
    for (const char* name : {"async_wait", "barrier"}) {
      const int count = count_of(lowered.body, name);
      EXPECT_GT(count, 1) << v.text();
      for (int nth = 0; nth < count; ++nth) {
        Function without_it = lowered;
        without_it.body = without(lowered.body, name, nth);
        EXPECT_TRUE(is_noticed(v, without_it)) << name << " " << nth << " of " << count << ": " << v.text();
      }
    }
  }
}

TEST(TensorCores, have_one_barrier_a_panel_and_copies_under_way) {
  Variant v = variants()[0];
  v.panels = 9;
  const Function lowered = lower::lower(product_of(v), gpu());
  const For* steady = nullptr;
  visit_stmts(lowered.body, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>(); loop != nullptr && loop->annotations.contains("pipeline_lead"))
      steady = loop;
  });
  ASSERT_NE(steady, nullptr) << print(lowered);
  EXPECT_EQ(count_of(steady->body, "barrier"), 1);
  EXPECT_EQ(count_of(steady->body, "async_wait"), 1);
  EXPECT_EQ(count_of(steady->body, "async_commit"), 1);
  EXPECT_EQ(count_of(steady->body, "async_copy"), 2);
}

std::string refusal_after(const std::string& from, const std::string& to,
                          const std::string& machine = "h200") {
  const Variant v = variants()[0];
  try {
    Function f = ops::create_function(ops::make_workload({.op = "gemm",
                                                          .sizes = {v.m(), v.k(), v.n()},
                                                          .in = ops::parse_types("float16"),
                                                          .out = float16}),
                                      "product");
    for (const char* array : {"A", "B", "C"}) f = promise_alignment(f, array, 16, "test");
    schedule::Schedule schedule(f);
    schedule.replay(schedule::parse_script(replaced(steps_of(v), from, to), "steps"));
    compile::cuda_source(Module{{}, {schedule.program()}}, target::find(machine));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TensorCores, say_what_is_missing) {
  EXPECT_NE(refusal_after("depth = 16", "depth = 16", "t4")
                .find("it needs the feature sm80, which target t4 has not"),
            std::string::npos)
      << refusal_after("depth = 16", "depth = 16", "t4");
  // Rows of 4 elements more do not begin on multiples of 16 bytes.
  EXPECT_NE(refusal_after("row, 8)", "row, 4)").find("wants rows of M a multiple of 16 bytes apart"),
            std::string::npos)
      << refusal_after("row, 8)", "row, 4)");
  EXPECT_NE(refusal_after("sch.bind(loop, \"threadIdx.z\")", "sch.bind(loop, \"threadIdx.x\")"), "");
}

}  // namespace

}  // namespace ardea::codegen
