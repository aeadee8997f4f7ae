#include <gtest/gtest.h>

#include <map>

#include "ardea/compile/compile.h"
#include "ardea/compile/compile_by_c.h"
#include "ardea/interp/interpreter.h"
#include "ardea/intrin/families.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/target/target.h"
#include "tests/intrin/call.h"

/// Every record that comes with Ardea: what its machine instruction computes is what its meaning computes.

namespace ardea::intrin {
namespace {

/// Records whose operands live in memory, with the instruction that each must become and a target that has
/// it.
struct Row {
  const char *record, *mnemonic, *target;
  int times = 1;  ///< more for a fixed sequence
};
const std::vector<Row> rows = {
    {"neon.fmla_f32x4_lane", "fmla\tv", "neoverse-n1"},
    {"neon.sdot_lane", "sdot\tv", "neoverse-n1"},
    {"neon.udot_lane", "udot\tv", "neoverse-n1"},
    {"neon.smmla", "smmla\tv", "neoverse-v1"},
    {"neon.ummla", "ummla\tv", "neoverse-v1"},
    {"neon.usmmla", "usmmla\tv", "neoverse-v1"},
    {"neon.bfmmla", "bfmmla\tv", "neoverse-v1"},
    {"avx512.fma_f32x16", "vfmadd", "sapphirerapids"},
    {"avx512.fma_f64x8", "vfmadd", "sapphirerapids"},
    {"avx512.vpdpbusd_broadcast_u8", "vpdpbusd", "sapphirerapids"},
    {"avx512.vpdpbusd_broadcast_i8", "vpdpbusd", "sapphirerapids"},
    {"avx512.vpdpbusd_broadcast_signed", "vpdpbusd", "sapphirerapids", 2},
};

/// A function with the parameters of the meaning that is nothing but the instruction.
Function only_call(const Instruction& record, const std::map<std::string, std::int64_t>& integers) {
  Function f = record.meaning;
  f.name = "only_call";
  std::vector<Expr> arguments = {make_string(record.name)};
  std::vector<Parameter> buffers;
  for (const Parameter& parameter : record.meaning.parameters) {
    if (parameter.buffer.defined()) {
      const std::vector<Expr> corner(parameter.buffer->shape.size(), make_int(0));
      arguments.push_back(make_call("address_of", {make_load(parameter.buffer, corner)}));
      buffers.push_back(parameter);
    } else {
      arguments.push_back(make_int(integers.at(parameter.var.name())));
    }
  }
  f.parameters = buffers;
  f.body = Evaluate{make_call("tensor_instruction", arguments)};
  return f;
}

/// The meaning with these integers for its scalar parameters.
Function meaning_of(const Instruction& record, const std::map<std::string, std::int64_t>& integers) {
  Function f = record.meaning;
  for (std::size_t i = f.parameters.size(); i-- > 0;) {
    const Parameter parameter = f.parameters[i];
    if (parameter.buffer.defined()) continue;
    f.body = LetStmt{parameter.var, make_int(integers.at(parameter.var.name())), f.body};
    f.parameters.erase(f.parameters.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return f;
}

void expect_agrees(const Function& meaning, const std::vector<interp::Argument>& before,
                   const std::vector<interp::Argument>& after, const std::string& how) {
  for (const measure::Comparison& c :
       measure::check(meaning, before, after, measure::Reference::interpreter).arguments) {
    EXPECT_EQ(c.mismatches, 0) << how << ": " << c.argument << " at " << c.index << " is " << c.got
                               << " instead of " << c.expected;
    EXPECT_EQ(c.unbounded, 0) << how;
  }
}

const std::map<std::string, std::int64_t> no_lane = {{"lane", 0}};

TEST(Records, compute_their_meaning_where_this_machine_has_them) {
  const target::Target host = target::host();
  for (const std::string& name : instruction_names()) {
    const Instruction& record = find_instruction(name);
    const bool in_memory = std::all_of(record.operands.begin(), record.operands.end(), [](const Operand& o) {
      return o.scope.empty() || o.scope == "global";
    });
    if (name.starts_with("test.")) continue;
    const bool has_strides =
        !name.starts_with("neon.") && record.operands.size() < record.meaning.parameters.size();
    if (!in_memory || has_strides) continue;
    for (std::int64_t lane = 0; lane < 4; ++lane) {
      const std::map<std::string, std::int64_t> integers = {{"lane", lane}};
      const Function f = only_call(record, integers), meaning = meaning_of(record, integers);
      const auto before = measure::make_arguments(meaning, {.seed = static_cast<std::uint64_t>(lane)});
      const auto interpreted = measure::copy_arguments(before), compiled = measure::copy_arguments(before),
                 by_c = measure::copy_arguments(before);
      interp::run(f, interpreted);
      expect_agrees(meaning, before, interpreted, name + ", interpreted");
      // Where the machine has no such instruction the meaning is expanded, which must be right, too.
      call(compile::callable(f, host), compiled);
      expect_agrees(meaning, before, compiled, name + ", compiled");
      if (lane > 0) continue;
      call(compile::compile_by_c(f, host), by_c);
      expect_agrees(meaning, before, by_c, name + ", compiled by C");
      if (meaning.parameters.size() == record.meaning.parameters.size()) break;
    }
  }
}

TEST(Records, become_their_machine_instruction_and_nothing_around_it) {
  for (const Row& row : rows) {
    const Module m{{}, {only_call(find_instruction(row.record), no_lane)}};
    const target::Target target = target::find(row.target);
    ASSERT_TRUE(target.has(find_instruction(row.record).required_feature)) << row.record;
    const std::string assembly = compile::assembly(m, target), ir = compile::llvm_ir(m, target);
    int times = 0;
    for (std::size_t at = assembly.find(row.mnemonic); at != std::string::npos;
         at = assembly.find(row.mnemonic, at + 1))
      ++times;
    EXPECT_EQ(times, row.times) << row.record << "\n" << assembly;
    EXPECT_EQ(ir.find("@ardea.instruction"), std::string::npos) << row.record << " is not inlined\n" << ir;
  }
}

TEST(Records, without_the_feature_are_what_they_mean) {
  for (const Row& row : rows) {
    const bool arm = std::string(row.record).starts_with("neon.");
    target::Target target = target::find(arm ? "generic-aarch64" : "generic-x86_64");
    if (target.has(find_instruction(row.record).required_feature)) continue;
    const std::string assembly =
        compile::assembly(Module{{}, {only_call(find_instruction(row.record), no_lane)}}, target);
    EXPECT_EQ(assembly.find(row.mnemonic), std::string::npos) << row.record << "\n" << assembly;
  }
}

/// C[j] += 1, by these implementations.
Instruction counting(const std::string& name, std::map<std::string, std::string> implementations) {
  return written_instruction(name, "", R"(
@T.prim_func
def count(C: T.Buffer((4,), "int32")):
    for j in range(4):
        with T.block("C"):
            vj = T.axis.spatial(4, j)
            C[vj] = C[vj] + 1
)",
                             {{"", 1}}, std::move(implementations));
}

const char* const counting_in_c =
    "static inline void $function(void* C) { for (int j = 0; j < 4; ++j) ((int32_t*)C)[j] += 1; }\n";

TEST(Records, of_users_run_as_they_say) {
  register_instruction(counting("test.count", {{"llvm", R"(
define void @count(ptr %C) {
  %c = load <4 x i32>, ptr %C, align 4
  %r = add <4 x i32> %c, <i32 1, i32 1, i32 1, i32 1>
  store <4 x i32> %r, ptr %C, align 4
  ret void
})"},
                                               {"c", counting_in_c}}));
  const Function f = only_call(find_instruction("test.count"), {});
  for (const bool by_c : {false, true}) {
    const runtime::Array c = runtime::Array::zeros({4}, int32);
    c.set_int(2, 41);
    call(by_c ? compile::compile_by_c(f, target::host()) : compile::callable(f, target::host()), {c});
    EXPECT_EQ(c.get_int(0), 1);
    EXPECT_EQ(c.get_int(2), 42);
  }
}

TEST(Records, whose_text_is_wrong_are_refused_with_the_fault) {
  const auto fault = [](const std::string& name, const std::string& text) -> std::string {
    register_instruction(counting(name, {{"llvm", text}, {"c", counting_in_c}}));
    try {
      compile::callable(only_call(find_instruction(name), {}), target::host());
    } catch (const Error& error) {
      return error.what();
    }
    return "no fault";
  };
  EXPECT_EQ(fault("test.no_ir", "nonsense"),
            "test.no_ir: its implementation is no LLVM IR: line 1: expected top-level entity");
  EXPECT_EQ(fault("test.nothing", ""), "test.nothing: its implementation defines no function");
  EXPECT_EQ(
      fault("test.two", "define void @a(ptr %C) {\n  ret void\n}\ndefine void @b(ptr %C) {\n  ret void\n}"),
      "test.two: its implementation defines several functions, must define one");
  EXPECT_EQ(fault("test.parameters", "define void @a(i64 %C) {\n  ret void\n}"),
            "test.parameters: its implementation must take a ptr for each buffer and an i64 for each "
            "integer, and give "
            "nothing");
  EXPECT_EQ(fault("test.branches", "define void @a(ptr %C) {\n  br label %end\nend:\n  ret void\n}"),
            "test.branches: its implementation branches, but a record is one instruction without loops");
}

TEST(Records, cover_every_family) {
  const std::vector<std::string> names = instruction_names();
  for (const Row& row : rows)
    EXPECT_NE(std::find(names.begin(), names.end(), row.record), names.end()) << row.record;
}

}  // namespace
}  // namespace ardea::intrin
