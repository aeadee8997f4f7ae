#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ardea/arith/iter_map.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "random_nest.h"

/// What iter_map.h claims of random bindings against the enumeration of all iterations.

namespace ardea::arith_tests {
namespace {

struct MapClaims {
  int maps = 0, injective = 0, of_dependent = 0, determined = 0, surjective = 0, fills = 0, inverted = 0;
};

class MapJudge {
 public:
  MapJudge(const RandomNest& nest, const std::vector<Expr>& bindings, const std::vector<Point>& points,
           MapClaims& claims)
      : nest_(nest), bindings_(bindings), points_(points), claims_(claims) {
    for (const Point& point : points) {
      images_.emplace_back();
      for (const Expr& binding : bindings) images_.back().push_back(evaluate(binding, point));
    }
  }

  void run() {
    const auto map = arith::iter_map(bindings_, nest_.loops, nest_.guard, {});
    if (!map) return;
    ++claims_.maps;
    for (std::size_t k = 0; k < nest_.loops.size(); ++k)
      if (map->determined[k]) determined(k);
    if (map->injective) injective();
    if (map->surjective) surjective(*map);
    if (is_true(nest_.guard))
      for (std::size_t b = 0; b < bindings_.size(); ++b)
        if (map->bindings[b].fills) fills(map->bindings[b], b);
    if (const auto back = arith::inverse(*map, values_, nest_.loops, {})) inverted(*back);
  }

  void give_names() {
    for (std::size_t b = 0; b < bindings_.size(); ++b) {
      names_.emplace_back(fmt::format("x{}", b));
      values_.push_back(names_.back());
    }
  }

 private:
  std::string text() const {
    std::string out = to_text(nest_);
    for (const Expr& binding : bindings_) out += "\n  " + print(binding);
    return out;
  }

  void determined(std::size_t k) {
    ++claims_.determined;
    std::map<Values, std::int64_t> seen;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      const std::int64_t value = points_[p].at(nest_.loops[k].first);
      EXPECT_EQ(seen.emplace(images_[p], value).first->second, value)
          << "loop " << k << " is not determined: " << text();
    }
  }

  void injective() {
    ++claims_.injective;
    for (const auto& [var, range] : nest_.loops)
      if (arith::uses_any(range.min, nest_.loops) || arith::uses_any(range.extent, nest_.loops)) {
        ++claims_.of_dependent;
        break;
      }
    EXPECT_EQ(std::set<Values>(images_.begin(), images_.end()).size(), images_.size())
        << "is not injective: " << text();
  }

  void surjective(const arith::IterMap& map) {
    ++claims_.surjective;
    std::size_t size = 1;
    for (const arith::MixedRadix& binding : map.bindings)
      size *= static_cast<std::size_t>(evaluate(binding.extent, {}));
    const std::set<Values> reached(images_.begin(), images_.end());
    EXPECT_EQ(reached.size(), size) << "is not surjective: " << text();
    for (const Values& image : reached)
      for (std::size_t b = 0; b < image.size(); ++b) {
        const std::int64_t value = image[b] - evaluate(map.bindings[b].base, {});
        EXPECT_TRUE(value >= 0 && value < evaluate(map.bindings[b].extent, {})) << text();
      }
  }

  void fills(const arith::MixedRadix& binding, std::size_t b) {
    ++claims_.fills;
    std::set<std::int64_t> reached, expected;
    for (const Values& image : images_) reached.insert(image[b] - evaluate(binding.base, {}));
    for (std::int64_t v = 0; v < evaluate(binding.extent, {}); ++v) expected.insert(v);
    EXPECT_EQ(reached, expected) << "binding " << b << " leaves values out: " << text();
  }

  void inverted(const std::vector<std::pair<Var, Expr>>& back) {
    ++claims_.inverted;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      Point at;
      for (std::size_t b = 0; b < names_.size(); ++b) at[names_[b]] = images_[p][b];
      for (const auto& [var, value] : back)
        EXPECT_EQ(evaluate(value, at), points_[p].at(var))
            << "wrong inverse " << print(value) << ": " << text();
    }
  }

  const RandomNest& nest_;
  const std::vector<Expr>& bindings_;
  const std::vector<Point>& points_;
  MapClaims& claims_;
  std::vector<Values> images_;
  std::vector<Var> names_;
  std::vector<Expr> values_;
};

TEST(IterMapOracle, what_is_claimed_holds_for_all_iterations) {
  MapClaims claims;
  for (std::uint64_t seed = 1; seed <= cases(8000); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const RandomNest nest = random_nest_of_dependent_loops(random);
    const auto points = iterations_of(nest, 150);
    if (!points || points->empty()) continue;
    std::vector<Expr> bindings;
    for (std::int64_t count = random.integer(1, 3); count > 0; --count)
      bindings.push_back(random_index(random, nest));
    if (random.chance(0.3)) {  // whole tiles of a sum that begins within one
      const Expr shifted = random_index(random, nest) + random.integer(-1, 4);
      const std::int64_t tile = random.integer(2, 5);
      bindings.push_back(floor_div(shifted, tile));
      bindings.push_back(floor_mod(shifted, tile));
    }
    MapJudge judge(nest, bindings, *points, claims);
    judge.give_names();
    judge.run();
    if (HasFailure()) break;
  }
  fmt::print(
      "{} maps, {} injective ({} with dependent ranges), {} loops determined, {} surjective, {} full "
      "bindings, {} inverses\n",
      claims.maps, claims.injective, claims.of_dependent, claims.determined, claims.surjective, claims.fills,
      claims.inverted);
  const auto share = [](int per_thousand) { return static_cast<int>(cases(8000)) * per_thousand / 1000; };
  EXPECT_GT(claims.injective, share(200));
  EXPECT_GT(claims.of_dependent, share(60));
  EXPECT_GT(claims.determined, share(600));
  EXPECT_GT(claims.surjective, share(80));
  EXPECT_GT(claims.fills, share(250));
  EXPECT_GT(claims.inverted, share(100));
}

}  // namespace
}  // namespace ardea::arith_tests
