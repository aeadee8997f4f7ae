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

const char* const included = R"(
#include <algorithm>
#include "ardea/ir/literals.h"
#include "ardea/te/compute.h"
#include "ardea/te/math.h"
)";

const std::string around_choices = R"(
using namespace ardea;
Expr choose(const te::Tensor& A, const te::Tensor& B, const Var& i, const std::vector<Expr>& all) {
  (void)all;
)";

/// The headers, read once: they take a second, and all else next to nothing.
const std::string& precompiled_headers() {
  static const Folder folder;
  static const std::string file = [] {
    std::string header = folder.write("included.h", included);
    const ProcessResult result = run_process(
        {ARDEA_CXX,
         {"-std=c++20", "-I", ARDEA_SOURCE_DIR, "-x", "c++-header", header, "-o", header + ".gch"}});
    EXPECT_TRUE(result.succeeded()) << result.description() << "\n" << result.error;
    return header;
  }();
  return file;
}

/// What the compiler says of a function with this body; empty where it compiles.
std::string complaints_about(const std::string& body) {
  const Folder folder;
  const std::string file = folder.write("choice.cc", around_choices + body + "\n}\n");
  const ProcessResult result = run_process(
      {ARDEA_CXX,
       {"-std=c++20", "-fsyntax-only", "-I", ARDEA_SOURCE_DIR, "-include", precompiled_headers(), file}});
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
      "const bool same = i == 4;",
      "const bool other = 0.5 != A(i);",
      "const Expr seen = te::select(A(i) == B(i), A(i), B(i));",
      "const Expr lazy = te::if_then_else(A(i) == B(i), 0, 1);",
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

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// What is wrong with a mistake is one error with a sentence, not a list of all that might have been meant.
TEST(Mistakes, that_the_compiler_sees_are_one_sentence) {
  const std::string indices =
      "its function must take one index for each dimension of the shape, as Var, Expr or auto";
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {R"(te::compute("C", {4, 8}, [&](auto x) { return A(x); });)", indices},
      {R"(te::compute("C", {4}, [&](Var x, Var y) { return A(x) + B(y); });)", indices},
      {R"(te::compute("C", {4}, [&](int x) { return A(x); });)", indices},
      {R"(te::compute("C", A.shape(), [&](int x) { return A(x); });)", indices},
      {R"(te::compute("C", {4}, [&](auto) { return "C"; });)",
       "its function must return an expression, a number or a reduction"},
      {"Var j = i; j += 1;", "write Expr e = i; e += "},
      {"te::sum(A(i), {}) * 2;", "a reduction is all of a compute: write a second one"},
  };
  for (const auto& [code, sentence] : mistakes) {
    const std::string complaints = complaints_about(code + " return A(i);");
    EXPECT_EQ(occurrences(complaints, "error:"), 1U) << code << "\n" << complaints;
    EXPECT_NE(complaints.find(sentence), std::string::npos) << code << "\n" << complaints;
    EXPECT_LE(occurrences(complaints, "\n"), 16U) << code << "\n" << complaints;
  }
}

}  // namespace
}  // namespace ardea::test
