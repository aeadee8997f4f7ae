#include <gtest/gtest.h>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/cuda_program.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/interp/interpreter.h"
#include "ardea/intrin/families.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "ardea/runtime/cuda/driver.h"
#include "ardea/schedule/parse_script.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/random.h"
#include "tests/codegen_cuda/programs.h"
#include "tests/support/sampled.h"

/// Every record of wmma, in a product of 2 × 2 tiles two instructions deep by two warps whose factors and
/// sums lie by rows or by columns, with rows in shared memory that are padded. Factors are small whole
/// numbers, so that every sum is exact in every type.

namespace ardea::codegen {

namespace {

struct WmmaVariant {
  std::int64_t m = 16, n = 16, k = 16;
  std::string in, name;     ///< the factors' type, and in names of records
  std::string sums, named;  ///< the same of the sums
  std::string a = "row", b = "row", c = "row";

  std::string shape() const { return fmt::format("m{}n{}k{}", m, n, k); }
  std::string product() const { return fmt::format("wmma.mma_{}_{}_{}_{}_{}", a, b, shape(), name, named); }
};

std::vector<WmmaVariant> wmma_variants() {
  std::vector<WmmaVariant> all;
  const auto add = [&](WmmaVariant v) {
    for (const char* a : {"row", "col"})
      for (const char* b : {"row", "col"}) {
        v.a = a, v.b = b, v.c = a == std::string(b) ? "row" : "col";
        all.push_back(v);
      }
  };
  for (const auto& [m, n] : {std::pair{16, 16}, {32, 8}, {8, 32}}) {
    add({m, n, 16, "float16", "f16", "float32", "f32"});
    add({m, n, 16, "float16", "f16", "float16", "f16"});
    add({m, n, 16, "bfloat16", "bf16", "float32", "f32"});
    add({m, n, 16, "int8", "i8", "int32", "i32"});
    add({m, n, 16, "uint8", "u8", "int32", "i32"});
  }
  add({16, 16, 8, "float32", "tf32", "float32", "f32"});
  return all;
}

std::string turned(bool turns, const std::string& first, const std::string& second) {
  return turns ? second + ", " + first : first + ", " + second;
}

Function written(const WmmaVariant& v) {
  const auto factor = [&](const std::string& element) {
    return v.in == v.sums ? element : fmt::format("T.Cast(\"{}\", {})", v.sums, element);
  };
  const auto shape = [](const std::string& layout, std::int64_t rows, std::int64_t columns) {
    return turned(layout == "col", std::to_string(2 * rows), std::to_string(2 * columns));
  };
  Function f =
      parse_function(intrin::filled(R"(
@T.prim_func
def product(A: T.Buffer(($shape_a), "$in"), B: T.Buffer(($shape_b), "$in"), C: T.Buffer(($shape_c), "$sums")):
    for i, j, k in T.grid($m, $n, $k):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[$at_c] = T.$sums(0)
            C[$at_c] = C[$at_c] + $a * $b
)",
                                    {{"shape_a", shape(v.a, v.m, v.k)},
                                     {"shape_b", shape(v.b, v.k, v.n)},
                                     {"shape_c", shape(v.c, v.m, v.n)},
                                     {"in", v.in},
                                     {"sums", v.sums},
                                     {"m", std::to_string(2 * v.m)},
                                     {"n", std::to_string(2 * v.n)},
                                     {"k", std::to_string(2 * v.k)},
                                     {"at_c", turned(v.c == "col", "vi", "vj")},
                                     {"a", factor(fmt::format("A[{}]", turned(v.a == "col", "vi", "vk")))},
                                     {"b", factor(fmt::format("B[{}]", turned(v.b == "col", "vk", "vj")))}}),
                     "product");
  f.name = v.product().substr(5);
  for (const char* array : {"A", "B", "C"}) f = promise_alignment(f, array, 32, "test");
  return f;
}

constexpr const char* wmma_steps = R"(
product = sch.get_block("C")
result = sch.cache_write(product, 0, "wmma.accumulator_$shape")
shared = [sch.cache_read(product, 0, "shared"), sch.cache_read(product, 1, "shared")]
i, j, k = sch.get_loops(product)
block, warp, m_in = sch.split(i, [1, 2, $m])
n_out, n_in = sch.split(j, [2, $n])
k_out, k_in = sch.split(k, [2, $k])
sch.reorder(block, warp, n_out, k_out, m_in, n_in, k_in)
sch.reverse_compute_at(result, n_out)
for copy in shared:
    sch.compute_at(copy, block)
    sch.storage_align(copy, 0, -2, 80, 0)
    again, y, x = sch.split(sch.fuse(*sch.get_loops(copy)[-2:]), [None, 2, 32])
    sch.bind(y, "threadIdx.y")
    sch.bind(x, "threadIdx.x")
sch.transform_layout(product, ("write", 0), lambda $axes_c: (m // $m, n // $n, m % $m, n % $n))
zero = sch.decompose_reduction(product, k_out)
sch.tensorize(sch.get_loops(zero)[-2], "wmma.zero_$shape_$named")
sch.tensorize(sch.get_loops(result)[-2], "wmma.store_$c_$shape_$named")
a = sch.cache_read(product, 1, "wmma.matrix_a_$a")
b = sch.cache_read(product, 2, "wmma.matrix_b_$b")
sch.compute_at(a, k_out)
sch.compute_at(b, k_out)
sch.transform_layout(a, ("write", 0), lambda $axes_a: (m // $m, k // $k, m % $m, k % $k))
sch.transform_layout(b, ("write", 0), lambda $axes_b: (k // $k, n // $n, k % $k, n % $n))
sch.tensorize(sch.get_loops(a)[-2], "wmma.load_a_$a_$shape_$name")
sch.tensorize(sch.get_loops(b)[-2], "wmma.load_b_$b_$shape_$name")
sch.tensorize(m_in, "$product")
sch.bind(block, "blockIdx.x")
sch.bind(warp, "threadIdx.y")
)";

const Function& scheduled(const WmmaVariant& v) {
  static std::map<std::string, Function> made;
  if (const auto found = made.find(v.product()); found != made.end()) return found->second;
  schedule::Schedule schedule(written(v));
  schedule.replay(
      schedule::parse_script(intrin::filled(wmma_steps, {{"m", std::to_string(v.m)},
                                                         {"n", std::to_string(v.n)},
                                                         {"k", std::to_string(v.k)},
                                                         {"shape", v.shape()},
                                                         {"name", v.name},
                                                         {"named", v.named},
                                                         {"a", v.a},
                                                         {"b", v.b},
                                                         {"c", v.c},
                                                         {"axes_a", turned(v.a == "col", "m", "k")},
                                                         {"axes_b", turned(v.b == "col", "k", "n")},
                                                         {"axes_c", turned(v.c == "col", "m", "n")},
                                                         {"product", v.product()}}),
                             "steps"));
  return made.emplace(v.product(), schedule.program()).first->second;
}

std::vector<interp::Argument> arguments_of(const WmmaVariant& v, const Function& f) {
  Random random(5);
  std::vector<interp::Argument> all;
  for (const Parameter& p : f.parameters) {
    std::vector<std::int64_t> shape;
    for (const Expr& extent : p.buffer->shape) shape.push_back(*constant_int(extent));
    const runtime::Array array = runtime::Array::zeros(shape, p.buffer->type);
    for (std::int64_t i = 0; i < array.element_count(); ++i)
      array.set_float(i, static_cast<double>(random.integer(v.in == "uint8" ? 0 : -3, 3)));
    all.emplace_back(array);
  }
  return all;
}

/// How many sums are others than those of the program as it was written.
std::int64_t wrong(const WmmaVariant& v, const std::vector<interp::Argument>& after) {
  const Function f = written(v);
  const std::vector<interp::Argument> expected = arguments_of(v, f);
  interp::run(f, expected);
  const auto &got = std::get<runtime::Array>(after[2]), &wanted = std::get<runtime::Array>(expected[2]);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < wanted.element_count(); ++i) count += got.get_float(i) != wanted.get_float(i);
  return count;
}

void add_instructions(const Function& lowered, std::set<std::string>& names) {
  visit_exprs(lowered.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call != nullptr && call->op->name == "tensor_instruction")
      names.insert(call->arguments[0].as<StringImm>()->value);
  });
}

TEST(Wmma, records_multiply_in_the_interpreter_and_on_a_gpu_where_there_is_one) {
  std::set<std::string> used;
  const bool is_there = runtime::cuda::why_no_gpu().empty();
  const std::vector<WmmaVariant> all = wmma_variants();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const WmmaVariant& v = all[i];
    SCOPED_TRACE(v.product());
    const Function& f = scheduled(v);
    const Function lowered = lower::lower(f, gpu());
    add_instructions(lowered, used);
    // Four ways of lying times five types in a row: seven goes through them all. The last type has one shape.
    if (!is_there && !test::takes_case(i, 7) && i + 1 < all.size()) continue;
    const std::vector<interp::Argument> arguments = arguments_of(v, lowered);
    ASSERT_NO_THROW(interp::run(lowered, arguments, {.seed = 3}));
    EXPECT_EQ(wrong(v, arguments), 0);
    if (!is_there) continue;
    const std::vector<interp::Argument> on_gpu = arguments_of(v, f);
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : on_gpu) values.emplace_back(std::get<runtime::Array>(argument));
    ASSERT_NO_THROW(compile::callable(f, gpu()).call(values));
    EXPECT_EQ(wrong(v, on_gpu), 0);
  }
  for (const intrin::Instruction& record : intrin::wmma_instructions())
    EXPECT_TRUE(used.contains(record.name)) << record.name << " is in no program of this test";
}

TEST(Wmma, records_compile) {
  if (const std::string why = compile::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  for (const auto& [name, one_in] : {std::pair{"a100", 7}, {"h200", 3}}) {
    const target::Target target = target::find(name);
    std::vector<Function> kernels;
    for (const WmmaVariant& v : test::sampled(static_cast<std::size_t>(one_in), wmma_variants()))
      kernels.push_back(lower::lower(scheduled(v), target));
    EXPECT_NO_THROW(compile::cubin_of(cuda_source(kernels, target, {}), target.cpu, true)) << name;
  }
}

TEST(Wmma, records_say_which_machine_has_them) {
  for (const WmmaVariant& v : wmma_variants()) {
    if (v.m != 16 || v.a != "row" || v.b != "col") continue;
    for (const char* name : {"v100", "t4"}) {
      const bool is_byte = v.in == "int8" || v.in == "uint8";
      if (v.in == "float16" || (is_byte && name == std::string("t4")))
        EXPECT_NO_THROW(lower::lower(scheduled(v), target::find(name))) << v.product();
      else
        EXPECT_THROW(lower::lower(scheduled(v), target::find(name)), Error) << v.product();
    }
  }
}

// Which lane holds what is open: what one instruction left only its own kind may take.
TEST(Wmma, fragments_of_one_kind_are_no_fragments_of_another) {
  const WmmaVariant v = wmma_variants()[0];
  EXPECT_NE(intrin::find_instruction(v.product()).operands[0].scope,
            intrin::find_instruction("wmma.store_row_m32n8k16_f32").operands[1].scope);
  EXPECT_NE(intrin::find_instruction(v.product()).operands[1].scope,
            intrin::find_instruction("wmma.load_a_col_m16n16k16_f16").operands[0].scope);
}

}  // namespace

}  // namespace ardea::codegen
