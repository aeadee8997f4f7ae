#include "ardea/space/search.h"

#include <algorithm>

#include "ardea/space/evaluate.h"

namespace ardea::space {
namespace {

class Search {
 public:
  Search(const Engine& engine, Engine::Scratch& scratch, std::span<const Constraint> extra,
         const ValueOrder& order, const SearchLimits& limits)
      : engine_(engine), scratch_(scratch), extra_(extra), order_(order), limits_(limits) {}

  Found run() {
    start_ = scratch_.work;
    if (!engine_.begin(scratch_, extra_)) return {Answer::no};
    const Answer answer = below();
    return answer == Answer::yes ? Found{Answer::yes, std::move(point_)} : Found{answer};
  }

 private:
  Answer below() {
    const Store& store = scratch_.store;
    int knob = -1;
    std::uint64_t fewest = 0;
    for (const Var v : engine_.system().knobs()) {
      const std::uint64_t count = store.count(v.index);
      if (count > 1 && (knob < 0 || count < fewest)) knob = v.index, fewest = count;
    }
    if (knob < 0) return leaf();
    const State here = store.state();
    // A long range is halved, not listed.
    if (!engine_.layout().is_listed(knob) && fewest > most_tried) return halves(knob, here);
    std::vector<std::int64_t> values;
    if (engine_.layout().is_listed(knob)) {
      store.for_each(knob, [&](std::int64_t value) { values.push_back(value); });
    } else {
      values =
          engine_.layout().domain(knob).intersect(Domain::range(store.low(knob), store.high(knob))).values();
    }
    order_(knob, values);
    bool undecided = false;
    for (const std::int64_t value : values) {
      const Answer answer = with(here, [&](Store& s) { return s.assign(knob, value); });
      if (answer == Answer::yes) return answer;
      undecided = undecided || answer == Answer::undecided;
      if (spent()) return Answer::undecided;
    }
    return undecided ? Answer::undecided : Answer::no;
  }

  Answer halves(int knob, const State& here) {
    const auto k = static_cast<std::size_t>(knob);
    const std::int64_t middle = here.low[k] + (here.high[k] - here.low[k]) / 2;
    std::vector<std::int64_t> ends = {here.low[k], here.high[k]};
    order_(knob, ends);
    bool undecided = false;
    for (const std::int64_t end : ends) {
      const Answer answer = with(here, [&](Store& s) {
        return end == here.low[k] ? s.set_high(knob, middle)
                                  : s.set_low(knob, static_cast<__int128>(middle) + 1);
      });
      if (answer == Answer::yes) return answer;
      undecided = undecided || answer == Answer::undecided;
      if (spent()) return Answer::undecided;
    }
    return undecided ? Answer::undecided : Answer::no;
  }

  template <class Change>
  Answer with(const State& here, Change&& change) {
    scratch_.store.state() = here;
    scratch_.store.changed().clear();
    ++scratch_.work;
    if (!change(scratch_.store) || !engine_.propagate(scratch_, extra_)) return Answer::no;
    if (spent()) return Answer::undecided;
    return below();
  }

  /// With constraints left out, a defined variable may be open although the knobs are not: its values are
  /// searched.
  Answer leaf() {
    const State here = scratch_.store.state();
    for (int v = 0; v < engine_.layout().size(); ++v) {
      if (scratch_.store.fixed(v)) continue;
      if (engine_.is_enabled(engine_.system().variables()[static_cast<std::size_t>(v)].definition)) continue;
      if (scratch_.store.count(v) > most_tried) return halves(v, here);
      bool undecided = false;
      const Domain left =
          engine_.layout().domain(v).intersect(Domain::range(scratch_.store.low(v), scratch_.store.high(v)));
      for (const std::int64_t value : left.values()) {
        const Answer answer = with(here, [&](Store& s) { return s.assign(v, value); });
        if (answer == Answer::yes) return answer;
        undecided = undecided || answer == Answer::undecided;
        if (spent()) return Answer::undecided;
      }
      return undecided ? Answer::undecided : Answer::no;
    }
    point_ = scratch_.store.state().low;
    return decided() ? Answer::yes : Answer::no;
  }

  /// Propagation has decided all constraints and computed what is defined, unless it was cut off.
  bool decided() {
    bool open = false;
    for (int v = 0; v < engine_.layout().size(); ++v) open = open || !scratch_.store.fixed(v);
    if (!open) return true;
    const System& system = engine_.system();
    for (std::size_t v = 0; v < point_.size(); ++v) {
      if (scratch_.store.fixed(static_cast<int>(v))) continue;
      const auto definition = static_cast<std::size_t>(system.variables()[v].definition);
      const auto value = value_of(system.constraints()[definition].body, point_);
      if (!value || !system.variables()[v].domain.contains(*value)) return false;
      point_[v] = *value;
    }
    for (std::size_t c = 0; c < system.constraints().size(); ++c)
      if (engine_.is_enabled(static_cast<int>(c)) && !holds(system.constraints()[c], point_)) return false;
    return std::all_of(extra_.begin(), extra_.end(), [&](const Constraint& c) { return holds(c, point_); });
  }

