#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ardea/arith/regions.h"
#include "ardea/interp/interpreter.h"
#include "ardea/interp/observer.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/limits_of.h"
#include "ardea/lower/passes.h"
#include "ardea/rules/footprints.h"
#include "ardea/rules/program_space.h"
#include "ardea/runtime/array.h"
#include "tests/support/product_text.h"

/// What nests work on, held against the interpreter's own record of which iteration touched what.

namespace ardea::limits {

namespace {

/// The most bytes outside of registers that one iteration of each loop touches, by the loop's name.
class Record : public interp::Observer {
 public:
  void begins(const For& loop, std::int64_t) override {
    const bool is_next = !open_.empty() && open_.back().loop == loop.var;
    if (is_next) close();
    open_.push_back({loop.var, {}});
  }
  void ends(const For&) override { close(); }
  void allocates(const void* memory, const std::string&, const std::string& scope) override {
    scopes_[memory] = scope;
  }
  void touches(const void* memory, const std::string& name, std::int64_t begin_bit, std::int64_t end_bit,
               bool, const Stmt&) override {
    const auto scope = scopes_.find(memory);
    if (scope != scopes_.end() && scope->second == register_scope) return;
    for (std::int64_t byte = begin_bit / 8; byte < (end_bit + 7) / 8; ++byte)
      for (Iteration& iteration : open_) iteration.bytes.emplace(name, byte);
  }

  std::map<std::string, std::int64_t> most;

 private:
  struct Iteration {
    Var loop;
    std::set<std::pair<std::string, std::int64_t>> bytes;
  };

  void close() {
    std::int64_t& known = most[open_.back().loop.name()];
    known = std::max(known, std::ssize(open_.back().bytes));
    open_.pop_back();
  }

  std::vector<Iteration> open_;
  std::unordered_map<const void*, std::string> scopes_;
};

std::map<std::string, std::int64_t> recorded(const Function& f) {
  std::vector<interp::Argument> arguments;
  for (const Parameter& parameter : f.parameters) {
    std::vector<std::int64_t> shape;
    for (const Expr& extent : parameter.buffer->shape) shape.push_back(*constant_int(extent));
    arguments.emplace_back(runtime::Array::zeros(shape, parameter.buffer->type));
  }
  Record record;
  interp::run(f, arguments, {.observer = &record});
  return record.most;
}

/// The program with memory where it stands in the end, and no larger than that.
Function with_memory(const Function& f, const target::Target& target) {
  return lower::compact_allocations(lower::placed(f, target), target);
}

/// Whether one loop only has the name.
bool is_one_loop(const std::string& name, const Function& f) {
  int loops = 0;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>(); loop != nullptr && loop->var.name() == name) ++loops;
  });
  return loops == 1;
}

Function function_of(const std::string& text) { return arith::complete_regions(parse(text).functions.at(0)); }

const std::string product = test::product_text(12, 10, 18);

const char* const tiled_product = R"(
@T.prim_func
def gemm(A: T.Buffer((12, 10), "float32"), B: T.Buffer((10, 18), "float32"), C: T.Buffer((12, 18), "float32")):
    for i0, j0, k0, i1, j1, k1 in T.grid(3, 6, 2, 4, 3, 5):
        with T.block("C"):
            vi = T.axis.spatial(12, i0 * 4 + i1)
            vj = T.axis.spatial(18, j0 * 3 + j1)
            vk = T.axis.reduce(10, k0 * 5 + k1)
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

TEST(Footprints, go_from_the_innermost_loop_that_comes_back_outwards) {
  const Function f = function_of(tiled_product);
  const auto found = lower::footprints_of(f, target::find("avx2"));
  ASSERT_EQ(found.size(), 3U);
  // k1 comes back to C, j1 to A, i1 to B.
  const char* const loops[] = {"k1", "j1", "i1"};
  const int bytes[] = {3 * 4, (5 + 5 + 1) * 4, (5 + 15 + 3) * 4};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].block, "C");
    EXPECT_EQ(found[i].level, static_cast<int>(i) + 1);
    EXPECT_EQ(found[i].loop.name(), loops[i]);
    EXPECT_EQ(value_at(found[i].bytes, {}), bytes[i]) << print(found[i].bytes);
  }
}

