#include "ardea/schedule/methods.h"

#include <gtest/gtest.h>

#include "ardea/arith/load.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text_file.h"
#include "tests/schedule/gemm_program.h"

/// Every primitive of the table is a method of Schedule, and the method is the struct.

namespace ardea::schedule {
namespace {

std::vector<Reference> listed(const std::vector<LoopRef>& given) { return {given.begin(), given.end()}; }
std::vector<Reference> listed(const std::vector<BlockRef>& given) { return {given.begin(), given.end()}; }
std::vector<Reference> listed(const std::vector<NumberRef>& given) { return {given.begin(), given.end()}; }
std::vector<Reference> listed(const Reference& given) { return {given}; }

/// The trace, the program and the results of a call, or the sentence that refuses it.
template <class Call>
std::string story_of(Schedule s, const Call& call) {
  try {
    call(s);
  } catch (const Refused& refused) {
    return refused.what();
  }
  return print(s.trace()) + print(s.program());
}

/// The step on copies of s, by its struct and by the method with as many arguments as `index` has, the other
/// fields as the struct has them.
template <class Step, class Method, std::size_t... index>
void expect_same(const Schedule& s, const Step& given, const Method& method, std::index_sequence<index...>) {
  Step step;
  ((step.*(std::get<index>(Step::fields).member) = given.*(std::get<index>(Step::fields).member)), ...);
  const std::string by_struct = story_of(s, [&](Schedule& copy) { copy.apply(step); });
  const std::string by_method = story_of(s, [&](Schedule& copy) {
    const auto call = [&] { return method(copy, step.*(std::get<index>(Step::fields).member)...); };
    if constexpr (std::is_void_v<typename Step::Results>) {
      call();
      EXPECT_TRUE(copy.trace().instructions.back().results.empty());
    } else {
      const std::vector<Reference> results = listed(call());
      EXPECT_EQ(results, copy.trace().instructions.back().results);
    }
  });
  EXPECT_EQ(by_method, by_struct);
}

/// By every number of arguments that the method takes.
template <class Step, class Method, std::size_t... more>
void expect_same_by_all_ways(const Schedule& s, const std::vector<Argument>& arguments, const Method& method,
                             std::index_sequence<more...>) {
  const auto step = detail::step_from<Step>(arguments);
  (expect_same(s, step, method, std::make_index_sequence<detail::required_count<Step> + more>{}), ...);
}

/// Whether the table of methods has it.
bool compare_methods(const Schedule& s, const std::string& primitive,
                     const std::vector<Argument>& arguments) {
#define ARDEA_COMPARE(method, Step)                                                                \
  if (primitive == #method) {                                                                      \
    expect_same_by_all_ways<Step>(                                                                 \
        s, arguments,                                                                              \
        [](Schedule& copy, const auto&... given) {                                                 \
          if constexpr (std::same_as<Step, GetBlock> && sizeof...(given) == 1)                     \
            return copy.results(GetBlock{given...}); /* Schedule's own names the function */       \
          else                                                                                     \
            return copy.method(given...);                                                          \
        },                                                                                         \
        std::make_index_sequence<detail::field_count<Step> - detail::required_count<Step> + 1>{}); \
    return true;                                                                                   \
  }
  ARDEA_PRIMITIVES(ARDEA_COMPARE)
#undef ARDEA_COMPARE
  return false;
}

/// References of one schedule as those of another that takes the same steps.
class Translation {
 public:
  void add(const std::vector<Reference>& from, const std::vector<Reference>& to) {
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < to.size(); ++i)
      std::visit([&](const auto& now) { table_[key_of(from[i])] = Argument(now); }, to[i]);
  }

  Argument operator()(const Argument& argument) const {
    return std::visit(overloaded{
                          [&](const std::vector<Argument>& items) {
                            std::vector<Argument> list;
                            for (const Argument& item : items) list.push_back((*this)(item));
                            return Argument(std::move(list));
                          },
                          [&](const BlockRef& block) { return at(block); },
                          [&](const LoopRef& loop) { return at(loop); },
                          [&](const NumberRef& number) { return at(number); },
                          [](const auto& value) { return Argument(value); },
                      },
                      argument.value);
  }

