#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "ardea/arith/dependence.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/print.h"
#include "random_nest.h"

/// What dependence.h claims of random nests against all their iterations: every two accesses that meet must
/// be among its conflicts, with a distance that these allow.

namespace ardea::arith_tests {
namespace {

using arith::Conflict;
using arith::Signs;

/// One store, or the load of its value.
struct Site {
  std::vector<Expr> indices;
  bool write;
};

struct Program {
  RandomNest nest;
  std::vector<Stmt> statements;
  std::vector<std::vector<Site>> sites;  ///< of each statement: the store, then what it loads
  std::vector<Expr> guards;              ///< of each statement, beside that of the nest
};

Program random_accesses(Random& random) {
  Program program{random_nest_of_dependent_loops(random), {}, {}, {}};
  const auto rank = static_cast<std::size_t>(random.integer(1, 2));
  const Buffer buffer = make_buffer("A", std::vector<Expr>(rank, make_int(4000)), float32);
  const auto element = [&] {
    std::vector<Expr> indices;
    for (std::size_t d = 0; d < rank; ++d) indices.push_back(random_index(random, program.nest) + 1000);
    return indices;
  };
  for (std::int64_t count = random.integer(1, 2); count > 0; --count) {
    const bool again = !program.sites.empty() && random.chance(0.4);
    std::vector<Site> sites = {{again ? program.sites[0][0].indices : element(), true}};
    Expr value = make_float(1.0);
    if (random.chance(0.4)) {
      sites.push_back({random.chance(0.5) ? sites[0].indices : element(), false});
      value = make_load(buffer, sites[1].indices);
    }
    const Stmt store = Store{buffer, sites[0].indices, value};
    const bool guarded = random.chance(0.25);
    program.guards.push_back(guarded ? random_guard(random, program.nest) : make_bool(true));
    program.statements.push_back(guarded ? Stmt(If{program.guards.back(), store, {}}) : store);
    program.sites.push_back(std::move(sites));
  }
  return program;
}

/// The part of a program that is asked about: loops around it, those listed, the rest inside.
struct Asked {
  std::size_t first, end;  ///< of the loops listed
  std::vector<Loop> loops;
  arith::Analyzer facts;

  Stmt inside(const Program& program, Stmt s) const {
    if (!is_true(program.nest.guard)) s = If{program.nest.guard, s, {}};
    for (std::size_t k = program.nest.loops.size(); k-- > end;) {
      const auto& [var, range] = program.nest.loops[k];
      s = make_for(var, range.min, range.extent, s);
    }
    return s;
  }
};

Asked random_part(Random& random, const Program& program) {
  const auto depth = static_cast<std::int64_t>(program.nest.loops.size());
  const auto first = random.chance(0.6) ? 0 : random.integer(0, depth - 1);
  const auto end = random.integer(first + 1, depth);
  Asked asked{static_cast<std::size_t>(first), static_cast<std::size_t>(end), {}, {}};
  for (std::size_t k = 0; k < asked.end; ++k)
    if (const auto& [var, range] = program.nest.loops[k]; k < asked.first)
      asked.facts.bind(var, range);
    else
      asked.loops.emplace_back(var, range);
  return asked;
}

/// One access that happens.
struct Touch {
  std::size_t statement, site;
  Point at;
  Values around, iteration, element;
  bool write;
  std::size_t time;
};

std::vector<Touch> touches_of(const Program& program, const Asked& asked, const std::vector<Point>& points) {
  std::vector<Touch> all;
  for (const Point& point : points) {
    Values around, iteration;
    for (std::size_t k = 0; k < asked.end; ++k)
      (k < asked.first ? around : iteration).push_back(point.at(program.nest.loops[k].first));
    for (std::size_t s = 0; s < program.sites.size(); ++s)
      for (std::size_t i = 0; i < program.sites[s].size(); ++i) {
        if (evaluate(program.guards[s], point) == 0) continue;
        Touch touch{s, i, point, around, iteration, {}, program.sites[s][i].write, all.size()};
        for (const Expr& index : program.sites[s][i].indices) touch.element.push_back(evaluate(index, point));
        all.push_back(std::move(touch));
      }
  }
  return all;
}

bool holds(const BufferRegion& region, const Touch& touch) {
  for (std::size_t d = 0; d < region.region.size(); ++d) {
    const std::int64_t low = evaluate(region.region[d].min, touch.at);
    if (touch.element[d] < low || touch.element[d] >= low + evaluate(region.region[d].extent, touch.at))
      return false;
  }
  return true;
}

bool allows(const Conflict& conflict, const Touch& first, const Touch& second) {
  if (!holds(conflict.first, first) || !holds(conflict.second, second)) return false;
  for (std::size_t k = 0; k < first.iteration.size(); ++k) {
    const std::int64_t distance = second.iteration[k] - first.iteration[k];
    const Signs& signs = conflict.distance[k];
    if (!(distance < 0 ? signs.negative : distance == 0 ? signs.zero : signs.positive)) return false;
  }
  return true;
}

/// Calls `see` with every two touches that meet, the one that stands first in the program first.
template <class See>
void each_meeting(const std::vector<Touch>& touches, const See& see) {
  std::map<std::pair<Values, Values>, std::vector<const Touch*>> by_element;
  for (const Touch& touch : touches) by_element[{touch.around, touch.element}].push_back(&touch);
  for (const auto& [element, list] : by_element)
    for (const Touch* a : list)
      for (const Touch* b : list)
        if (a != b && (a->write || b->write) &&
            std::pair(a->statement, a->site) <= std::pair(b->statement, b->site))
          see(*a, *b);
}

struct DependenceClaims {
  int nests = 0, conflicts = 0, signs = 0, free_loops = 0, free_inner = 0, free_dependent = 0, orders = 0,
      forwards = 0;
};

class Judge {
 public:
  Judge(const Program& program, const Asked& asked, const std::vector<Point>& points,
        DependenceClaims& claims)
      : program_(program), asked_(asked), touches_(touches_of(program, asked, points)), claims_(claims) {}

