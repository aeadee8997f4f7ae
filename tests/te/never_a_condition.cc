#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "ardea/support/subprocess.h"
#include "ardea/te/compute.h"
#include "tests/support/folder.h"

/// What must not compile, does not: an expression that C++ could take for a bool would keep one side of a
/// choice in silence.

namespace ardea::test {
namespace {

template <class T>
constexpr bool is_a_condition = std::is_constructible_v<bool, T>;

static_assert(!is_a_condition<Expr> && !is_a_condition<Var> && !is_a_condition<Buffer> &&
              !is_a_condition<Stmt>);
static_assert(!is_a_condition<te::Tensor>);

const std::string around_choices = R"(
#include <algorithm>
#include "ardea/ir/literals.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"
using namespace ardea;
Expr choose(const te::Tensor& A, const te::Tensor& B, const Var& i, const std::vector<Expr>& all) {
  (void)all;
)";

/// What the compiler says of a function with this body; empty where it compiles.
std::string complaints_about(const std::string& body) {
  const Folder folder;
  const std::string file = folder.write("choice.cc", around_choices + body + "\n}\n");
  const ProcessResult result =
      run_process({ARDEA_CXX, {"-std=c++20", "-fsyntax-only", "-I", ARDEA_SOURCE_DIR, file}});
  return result.succeeded() ? "" : result.description() + "\n" + result.error;
}

TEST(NeverACondition, choices_between_expressions_do_not_compile) {
  // One compilation each way: the compiler must complain about every one of these lines.
  const std::vector<std::string> choices = {
      "const Expr chosen = A(i) > 0 ? A(i) : B(i);",
      "if (i < 4) return A(i);",
      "while (i) return A(i);",
      "const Expr larger = std::max(A(i), B(i));",
      "const Expr smaller = std::min({A(i), B(i)});",
      "const auto best = std::max_element(all.begin(), all.end());",
      "const bool both = A(i) && B(i);",
      "const bool not_so = !A(i);",
      "const bool flag = static_cast<bool>(A(i) >= B(i));",
  };
  EXPECT_EQ(complaints_about("return max(A(i), te::select(A(i) > 0, A(i), B(i)));"), "");
  std::string body;
  for (const std::string& line : choices) body += line + "\n";
  const std::string complaints = complaints_about(body + "return Expr();");
  const auto before = std::count(around_choices.begin(), around_choices.end(), '\n');
  for (std::size_t line = 0; line < choices.size(); ++line) {
    const std::string place =
        "choice.cc:" + std::to_string(before + 1 + static_cast<std::int64_t>(line)) + ":";
    EXPECT_NE(complaints.find(place), std::string::npos) << choices[line] << " compiles";
  }
}

}  // namespace
}  // namespace ardea::test