 private:
  Argument at(const Reference& reference) const { return table_.at(key_of(reference)); }
  std::map<std::string, Argument> table_;
};

class MethodOf : public ::testing::TestWithParam<const Primitive*> {};

/// At each of its uses in the primitive's example.
TEST_P(MethodOf, is_the_struct) {
  const std::string path = std::string(ARDEA_SOURCE_DIR "/examples/primitives/") + GetParam()->name;
  const Function program = arith::load_file(path + ".tir").functions.at(0);
  Schedule all(program);
  all.replay(parse_steps(read_text_file(path + ".py"), path + ".py"));
  Schedule s(program);
  Translation translated;
  int uses = 0;
  for (const Instruction& step : all.trace().instructions) {
    std::vector<Argument> arguments;
    for (const Argument& argument : step.arguments) arguments.push_back(translated(argument));
    if (step.primitive == GetParam()) {
      EXPECT_TRUE(compare_methods(s, GetParam()->name, arguments)) << "it has no method";
      ++uses;
    }
    translated.add(step.results, s.take(*step.primitive, std::move(arguments)));
  }
  EXPECT_GT(uses, 0);
}

std::vector<const Primitive*> table() {
  std::vector<const Primitive*> all;
  for (const Primitive& primitive : primitives()) all.push_back(&primitive);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Schedule, MethodOf, ::testing::ValuesIn(table()),
                         [](const auto& info) { return info.param->name; });

/// As users write them, with numbers, texts and lists in braces.
TEST(Methods, read_as_scripts_do) {
  Schedule sch(gemm_program());
  const BlockRef c = sch.get_block("C");
  const BlockRef packed = sch.cache_read(c, 1, "global");
  const auto loops = sch.get_loops(c);
  const auto rows = sch.split(loops[0], {none, 4}, true, false, "guard");
  const auto tile = sch.sample_perfect_tile(loops[1], 2);
  const auto columns = sch.split(loops[1], {tile[0], tile[1]});
  sch.reorder(loops[2], rows[1], columns[0], columns[1]);
  const LoopRef both = sch.fuse(columns[0], columns[1]);
  sch.annotate(both, "pragma_auto_unroll_max_step", 16);
  sch.annotate(c, "note", "a text");
  sch.parallel(rows[0]);
  sch.compute_at(packed, rows[0]);

  Schedule again(gemm_program());
  again.replay(parse_steps(R"(
c = sch.get_block("C", "main")
packed = sch.cache_read(c, 1, "global")
i, j, k = sch.get_loops(c)
io, ii = sch.split(i, [None, 4], tail="guard")
t0, t1 = sch.sample_perfect_tile(j, 2)
jo, ji = sch.split(j, [t0, t1])
sch.reorder(k, ii, jo, ji)
both = sch.fuse(jo, ji)
sch.annotate(both, "pragma_auto_unroll_max_step", 16)
sch.annotate(c, "note", "a text")
sch.parallel(io)
sch.compute_at(packed, io)
)",
                           "script"));
  EXPECT_EQ(print(sch.trace()), print(again.trace()));
  EXPECT_EQ(print(sch.program()), print(again.program()));
}

TEST(Methods, take_loops_one_by_one_or_as_a_list) {
  const Function program = parse_function(R"(
@T.prim_func
def main(A: T.Buffer((4, 5, 6), "float32")):
    for i, j, k in T.grid(4, 5, 6):
        with T.block("A"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            A[vi, vj, vk] = T.float32(1)
)");
  const auto fused = [&](const auto& fuse) {
    Schedule sch(program);
    const auto loops = sch.get_loops(sch.get_block("A"));
    fuse(sch, loops);
    return print(sch.trace());
  };
  const std::string by_struct =
      fused([](Schedule& sch, const auto& loops) { sch.apply(Fuse{{loops[0], loops[1]}}); });
  EXPECT_EQ(fused([](Schedule& sch, const auto& loops) { sch.fuse(loops[0], loops[1]); }), by_struct);
  EXPECT_EQ(fused([](Schedule& sch, const auto& loops) { sch.fuse({loops[0], loops[1]}); }), by_struct);
  EXPECT_EQ(fused([](Schedule& sch, const auto& loops) { sch.fuse({loops[0], loops[1]}, true); }), by_struct);
}

/// A refusal names the method as it is called.
TEST(Methods, throw_what_the_struct_is_refused_with) {
  Schedule sch(parse_function(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("A"):
            vi = T.axis.spatial(8, i)
            A[vi] = T.float32(1)
)"));
  const auto loops = sch.get_loops(sch.get_block("A"));
  try {
    sch.split(loops[0], {none, 0});
    ADD_FAILURE() << "accepted";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.code(), "factor_not_positive");
    EXPECT_TRUE(std::string(refused.what()).starts_with("split(loop=i, factors=[None, 0]")) << refused.what();
  }
  EXPECT_EQ(sch.trace().instructions.size(), 2U);
}

}  // namespace
}  // namespace ardea::schedule
