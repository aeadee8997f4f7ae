#include <gtest/gtest.h>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
#include "programs.h"

/// Loops that are marked to be copies of boxes, and copies that are ones: the same answers. Elements of
/// arrays of two dimensions; of three and more tests/arith/copied_box.cc has indices, tests/gpu_rules
/// products.

namespace ardea::lower {

namespace {

Function with_boxes(const Function& f, const target::Target& target) {
  for (const Pass& pass : pipeline(target))
    if (pass.name == "box_copies") return pass.run(f, target);
  return f;
}

struct Copy {
  std::int64_t rows = 40, columns = 72, box_rows = 32, box_columns = 16, versions = 2;
  std::string thread = "t == 0",
              value = "T.if_then_else(i + 20 < 40 and b * 16 + j < 72, X[i + 20, b * 16 + j], T.float16(0))",
              to = "1, i, j", annotations = "\"async_copies\": 1";
};

Function copying(const Copy& c) {
  return function_of(fmt::format(R"(# from tvm.script import tir as T
@T.prim_func
def copied(X: T.Buffer(({}, {}), "float16"), Y: T.Buffer((5, {}, {}), "float16")):
    T.func_attr({{"concurrent_threads": T.bool(True)}})
    for b in T.thread_binding(5, thread="blockIdx.x"):
        for t in T.thread_binding(4, thread="threadIdx.x"):
            S = T.allocate([{}, {}, {}], "float16", "shared", annotations={{{}}})
            S_1 = T.Buffer(({}, {}, {}), "float16", data=S, scope="shared")
            if {}:
                for i in T.serial({}, annotations={{"box_copy": 1}}):
                    for j in range({}):
                        S_1[{}] = {}
            T.async_commit()
            T.async_wait(0)
            T.barrier("shared")
            for i in range(({} - t + 3) // 4):
                for j in range({}):
                    Y[b, i * 4 + t, j] = S_1[{}, i * 4 + t, j]
)",
                                 c.rows, c.columns, c.box_rows, c.box_columns, c.versions, c.box_rows,
                                 c.box_columns, c.annotations, c.versions, c.box_rows, c.box_columns,
                                 c.thread, c.box_rows, c.box_columns, c.to, c.value, c.box_rows,
                                 c.box_columns, c.to.substr(0, c.to.find(','))));
}

bool has_box(const Function& f) {
  bool found = false;
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    found = found || (call != nullptr && call->op->name == "async_copy_box");
  });
  return found;
}

/// An index of the array, from a block's first one on.
struct Index {
  std::int64_t step, first;

  std::string text(const char* in_box) const { return fmt::format("b * {} + {} + {}", step, in_box, first); }

  /// Whether it is ever one of so many.
  bool reaches(std::int64_t extent, std::int64_t in_box, std::int64_t block) const {
    return block * step + first < extent && block * step + first + in_box > 0;
  }
};

TEST(BoxCopies, have_the_answers_of_the_loops) {
  int count = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    Copy c{.rows = random.integer(1, 40),
           .columns = 8 * random.integer(1, 9),
           .box_rows = random.integer(1, 20),
           .box_columns = 8 * random.integer(1, 4)};
    const Index row{random.integer(0, 9), random.integer(-12, 9)},
        column{random.integer(0, 20), -4 * random.integer(0, 5)};
    bool brings_anything = false;
    for (std::int64_t block = 0; block < 5; ++block)
      brings_anything = brings_anything || (row.reaches(c.rows, c.box_rows, block) &&
                                            column.reaches(c.columns, c.box_columns, block));
    if (!brings_anything) continue;  // from conditions that exclude each other nothing is proved
    ++count;
    c.to = fmt::format("{}, i, j", random.integer(0, 1));
    c.value = fmt::format(
        "T.if_then_else(0 <= {0} and {0} < {2} and 0 <= {1} and {1} < {3}, X[{0}, {1}], T.float16(0))",
        row.text("i"), column.text("j"), c.rows, c.columns);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, c.value));
    const Function loops = copying(c), boxes = with_boxes(loops, gpu());
    EXPECT_TRUE(has_box(boxes)) << print(boxes);
    const runtime::Array x = runtime::Array::zeros({c.rows, c.columns}, float16);
    for (std::int64_t i = 0; i < x.element_count(); ++i) x.set_float(i, static_cast<double>(1 + i % 2000));
    std::vector<runtime::Array> made;
    for (const Function& f : {loops, boxes}) {
      made.push_back(runtime::Array::zeros({5, c.box_rows, c.box_columns}, float16));
      interp::run(f, {x, made.back()}, {.seed = seed});
    }
    for (std::int64_t i = 0; i < made[0].element_count(); ++i)
      ASSERT_EQ(made[0].get_float(i), made[1].get_float(i)) << print(boxes);
  }
  EXPECT_GT(count, 40);
}

TEST(BoxCopies, stay_loops_where_no_unit_is) {
  EXPECT_FALSE(has_box(with_boxes(copying({}), target::find("a100"))));
}

std::string refusal(const Copy& c) {
  try {
    with_boxes(copying(c), gpu());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const Copy& c, const std::string& fact) {
  EXPECT_EQ(refusal(c), "lower copied: loop i is to be a copy of a box, but " + fact +
                            "; take the annotation box_copy from it");
}

TEST(BoxCopies, say_what_keeps_them_from_being_ones) {
  EXPECT_EQ(refusal({}), "");
  expect_refused(
      {.value = "X[i, j] * T.float16(2)"},
      "the store does more than to move an element of the device's memory, or 0 where there is none");
  expect_refused({.annotations = ""},
                 "nothing waits for what it brings: it stands in no pipeline, or one that is not understood");
  expect_refused({.thread = "t == 1"}, "it is not the first thread of the block that does it, and no other");
  expect_refused({.thread = "t < 2"}, "it is not the first thread of the block that does it, and no other");
  for (const char* to : {"1, i, 15 - j", "1, 31 - i, j", "1, j, i"})
    expect_refused({.to = to}, "what it fills are no whole rows of shared memory, one behind the other");
  for (const char* value : {"X[i, j * 2]", "X[j, i]", "T.if_then_else(i < 7, X[i, j], T.float16(0))"})
    expect_refused(
        {.value = value},
        "what it reads is not proved to be a box of an array of known size, nor what windows see of "
        "images");
  expect_refused({.rows = 300, .box_rows = 257, .value = "X[i, j]"},
                 "the unit copies fewer rows or columns at a time");
  expect_refused({.columns = 70, .value = "X[i, j]"},
                 "rows do not begin on multiples of as many bytes as the unit wants");
  expect_refused({.box_columns = 12, .value = "X[i, j]"},
                 "rows do not begin on multiples of as many bytes as the unit wants");
}

}  // namespace

}  // namespace ardea::lower
