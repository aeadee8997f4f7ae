#include "ardea/lower/gpu/joined_dimensions.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/random.h"

namespace ardea::lower {

namespace {

const Var i("i");

Buffer array(const std::vector<std::int64_t>& shape) { return make_buffer("C", shape); }

Stmt stored(const Buffer& buffer, const std::vector<Expr>& indices) {
  return Store{buffer, indices, make_const(1, float32)};
}

/// The statement as text, seen with joined dimensions.
std::string seen(const Buffer& buffer, const std::vector<Expr>& indices) {
  return print(JoinedDimensions().in(stored(buffer, indices)));
}

Expr quotient(const Expr& e, std::int64_t by) { return floor_div(e, make_int(by)); }
Expr remainder(const Expr& e, std::int64_t by) { return floor_mod(e, make_int(by)); }

TEST(JoinedDimensions, are_those_of_quotients_and_remainders) {
  EXPECT_EQ(seen(array({7, 4}), {quotient(i, 4), remainder(i, 4)}), "C[i] = T.float32(1.0)\n");
  EXPECT_EQ(seen(array({7, 3, 4}), {quotient(i, 12), remainder(quotient(i, 4), 3), remainder(i, 4)}),
            "C[i] = T.float32(1.0)\n");
  EXPECT_EQ(seen(array({7, 3, 4}), {i, remainder(quotient(i, 4), 3), remainder(i, 4)}),
            "C[i, i % 12] = T.float32(1.0)\n");
  EXPECT_EQ(seen(array({7, 4, 5}), {quotient(i + 1, 4), remainder(i + 1, 4), remainder(i, 5)}),
            "C[i + 1, i % 5] = T.float32(1.0)\n");
}

TEST(JoinedDimensions, are_no_others) {
  for (const auto& [shape, indices] : std::vector<std::pair<std::vector<std::int64_t>, std::vector<Expr>>>{
           {{7, 5}, {quotient(i, 4), remainder(i, 4)}},      // rows are longer
           {{7, 4}, {quotient(i, 5), remainder(i, 4)}},      // of other numbers
           {{7, 4}, {quotient(i, 4), remainder(i + 1, 4)}},  // of another one
           {{7, 4}, {remainder(i, 4), quotient(i, 4)}},      // the other way round
           {{7, 4}, {remainder(quotient(i, 5), 3), remainder(i, 4)}}}) {
    const Stmt s = stored(array(shape), indices);
    EXPECT_EQ(print(JoinedDimensions().in(s)), print(s));
  }
}

TEST(JoinedDimensions, of_an_array_are_the_same_buffer_everywhere) {
  const Buffer c = array({7, 4});
  JoinedDimensions joined;
  const Stmt once = joined.in(stored(c, {quotient(i, 4), remainder(i, 4)})),
             again = joined.in(stored(c, {quotient(i + 4, 4), remainder(i + 4, 4)}));
  EXPECT_TRUE(once.as<Store>()->buffer == again.as<Store>()->buffer);
  EXPECT_TRUE(once.as<Store>()->buffer->data == c->data);
}

/// The element's number in memory at i = value.
std::int64_t place(const Store& store, std::int64_t value) {
  std::int64_t at = 0;
  const arith::Analyzer none;
  for (std::size_t d = 0; d < store.indices.size(); ++d)
    at = at * *constant_int(store.buffer->shape[d]) +
         *constant_int(none.simplify(substitute(store.indices[d], i, make_int(value))));
  return at;
}

TEST(JoinedDimensions, have_the_elements_where_they_were) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    std::vector<std::int64_t> shape;
    for (std::int64_t d = random.integer(2, 4); d > 0; --d) shape.push_back(random.integer(1, 5));
    // Digits of a number, most of them by the extents.
    const Expr number = i * random.integer(1, 3) + random.integer(0, 9);
    std::vector<Expr> indices(shape.size());
    std::int64_t weight = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const Expr from = weight == 1 ? number : quotient(number, weight);
      indices[d] = d == 0 && random.chance(0.7) ? from : remainder(from, shape[d]);
      weight *= random.chance(0.9) ? shape[d] : random.integer(1, 5);
    }
    const Stmt before = stored(array(shape), indices);
    const Stmt after = JoinedDimensions().in(before);
    for (std::int64_t value = 0; value < 40; ++value)
      EXPECT_EQ(place(*before.as<Store>(), value), place(*after.as<Store>(), value))
          << print(before) << print(after);
  }
}

}  // namespace

}  // namespace ardea::lower
