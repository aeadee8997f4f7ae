#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "programs.h"

/// Passes of users' own.

namespace ardea::lower {

namespace {

const char* const doubling = R"(
@T.prim_func
def main(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("Y"):
            vi = T.axis.spatial(4, i)
            Y[vi] = X[vi] * T.float32(2.0)
)";

/// Every 2.0 becomes a 3.0: a change that can be seen.
Function triple(const Function& f, const target::Target&) {
  Function out = f;
  out.body = rewrite(f.body, [](const Expr& e) -> std::optional<Expr> {
    const auto* value = e.as<FloatImm>();
    return value != nullptr && value->value == 2 ? std::optional(make_float(3)) : std::nullopt;
  });
  return out;
}

Insertion after(const std::string& place, const std::string& name) {
  return {place, {name, "there is no 2.0", triple}};
}

std::vector<std::string> names(const Options& options) {
  std::vector<std::string> all;
  for (const Pass& pass : pipeline(generic_machine(), options)) all.push_back(pass.name);
  return all;
}

std::string refusal(const Options& options) {
  try {
    pipeline(generic_machine(), options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Insertions, stand_where_they_are_asked_to) {
  const Options options{{after("flatten_storage", "first"), after("flatten_storage", "second"),
                         after("first", "between"), after("", "very_first")}};
  const std::vector<std::string> all = names(options);
  EXPECT_EQ(all.front(), "very_first");
  const auto at = std::find(all.begin(), all.end(), "flatten_storage") + 1;
  EXPECT_EQ(std::vector<std::string>(at, at + 3), (std::vector<std::string>{"first", "between", "second"}));
  EXPECT_EQ(all.size(), names({}).size() + 4);
}

TEST(Insertions, change_what_is_lowered_and_can_be_shown) {
  const Function f = function_of(doubling);
  const Options options{{after("flatten_storage", "triple")}};
  EXPECT_EQ(print(lower_until(f, generic_machine(), "flatten_storage", options)).find("3.0"),
            std::string::npos);
  EXPECT_NE(print(lower_until(f, generic_machine(), "triple", options)).find("3.0"), std::string::npos);
  EXPECT_NE(print(lower(f, generic_machine(), options)).find("3.0"), std::string::npos);
  EXPECT_EQ(print(lower(f, generic_machine())).find("3.0"), std::string::npos);
}

TEST(Insertions, refuse_a_place_that_there_is_not_and_a_name_that_there_is) {
  EXPECT_EQ(refusal({{after("flaten_storage", "mine")}}).substr(0, 111),
            "insert pass \"mine\": there is no pass \"flaten_storage\"; did you mean flatten_storage or "
            "reuse_storage?; the pass")
      << refusal({{after("flaten_storage", "mine")}});
  EXPECT_EQ(refusal({{after("flatten_storage", "simplify")}}),
            "insert pass \"simplify\": there is a pass of that name already");
  EXPECT_EQ(refusal({{after("flatten_storage", "")}}), "insert pass: it has no name");
  EXPECT_EQ(refusal({{{"simplify", {"mine", "nothing", nullptr}}}}),
            "insert pass \"mine\": it has no function");
}

TEST(Insertions, that_leave_a_part_out_are_named) {
  const auto refused_after = [](const std::function<Stmt(const Stmt&)>& change) -> std::string {
    const auto run = [=](const Function& f, const target::Target&) {
      Function out = f;
      out.body = change(f.body);
      return out;
    };
    try {
      lower(function_of(doubling), generic_machine(), {{{"simplify", {"forgets", "nothing", run}}}});
    } catch (const Error& error) {
      const std::string sentence = error.what();
      return sentence.substr(0, sentence.find(';'));
    }
    return "";
  };
  const std::string head = "lower main: pass forgets: ";
  const Var i("i");
  EXPECT_EQ(refused_after([](const Stmt&) { return Stmt(); }), head + "the body of main is empty");
  EXPECT_EQ(refused_after([&](const Stmt&) { return Stmt(For{i, make_int(0), make_int(2)}); }),
            head + "the body of loop i of main is empty");
  EXPECT_EQ(
      refused_after([&](const Stmt& body) {
        return Stmt(Seq{{body, Stmt(Evaluate{Expr(int64, Binary{BinaryOp::add, make_int(0), Expr()})})}});
      }),
      head + "an operand of an expression of main is empty");
  EXPECT_EQ(refused_after([](const Stmt& body) { return Stmt(Seq{{body, Stmt()}}); }),
            head + "a statement of a sequence of main is empty");
  EXPECT_EQ(refused_after([](const Stmt& body) { return body; }), "");
}

#ifndef NDEBUG
TEST(Insertions, that_break_a_law_are_named) {
  const auto breaks = [](const Function& f, const target::Target&) {
    Function out = f;
    out.body = make_seq({f.body, Evaluate{Var("nobody", int32)}});
    return out;
  };
  const Options options{{{"simplify", {"breaks", "nothing", breaks}}}};
  try {
    lower(function_of(doubling), generic_machine(), options);
    FAIL() << "nothing was said";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("breaks broke the law"), std::string::npos) << error.what();
  }
}
#endif

}  // namespace

}  // namespace ardea::lower