TEST(Footprints, a_stream_comes_back_to_nothing) {
  const Function f = function_of(R"(
@T.prim_func
def copy(A: T.Buffer((12, 10), "float32"), B: T.Buffer((12, 10), "float32")):
    for i, j in T.grid(12, 10):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
)");
  EXPECT_TRUE(lower::footprints_of(f, target::find("avx2")).empty());
}

TEST(Footprints, what_is_written_out_or_in_registers_is_no_traffic) {
  const Function f = function_of(R"(
@T.prim_func
def gemm(A: T.Buffer((8, 5), "float32"), B: T.Buffer((5, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i0, j0 in T.grid(4, 3):
        for k in range(5):
            for i1 in T.unroll(2):
                with T.block("C"):
                    vi = T.axis.spatial(8, i0 * 2 + i1)
                    vj = T.axis.spatial(3, j0)
                    vk = T.axis.reduce(5, k)
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)");
  const auto found = lower::footprints_of(f, target::find("avx2"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].loop.name(), "k");
  EXPECT_EQ(value_at(found[0].bytes, {}), (2 + 2 + 1) * 4);
}

/// At points of the rules' own sketches. What is touched is a box there, save where windows leave gaps or
/// borders are clipped: at least as much is said then.
void expect_as_recorded(const std::string& text, bool is_exact, int least) {
  const Function f = function_of(text);
  const target::Target target = target::find("avx2");
  const rules::ProgramSpace space = rules::program_space(f, target, rules::rules_for(target));
  int compared = 0;
  for (const rules::SolvedSketch& solved : space.sketches) {
    const auto soft = rules::footprints_of(solved.sketch, target);
    for (const space::Point& point : solved.solver->sample(4, 11).points) {
      const Function made = with_memory(rules::materialise(solved.sketch, point).program(), target);
      const auto record = recorded(made);
      for (const rules::SoftVariable& variable : soft) {
        const auto value = rules::value_at(variable, solved.sketch, point);
        const auto measured = record.find(variable.footprint.loop.name());
        if (!value || measured == record.end() || !is_one_loop(measured->first, made)) continue;
        ++compared;
        const std::string where = fmt::format("{} in\n{}", variable.name, print(made));
        if (is_exact)
          EXPECT_EQ(*value, measured->second) << where;
        else
          EXPECT_GE(*value, measured->second) << where;
        if (testing::Test::HasFailure()) return;
      }
    }
  }
  EXPECT_GE(compared, least);
}

TEST(Footprints, of_products_are_what_the_interpreter_records) { expect_as_recorded(product, true, 50); }

TEST(Footprints, of_odd_products_are_at_least_what_the_interpreter_records) {
  expect_as_recorded(test::product_text(7, 11, 5), false, 20);
}

TEST(Footprints, are_constraints_where_that_is_asked_for) {
  const Function f = function_of(product);
  target::Target target = target::find("avx2");
  target.caches[0].bytes = 1024;
  const auto rules = rules::rules_for(target);
  const rules::ProgramSpace free = rules::program_space(f, target, rules);
  const rules::ProgramSpace kept = rules::program_space(f, target, rules, {.sketch = {.within_cache = 1}});
  EXPECT_LT(kept.count().value, free.count().value);
  const auto count_too_large = [&](const rules::SolvedSketch& solved) {
    const auto soft = rules::footprints_of(solved.sketch, target);
    const std::vector<space::Point> points = solved.solver->sample(20, 3).points;
    return std::count_if(points.begin(), points.end(), [&](const space::Point& point) {
      return std::any_of(soft.begin(), soft.end(), [&](const rules::SoftVariable& variable) {
        return variable.footprint.level == 1 && *rules::value_at(variable, solved.sketch, point) > 1024;
      });
    });
  };
  for (const rules::SolvedSketch& solved : kept.sketches) EXPECT_EQ(count_too_large(solved), 0);
  std::int64_t too_large = 0;
  for (const rules::SolvedSketch& solved : free.sketches) too_large += count_too_large(solved);
  EXPECT_GT(too_large, 0);
}

}  // namespace

}  // namespace ardea::limits