  void run(Random& random) {
    const Stmt body = asked_.inside(program_, make_seq(program_.statements));
    const std::vector<Conflict> found = arith::conflicts(body, asked_.loops, asked_.facts, true);
    claims_.conflicts += static_cast<int>(found.size());
    for (const Conflict& conflict : found)
      for (const Signs& signs : conflict.distance) claims_.signs += !signs.negative + !signs.positive;
    every_meeting_is_known(found);
    loops_that_carry_nothing(found);
    if (!has_dependent_ranges()) order_is_kept(random, found);
    if (program_.statements.size() == 2) runs_forwards();
  }

 private:
  bool has_dependent_ranges() const {
    return std::any_of(asked_.loops.begin(), asked_.loops.end(), [&](const Loop& loop) {
      return arith::uses_any(loop.second.min, asked_.loops) ||
             arith::uses_any(loop.second.extent, asked_.loops);
    });
  }

  std::string text(const Touch& a, const Touch& b) const {
    std::string out = to_text(program_.nest);
    for (std::size_t s = 0; s < program_.sites.size(); ++s)
      for (const Site& site : program_.sites[s]) {
        out += "\n  if " + print(program_.guards[s]);
        out += site.write ? " write" : " read";
        for (const Expr& index : site.indices) out += " [" + print(index) + "]";
      }
    out += fmt::format("\n  asked of loops {} to {}; iterations", asked_.first, asked_.end);
    for (const Touch* touch : {&a, &b}) {
      for (const auto& [var, range] : program_.nest.loops)
        out += fmt::format(" {}={}", var.name(), touch->at.at(var));
      out += touch == &a ? " and" : "";
    }
    return out;
  }

  void every_meeting_is_known(const std::vector<Conflict>& found) {
    bool told = false;
    each_meeting(touches_, [&](const Touch& a, const Touch& b) {
      const bool known = a.iteration == b.iteration ||
                         std::any_of(found.begin(), found.end(),
                                     [&](const Conflict& conflict) { return allows(conflict, a, b); });
      if (!known && !told) ADD_FAILURE() << "a conflict is not known: " << text(a, b);
      told = told || !known;
    });
  }