  bool spent() {
    if (over_) return true;
    over_ = scratch_.work - start_ > limits_.work;
    // The clock is asked once in a while: a question to it costs as much as a propagator.
    if (limits_.deadline && ++asked_ % 16 == 0)
      over_ = over_ || std::chrono::steady_clock::now() > *limits_.deadline;
    return over_;
  }

  static constexpr std::uint64_t most_tried = 1 << 12;

  const Engine& engine_;
  Engine::Scratch& scratch_;
  std::span<const Constraint> extra_;
  const ValueOrder& order_;
  const SearchLimits& limits_;
  std::uint64_t start_ = 0, asked_ = 0;
  bool over_ = false;
  Point point_;
};

/// All solutions in which only the given knobs differ from the point; `moved` has that value.
class Repairs {
 public:
  Repairs(const Engine& engine, const Point& point, const SearchLimits& limits)
      : engine_(engine), point_(point), limits_(limits), scratch_(engine) {}

  std::vector<Neighbour> all(int repairs) {
    std::vector<Neighbour> found;
    for (const Var knob : engine_.system().knobs()) {
      for (const std::int64_t value : engine_.layout().domain(knob.index).values()) {
        if (value == point_[static_cast<std::size_t>(knob.index)]) continue;
        for (int changes = 0; changes <= repairs; ++changes) {
          const std::size_t before = found.size();
          choose(found, knob, value, {knob}, 0, changes);
          if (found.size() > before || spent()) break;
        }
        if (spent()) return found;
      }
    }
    return found;
  }

 private:
  bool spent() {
    return scratch_.work > limits_.work ||
           (limits_.deadline && std::chrono::steady_clock::now() > *limits_.deadline);
  }

  void choose(std::vector<Neighbour>& found, Var moved, std::int64_t value, const std::vector<Var>& free,
              std::size_t next, int more) {
    if (spent()) return;
    if (more == 0) {
      enumerate(found, moved, value, free);
      return;
    }
    const auto& knobs = engine_.system().knobs();
    for (std::size_t i = next; i < knobs.size(); ++i) {
      if (knobs[i] == moved) continue;
      std::vector<Var> wider = free;
      wider.push_back(knobs[i]);
      choose(found, moved, value, wider, i + 1, more - 1);
    }
  }

  void enumerate(std::vector<Neighbour>& found, Var moved, std::int64_t value, const std::vector<Var>& free) {
    if (!engine_.begin(scratch_)) return;
    Store& store = scratch_.store;
    if (!store.assign(moved.index, value)) return;
    for (const Var knob : engine_.system().knobs()) {
      if (std::find(free.begin(), free.end(), knob) != free.end()) continue;
      if (!store.assign(knob.index, point_[static_cast<std::size_t>(knob.index)])) return;
    }
    ++scratch_.work;
    if (!engine_.propagate(scratch_)) return;
    below(found, moved, free, 1);
  }

  void below(std::vector<Neighbour>& found, Var moved, const std::vector<Var>& free, std::size_t at) {
    const State here = scratch_.store.state();
    if (at == free.size()) {
      const auto point = complete(engine_.system(), here.low);
      if (point && is_solution(engine_.system(), *point))
        found.push_back({*point, moved, static_cast<int>(free.size()) - 1});
      return;
    }
    const int knob = free[at].index;
    const auto k = static_cast<std::size_t>(knob);
    const Domain left = engine_.layout().domain(knob).intersect(Domain::range(here.low[k], here.high[k]));
    for (const std::int64_t value : left.values()) {
      if (value == point_[k]) continue;  // then it would not have changed
      scratch_.store.state() = here;
      scratch_.store.changed().clear();
      ++scratch_.work;
      if (spent()) return;
      if (scratch_.store.assign(knob, value) && engine_.propagate(scratch_))
        below(found, moved, free, at + 1);
    }
  }

  const Engine& engine_;
  const Point& point_;
  const SearchLimits& limits_;
  Engine::Scratch scratch_;
};

}  // namespace

Found find_solution(const Engine& engine, Engine::Scratch& scratch, std::span<const Constraint> extra,
                    const ValueOrder& order, const SearchLimits& limits) {
  return Search(engine, scratch, extra, order, limits).run();
}

ValueOrder shuffled(Random& random) {
  return [&random](int, std::vector<std::int64_t>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
  };
}

ValueOrder nearest_to(const Point& point) {
  return [&point](int variable, std::vector<std::int64_t>& values) {
    const std::int64_t wanted = point[static_cast<std::size_t>(variable)];
    std::sort(values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) {
      const std::int64_t far_a = std::abs(a - wanted), far_b = std::abs(b - wanted);
      return far_a != far_b ? far_a < far_b : a < b;
    });
  };
}

std::vector<Neighbour> neighbours(const Engine& engine, const Point& point, int repairs,
                                  const SearchLimits& limits) {
  return engine.satisfiable() ? Repairs(engine, point, limits).all(repairs) : std::vector<Neighbour>();
}

}  // namespace ardea::space
