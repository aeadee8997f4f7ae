#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "programs.h"

/// How much memory is left by reuse_storage. That answers stay the same is tests/lower/meaning.cc's and the
/// campaigns' affair.

namespace ardea::lower {

namespace {

/// The elements of every allocation, outermost first.
std::vector<std::int64_t> allocations(const std::string& text, const std::string& pass) {
  const Function f = lower_until(function_of("@T.prim_func\n" + text.substr(text.find("def"))),
                                 target::find("generic-x86_64"), pass);
  std::vector<std::int64_t> found;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* allocate = s.as<Allocate>())
      found.push_back(constant_int(allocate->extents[0]).value_or(-1));
  });
  return found;
}

using Sizes = std::vector<std::int64_t>;

/// A program of `stages`, the first of which reads X, each into a buffer of its own, and a last one into Y.
std::string chain(const std::vector<std::string>& stages, const std::string& last,
                  const std::string& loop = "range(40)") {
  std::string allocations, body;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    allocations += fmt::format(
        "    T{0}_ = T.allocate([40], \"float32\", \"global\")\n"
        "    T{0} = T.Buffer((40,), data=T{0}_)\n",
        i);
    body += fmt::format("    for i in {}:\n        T{}[i] = {}\n", loop, i, stages[i]);
  }
  return "def f(X: T.Buffer((40,), \"float32\"), Y: T.Buffer((40,), \"float32\")):\n" + allocations + body +
         fmt::format("    for i in range(40):\n        Y[i] = {}\n", last);
}

TEST(ReuseStorage, gives_a_chain_of_stages_two_buffers) {
  const std::string text =
      chain({"X[39 - i]", "T0[39 - i]", "T1[39 - i]", "T2[39 - i]", "T3[39 - i]"}, "T4[i]");
  EXPECT_EQ(allocations(text, "flatten_storage"), Sizes({40, 40, 40, 40, 40}));
  EXPECT_EQ(allocations(text, "reuse_storage"), Sizes({40, 40}));
}

TEST(ReuseStorage, computes_element_by_element_in_place) {
  const std::string text =
      chain({"X[i]", "T0[i] + X[i]", "T1[i] * T1[i]", "T2[i] + T.float32(1.0)"}, "T3[i]");
  EXPECT_EQ(allocations(text, "reuse_storage"), Sizes({40}));
  EXPECT_EQ(allocations(chain({"X[i]", "T0[i] + X[i]"}, "T1[i]", "T.parallel(40)"), "reuse_storage"),
            Sizes({40}));
}

TEST(ReuseStorage, keeps_what_is_still_read) {
  EXPECT_EQ(allocations(chain({"X[i]", "T0[i]"}, "T0[i] + T1[i]"), "reuse_storage"), Sizes({40, 40}));
}

TEST(ReuseStorage, does_not_overwrite_what_other_iterations_read) {
  for (const char* other : {"T0[39 - i]", "T0[(i + 1) % 40]", "T0[0]", "T0[i // 2] + T0[i]"})
    EXPECT_EQ(allocations(chain({"X[i]", other}, "T1[i]"), "reuse_storage"), Sizes({40, 40})) << other;
}

TEST(ReuseStorage, does_not_overwrite_what_the_iteration_reads_later) {
  const std::string text = R"(
def f(X: T.Buffer((40,), "float32"), Y: T.Buffer((40,), "float32"), Z: T.Buffer((40,), "float32")):
    A_ = T.allocate([40], "float32", "global")
    A = T.Buffer((40,), data=A_)
    B_ = T.allocate([40], "float32", "global")
    B = T.Buffer((40,), data=B_)
    for i in range(40):
        A[i] = X[i]
    for i in range(40):
        B[i] = A[i] + T.float32(1.0)
        Z[i] = {}
    for i in range(40):
        Y[i] = B[i]
)";
  EXPECT_EQ(allocations(fmt::format(fmt::runtime(text), "A[i]"), "reuse_storage"), Sizes({40, 40}));
  EXPECT_EQ(allocations(fmt::format(fmt::runtime(text), "B[i]"), "reuse_storage"), Sizes({40}));
}

const std::string of_two = R"(
def f(X: T.Buffer((99,), "{0}"), Y: T.Buffer((99,), "{1}")):
    A_ = T.allocate([{2}], "{0}", "{4}")
    A = T.Buffer(({2},), "{0}", data=A_, scope="{4}")
    B_ = T.allocate([{3}], "{1}", "{5}")
    B = T.Buffer(({3},), "{1}", data=B_, scope="{5}")
    for i in range({2}):
        A[i] = X[i]
    for i in range({2}):
        Y[i] = T.Cast("{1}", A[{2} - 1 - i])
    for i in range({3}):
        B[i] = Y[{3} - 1 - i]
    for i in range({3}):
        Y[i + 40] = B[{3} - 1 - i]
)";

Sizes after(const std::string& a, const std::string& b, int m, int n, const std::string& scope_a = "global",
            const std::string& scope_b = "global") {
  return allocations(fmt::format(fmt::runtime(of_two), a, b, m, n, scope_a, scope_b), "reuse_storage");
}

TEST(ReuseStorage, takes_the_larger_size) {
  EXPECT_EQ(after("float32", "float32", 20, 40), Sizes({40}));
  EXPECT_EQ(after("float32", "float32", 40, 20), Sizes({40}));
}

TEST(ReuseStorage, joins_only_one_type_and_one_scope) {
  EXPECT_EQ(after("float32", "int32", 40, 40), Sizes({40, 40}));
  EXPECT_EQ(after("float32", "float32", 40, 40, "global", "local"), Sizes({40, 40}));
}

TEST(ReuseStorage, leaves_small_memory_and_registers) {
  EXPECT_EQ(after("int8", "int8", 40, 40), Sizes({40, 40}));
  EXPECT_EQ(after("float32", "float32", 40, 40, "register", "register"), Sizes({40, 40}));
}

TEST(ReuseStorage, leaves_memory_whose_address_is_given_away) {
  const std::string text = R"(
def f(X: T.Buffer((40,), "float32"), Y: T.Buffer((40,), "float32")):
    A_ = T.allocate([40], "float32", "global")
    A = T.Buffer((40,), data=A_)
    B_ = T.allocate([40], "float32", "global")
    B = T.Buffer((40,), data=B_)
    T.evaluate(T.call_registered("fill", T.address_of(A[0]), dtype="int32"))
    for i in range(40):
        Y[i] = A[39 - i]
    for i in range(40):
        B[i] = Y[39 - i]
    for i in range(40):
        Y[i] = B[39 - i]
)";
  EXPECT_EQ(allocations(text, "reuse_storage"), Sizes({40, 40}));
}

TEST(ReuseStorage, shares_inside_an_iteration_and_not_with_what_is_outside) {
  const std::string text = R"(
def f(X: T.Buffer((8, 40), "float32"), Y: T.Buffer((8, 40), "float32")):
    for i in T.parallel(8):
        A_ = T.allocate([40], "float32", "global")
        A = T.Buffer((40,), data=A_)
        B_ = T.allocate([40], "float32", "global")
        B = T.Buffer((40,), data=B_)
        for j in range(40):
            A[j] = X[i, j]
        for j in range(40):
            B[j] = A[j] * T.float32(2.0)
        for j in range(40):
            Y[i, j] = B[39 - j]
)";
  EXPECT_EQ(allocations(text, "reuse_storage"), Sizes({40}));
}

}  // namespace

}  // namespace ardea::lower