  void loops_that_carry_nothing(const std::vector<Conflict>& found) {
    for (std::size_t k = 0; k < asked_.loops.size(); ++k) {
      if (std::any_of(found.begin(), found.end(), [&](const Conflict& c) { return arith::carries(c, k); }))
        continue;
      bool runs = false;
      for (const Touch& touch : touches_)
        runs = runs || (touch.around == touches_[0].around && touch.iteration[k] != touches_[0].iteration[k]);
      claims_.free_loops += runs;
      claims_.free_inner += runs && asked_.end < program_.nest.loops.size();
      claims_.free_dependent +=
          runs && std::any_of(program_.nest.loops.begin(), program_.nest.loops.end(),
                              [&](const Loop& loop) { return uses_loop(loop.second, asked_.loops[k]); });
      each_meeting(touches_, [&](const Touch& a, const Touch& b) {
        const bool same_before = std::equal(
            a.iteration.begin(), a.iteration.begin() + static_cast<std::ptrdiff_t>(k), b.iteration.begin());
        EXPECT_TRUE(!same_before || a.iteration[k] == b.iteration[k])
            << "loop " << asked_.loops[k].first.name() << " carries: " << text(a, b);
      });
    }
  }

  static bool uses_loop(const Range& range, const Loop& loop) {
    return arith::uses_any(range.min, {loop}) || arith::uses_any(range.extent, {loop});
  }

  void order_is_kept(Random& random, const std::vector<Conflict>& found) {
    std::vector<std::size_t> order(asked_.loops.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = order.size(); k > 1; --k)
      std::swap(order[k - 1],
                order[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(k) - 1))]);
    if (std::is_sorted(order.begin(), order.end())) return;
    if (std::any_of(found.begin(), found.end(),
                    [&](const Conflict& conflict) { return arith::order_breaks(conflict, order); }))
      return;
    ++claims_.orders;
    const auto key = [&](const Touch& touch) {
      Values moved;
      for (const std::size_t k : order) moved.push_back(touch.iteration[k]);
      return moved;
    };
    each_meeting(touches_, [&](const Touch& a, const Touch& b) {
      if (a.iteration == b.iteration) return;
      EXPECT_EQ(a.time < b.time, key(a) < key(b)) << "changes places: " << text(a, b);
    });
  }

  void runs_forwards() {
    const std::vector<Conflict> between =
        arith::conflicts_between(asked_.inside(program_, program_.statements[0]),
                                 asked_.inside(program_, program_.statements[1]), asked_.loops, asked_.facts);
    if (std::any_of(between.begin(), between.end(), arith::runs_backwards)) return;
    ++claims_.forwards;
    each_meeting(touches_, [&](const Touch& a, const Touch& b) {
      EXPECT_TRUE(a.statement == b.statement || a.iteration <= b.iteration)
          << "runs backwards: " << text(a, b);
    });
  }

  const Program& program_;
  const Asked& asked_;
  const std::vector<Touch> touches_;
  DependenceClaims& claims_;
};

TEST(DependenceOracle, no_meeting_of_two_iterations_is_missed) {
  DependenceClaims claims;
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Program program = random_accesses(random);
    const auto points = iterations_of(program.nest, 150);
    if (!points || points->size() < 2) continue;
    ++claims.nests;
    const Asked asked = random_part(random, program);
    Judge(program, asked, *points, claims).run(random);
    if (HasFailure()) break;
  }
  fmt::print(
      "{} nests, {} conflicts, {} signs ruled out; loops that carry nothing: {}, of these {} with loops "
      "inside and {} in bounds; {} orders, {} merges\n",
      claims.nests, claims.conflicts, claims.signs, claims.free_loops, claims.free_inner,
      claims.free_dependent, claims.orders, claims.forwards);
  const auto share = [](int per_thousand) { return static_cast<int>(cases(1000)) * per_thousand / 1000; };
  EXPECT_GT(claims.nests, share(700));
  EXPECT_GT(claims.signs, share(2500));
  EXPECT_GT(claims.free_loops, share(250));
  EXPECT_GT(claims.free_inner, share(50));
  EXPECT_GT(claims.free_dependent, share(50));
  EXPECT_GT(claims.orders, share(15));
  EXPECT_GT(claims.forwards, share(150));
}

}  // namespace
}  // namespace ardea::arith_tests
