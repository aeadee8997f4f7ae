#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ardea/codegen/llvm/codegen.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/random.h"
#include "tests/codegen/lowered.h"

/// Lanes that lie some elements apart: the right ones, and nothing outside of the array is touched.

namespace ardea::test {
namespace {

using runtime::Array;

/// Memory whose first byte follows, or whose last byte precedes, what nobody may touch.
class Fenced {
 public:
  explicit Fenced(std::int64_t bytes)
      : page_(sysconf(_SC_PAGESIZE)), bytes_(bytes), inner_(ceil_div(bytes, page_) * page_) {
    void* all = mmap(nullptr, static_cast<std::size_t>(inner_ + 2 * page_), PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(all, MAP_FAILED);
    begin_ = static_cast<char*>(all);
    EXPECT_EQ(mprotect(begin_ + page_, static_cast<std::size_t>(inner_), PROT_READ | PROT_WRITE), 0);
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { munmap(begin_, static_cast<std::size_t>(inner_ + 2 * page_)); }

  char* at_begin() const { return begin_ + page_; }
  char* at_end() const { return begin_ + page_ + inner_ - bytes_; }

 private:
  std::int64_t page_, bytes_, inner_;
  char* begin_ = nullptr;
};

/// out[(i · columns + j) · lanes + lane] = a[i · down + j · right + first + lane · stride]
struct Reading {
  DataType type;
  int lanes;
  std::int64_t stride, rows, columns, down, right, first, room;
  bool is_named;  ///< what does not change with the column has a name

  std::int64_t place(std::int64_t i, std::int64_t j, std::int64_t lane) const {
    return i * down + j * right + first + lane * stride;
  }
  std::int64_t elements() const { return place(rows - 1, columns - 1, lanes - 1) + 1 + room; }
};

Function reading(const Reading& r, const std::string& name) {
  const Buffer a = flat("a", r.elements(), r.type), out = flat("out", r.rows * r.columns * r.lanes, r.type);
  const Stmt body = loop(r.rows, [&](const Var& i) -> Stmt {
    const Expr row = i * r.down + r.first;
    const Var named("row");
    const Stmt columns = loop(r.columns, [&](const Var& j) {
      const Expr at = (r.is_named ? Expr(named) : row) + j * r.right;
      return make_store(out, {make_ramp((i * r.columns + j) * r.lanes, make_int(1), r.lanes)},
                        make_load(a, {make_ramp(at, make_int(r.stride), r.lanes)}));
    });
    return r.is_named ? Stmt(LetStmt{named, row, columns}) : columns;
  });
  return entry(name, {a, out}, body);
}

Reading some_reading(Random& random) {
  Reading r{.type = random.pick(
                std::vector<DataType>{float32, float32, int8, uint16, int32, float64, boolean, float16}),
            .lanes = static_cast<int>(random.integer(2, 21)),
            .stride = random.integer(2, 5),
            .rows = random.integer(1, 3),
            .columns = random.integer(1, 4),
            .down = random.integer(0, 40),
            .right = random.integer(0, 20),
            .first = random.integer(0, 5),
            .room = random.chance(0.5) ? 0 : random.integer(0, 12),
            .is_named = random.chance(0.5)};
  if (random.chance(0.5)) r.down = r.down / r.stride * r.stride;
  if (random.chance(0.7)) r.right = r.lanes * r.stride;
  return r;
}

TEST(StridedLoads, read_their_lanes_and_nothing_outside) {
  constexpr std::uint64_t seed = 7;
  Random random(seed);
  std::vector<Reading> all;
  std::vector<Function> functions;
  for (int i = 0; i < 200; ++i) {
    all.push_back(some_reading(random));
    functions.push_back(reading(all.back(), "read_" + std::to_string(i)));
  }
  const runtime::Module module = load("strided", functions, host(), {});
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Reading& r = all[n];
    const Fenced memory(r.elements() * r.type.bytes());
    for (char* data : {memory.at_begin(), memory.at_end()}) {
      const Array source = Array::view(data, {r.elements()}, r.type);
      for (std::int64_t i = 0; i < r.elements(); ++i)
        source.set_bits(i, r.type.is_bool() ? random.next() % 2 : random.next());
      const Array answer = Array::zeros({r.rows * r.columns * r.lanes}, r.type);
      module.get_function("read_" + std::to_string(n))(source, answer);
      for (std::int64_t i = 0; i < r.rows; ++i)
        for (std::int64_t j = 0; j < r.columns; ++j)
          for (std::int64_t lane = 0; lane < r.lanes; ++lane)
            ASSERT_EQ(answer.get_bits((i * r.columns + j) * r.lanes + lane),
                      source.get_bits(r.place(i, j, lane)))
                << "seed " << seed << ", case " << n << ": " << to_string(r.type) << " x " << r.lanes
                << ", stride " << r.stride << ", lane " << lane;
    }
  }
}

/// a[i * 8 + first + 2 * lane] for four lanes; with `more`, a[… + 1 …] added to them.
std::string text_of(std::int64_t elements, std::int64_t first, bool more = false) {
  const Buffer a = flat("a", elements, float32), out = flat("out", 400, float32);
  const Stmt body = loop(100, [&](const Var& i) {
    const auto lanes = [&](std::int64_t at) { return make_load(a, {make_ramp(i * 8 + at, make_int(2), 4)}); };
    return make_store(out, {make_ramp(i * 4, make_int(1), 4)},
                      more ? lanes(first) + lanes(first + 1) : lanes(first));
  });
  return codegen::llvm_ir(std::vector{entry("read", {a, out}, body)}, target::find("neoverse-v1"),
                          {.optimization_level = 1});
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

/// The last group of an array of 800 ends with it. Lanes at odd places are in the same groups;
/// from an odd place on, the group that begins there does not end in the array.
TEST(StridedLoads, are_groups_of_neighbours_where_these_are_inside) {
  EXPECT_EQ(count(text_of(800, 0), "load <4 x float>"), 2U);
  EXPECT_EQ(count(text_of(800, 1), "load <4 x float>"), 2U);
  EXPECT_EQ(count(text_of(800, 0, true), "load <4 x float>"), 2U) << "even and odd places share a group";
  EXPECT_EQ(count(text_of(799, 0, true), "load <4 x float>"), 4U) << "each reads its own";
  EXPECT_EQ(text_of(799, 0).find("gather"), std::string::npos);
}

}  // namespace
}  // namespace ardea::test
