#include <gtest/gtest.h>

#include <set>

#include "ardea/arith/verify.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "programs.h"

/// Pipelines for all numbers of iterations around the number of stages, and what is refused.

namespace ardea::lower {

namespace {

/// A loop of three statements that make something of each other.
std::string three(const std::string& stage, const std::string& order) {
  return fmt::format(R"(
@T.prim_func
def f(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n, 3), "float32")
    Y = T.match_buffer(y, (n, 3), "float32")
    A = T.alloc_buffer((3,))
    B = T.alloc_buffer((3,))
    for i in T.serial(n, annotations={{"software_pipeline_stage": {}, "software_pipeline_order": {}}}):
        for j in range(3):
            with T.block("A"):
                vi, vj = T.axis.remap("OO", [i, j])
                A[vj] = X[vi, vj] * T.float32(2.0)
        for j in range(3):
            with T.block("B"):
                vj = T.axis.opaque(3, j)
                B[vj] = A[2 - vj] + T.float32(1.0)
        for j in range(3):
            with T.block("Y"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = B[vj] * A[vj]
)",
                     stage, order);
}

void expect_same_answers(const std::string& text, const std::string& pass) {
  const Function f = function_of(text), lowered = lower_until(f, generic_machine(), pass);
  for (const arith::Violation& v : arith::verify(lowered))
    ADD_FAILURE() << v.message << "\n" << print(lowered);
  for (std::int64_t n = 1; n < 8; ++n) {
    const Program program{"f", text, {{"n", n}}};
    const std::vector<interp::Argument> given = arguments_of(f, program, 7);
    std::vector<interp::Argument> wanted = copies(given), got = copies(given);
    interp::run(f, wanted);
    interp::run(lowered, got);
    EXPECT_EQ(difference(wanted, got, 0), "") << n << " iterations\n" << print(lowered);
  }
}

TEST(Pipelines, give_the_answers_of_the_loop_for_any_number_of_iterations) {
  for (const char* stage : {"[0, 0, 0]", "[0, 0, 1]", "[0, 1, 2]", "[1, 3, 4]", "[0, 2, 2]", "[0, 0, 5]"})
    for (const char* order : {"[0, 1, 2]", "[2, 1, 0]", "[1, 0, 2]", "[2, 0, 1]"}) try {
        expect_same_answers(three(stage, order), "simplify");
      } catch (const Error& refused) {
        EXPECT_NE(std::string(refused.what()).find("would change places"), std::string::npos)
            << refused.what();
      }
}

TEST(Pipelines, share_no_variable_between_their_copies) {
  const Function f = lower_until(function_of(three("[0, 1, 3]", "[0, 1, 2]")), generic_machine(),
                                 "inject_software_pipeline");
  std::set<const void*> seen;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    EXPECT_TRUE(loop == nullptr || seen.insert(loop->var.get()).second) << print(f);
  });
  EXPECT_EQ(seen.size(), 1u + 3u + 3u * 3u);  // the loop, its statements, and each three times outside
}

/// How many A of one iteration there are in the program.
std::int64_t versions_of_a(const Function& f) {
  std::int64_t elements = 0;
  visit_stmts(f.body, [&](const Stmt& s) {
    const auto* allocate = s.as<Allocate>();
    if (allocate == nullptr || allocate->data.name() != "A") return;
    elements = 1;
    for (const Expr& extent : allocate->extents) elements *= *constant_int(extent);
  });
  return elements / 3;
}

TEST(Pipelines, keep_no_more_versions_than_iterations) {
  for (std::int64_t iterations = 1; iterations <= 6; ++iterations) {
    std::string text = three("[0, 1, 3]", "[0, 1, 2]");
    const std::string open = "    n = T.int64()\n";
    text.erase(text.find(open), open.size());
    for (const std::string n : {"(n, 3)", "(n, annotations"})
      for (std::size_t at = text.find(n); at != std::string::npos; at = text.find(n))
        text.replace(at + 1, 1, std::to_string(iterations));
    const Function f = function_of(text), lowered = lower_until(f, generic_machine(), "simplify");
    EXPECT_EQ(versions_of_a(lower_until(f, generic_machine(), "inject_software_pipeline")),
              std::min<std::int64_t>(iterations, 4));
    const std::vector<interp::Argument> given = arguments_of(f, {"f", text}, 7);
    std::vector<interp::Argument> wanted = copies(given), got = copies(given);
    interp::run(f, wanted);
    interp::run(lowered, got);
    EXPECT_EQ(difference(wanted, got, 0), "") << iterations << " iterations\n" << print(lowered);
  }
}

std::string refusal(const std::string& text) {
  try {
    lower(function_of(text), generic_machine());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Pipelines, are_refused_where_annotations_ask_for_what_is_not_legal) {
  EXPECT_EQ(
      refusal(three("[1, 0, 1]", "[0, 1, 2]")),
      "f: what is annotated as a software pipeline cannot be one: in one iteration of loop i statement 1 (A) "
      "touches A[0:3] and then statement 2 (B) touches A[0:3], which would change places: their stages are 1 "
      "and 0, their places 0 and 1; give statement 2 (B) a later stage, or the same and a later place");
  EXPECT_EQ(
      refusal(three("[0, 1]", "[0, 1, 2]")),
      "f: what is annotated as a software pipeline cannot be one: loop i holds 3 statements, and there are 2 "
      "stages and 3 places in the order; give one stage and one place a statement");
  EXPECT_EQ(
      refusal(three("\"all\"", "[0, 1, 2]")),
      "f: what is annotated as a software pipeline cannot be one: the annotation software_pipeline_stage of "
      "loop i is no list of integers; give one number a statement of the loop's body");
}

}  // namespace

}  // namespace ardea::lower
