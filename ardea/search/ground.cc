#include "ardea/search/ground.h"

#include <algorithm>
#include <numeric>

#include "ardea/search/roulette.h"
#include "ardea/space/evaluate.h"
#include "ardea/support/error.h"

namespace ardea::search {

using space::Choice;
using space::Constraint;
using space::Point;
using space::Solver;
using space::Tree;

namespace {

/// So few points are gone through one by one where chance finds no new ones.
constexpr std::uint64_t most_enumerated = 1 << 17;
/// What proving that nothing is left may take: a fraction of a second.
constexpr std::uint64_t work_of_a_proof = 200'000;
/// What one move may take: a search makes thousands, and can do without a few.
constexpr std::uint64_t work_of_a_move = 20'000;

/// The constraints that a list has for a sketch, in canonical form.
std::vector<Constraint> of_sketch(const Extra& extra, std::size_t sketch, const space::System& system) {
  std::vector<Constraint> list;
  if (sketch < extra.size())
    for (const Constraint& constraint : extra[sketch]) list.push_back(system.canonical(constraint));
  return list;
}

bool all_hold(const std::vector<Constraint>& constraints, const Point& point) {
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const Constraint& c) { return space::holds(c, point); });
}

/// Every other point than this: where all knobs but the last have its values, the last has another.
Constraint forbidden(const space::System& system, const Point& point) {
  Constraint other{"other", "this point is known", {}, space::Linear{}};
  const std::vector<space::Var>& knobs = system.knobs();
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    space::Linear equal{
        {{1, knobs[k]}}, 0, space::Relation::eq, point[static_cast<std::size_t>(knobs[k].index)]};
    if (k + 1 < knobs.size()) {
      other.when.emplace_back(std::move(equal));
    } else {
      equal.relation = space::Relation::ne;
      other.body = std::move(equal);
    }
  }
  return other;
}

}  // namespace

std::size_t HashOfChoice::operator()(const Choice& choice) const {
  std::uint64_t hash = choice.sketch + 1;
  for (const std::int64_t value : choice.point)
    hash = Random(hash ^ static_cast<std::uint64_t>(value)).next();
  return hash;
}

Ground::Ground(const Setting& setting)
    : solvers_(setting.sketches), lasting_(setting.extra), known_of_(setting.sketches.size(), 0) {
  require(!solvers_.empty(), "a search needs a sketch to search in, and was given none");
  require(lasting_.size() <= solvers_.size(), "constraints of {} sketches were given to a search of {}",
          lasting_.size(), solvers_.size());
  points_of_.resize(solvers_.size());
  open({});
}

void Ground::open(const Extra& question) {
  require(question.size() <= solvers_.size(), "constraints of {} sketches were put to a search of {}",
          question.size(), solvers_.size());
  if (extra_.size() == solvers_.size() && question == question_) return;
  question_ = question;
  extra_.clear();
  for (std::size_t s = 0; s < solvers_.size(); ++s) {
    extra_.push_back(of_sketch(lasting_, s, system(s)));
    for (Constraint& constraint : of_sketch(question_, s, system(s)))
      extra_[s].push_back(std::move(constraint));
  }
}

bool Ground::is_point(const Choice& choice) const {
  return choice.sketch < solvers_.size() && choice.point.size() == system(choice.sketch).variables().size() &&
         space::is_solution(system(choice.sketch), choice.point);
}

bool Ground::contains(const Choice& choice) const {
  return is_point(choice) && all_hold(extra_[choice.sketch], choice.point);
}

void Ground::mark(const Choice& choice) {
  if (!is_point(choice) || !known_.insert(choice).second) return;
  ++known_of_[choice.sketch];
  points_of_[choice.sketch].push_back(choice.point);
}

/// New points of one sketch.
class Ground::Drawing {
 public:
  Drawing(const Ground& ground, std::size_t sketch, Random random)
      : ground_(ground), sketch_(sketch), random_(random), solver_(ground.solver(sketch)) {}

  /// So many more, fewer where no more can be found.
  std::vector<Point> more(std::size_t count) {
    const std::size_t before = found_.size();
    count_ = before + count;
    if (const Tree* tree = solver_.tree()) {
      by_tree(*tree);
    } else {
      by_walks();
    }
    return {found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end()};
  }

 private:
  bool is_full() const { return found_.size() >= count_; }

  /// Whether it is one more.
  bool add(Point point) {
    if (is_full()) return false;
    Choice choice{sketch_, std::move(point)};
    if (!ground_.is_new(choice) || !all_hold(ground_.extra(sketch_), choice.point)) return false;
    if (!drawn_.insert(choice).second) return false;
    found_.push_back(std::move(choice.point));
    return true;
  }

  void by_tree(const Tree& tree) {
    const std::uint64_t all = tree.count();
    if (all == 0) return;
    // By chance while most of what is drawn is new; then all that is left is looked through.
    if (all > 2 * (ground_.known(sketch_) + count_)) {
      std::size_t missed = 0;
      while (!is_full() && missed < 64 + 16 * count_)
        if (!add(tree.sample(random_))) ++missed;
      if (is_full()) return;
    }
    if (all <= std::max<std::uint64_t>(most_enumerated, 4 * ground_.known(sketch_))) {
      std::vector<std::uint64_t> indices(all);
      std::iota(indices.begin(), indices.end(), 0);
      for (std::uint64_t i = 0; i < all && !is_full(); ++i) {
        std::swap(indices[i], indices[i + Tree::below(random_, all - i)]);
        add(tree.point(indices[i]));
      }
      return;
    }
    if (!ground_.extra(sketch_).empty() && !space::GecodeModel::refusal(solver_.engine())) {
      by_walks();
    } else {
      by_proof();
    }
  }

  void by_walks() {
    // A round that brings nothing new says that little is left, which is then searched.
    for (int empty = 0; !is_full() && empty < 2;) {
      const std::size_t before = found_.size();
      const space::Samples drawn =
          solver_.sample(count_ - found_.size(), random_.next(), ground_.extra(sketch_));
      for (const Point& point : drawn.points) add(point);
      if (found_.size() == before) ++empty;
    }
    by_proof();
  }

  /// One after another, by search for a point that is none of those that are known, until there is none.
  void by_proof() {
    if (is_full()) return;
    const space::System& system = ground_.system(sketch_);
    std::vector<Constraint> asked = ground_.extra(sketch_);
    if (system.knobs().empty()) {  // then there is one point at most, and nothing to forbid
      if (auto found = solver_.solve(asked, random_.next()); found.answer == space::Answer::yes)
        add(std::move(found.point));
      return;
    }
    for (const Point& point : ground_.points_of_[sketch_])
      if (all_hold(ground_.extra(sketch_), point)) asked.push_back(forbidden(system, point));
    for (const Point& point : found_) asked.push_back(forbidden(system, point));
    while (!is_full()) {
      space::Found found = solver_.solve(asked, random_.next(), {.work = work_of_a_proof});
      if (found.answer != space::Answer::yes) return;
      asked.push_back(forbidden(system, found.point));
      if (!add(std::move(found.point))) return;
    }
  }

  const Ground& ground_;
  std::size_t sketch_, count_ = 0;
  Random random_;
  const Solver& solver_;
  std::vector<Point> found_;
  Choices drawn_;
};

namespace {

/// Whose turn it is, so many times, by weight: each sketch gets its share rounded up or down, in random
/// order.
std::vector<std::size_t> even_turns(std::size_t count, const std::vector<double>& weights, Random& random) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0), offset = random.real();
  std::vector<std::size_t> turns;
  double reached = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    reached += weights[s] / sum * static_cast<double>(count);
    while (turns.size() < count && static_cast<double>(turns.size()) + offset < reached) turns.push_back(s);
  }
  for (std::size_t i = turns.size(); i > 1; --i) std::swap(turns[i - 1], turns[Tree::below(random, i)]);
  return turns;
}

}  // namespace

std::vector<Choice> Ground::draw(std::size_t count, Random& random, Shares shares,
                                 std::vector<double> weights) const {
  if (weights.empty()) weights.assign(sketches(), 1);
  std::vector<Drawing> drawings;
  for (std::size_t s = 0; s < sketches(); ++s) drawings.emplace_back(*this, s, random.split());
  std::vector<Choice> all;
  // Sketches that are exhausted leave their share to the others.
  while (all.size() < count && std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; })) {
    const std::size_t missing = count - all.size();
    std::vector<std::size_t> turns;
    if (shares == Shares::even) {
      turns = even_turns(missing, weights, random);
    } else {
      for (std::size_t i = 0; i < missing; ++i) turns.push_back(roulette(weights, random));
    }
    std::vector<std::size_t> of_each(sketches(), 0), used(sketches(), 0);
    for (const std::size_t s : turns) ++of_each[s];
    std::vector<std::vector<Point>> points(sketches());
    for (std::size_t s = 0; s < sketches(); ++s) {
      if (of_each[s] == 0) continue;
      points[s] = drawings[s].more(of_each[s]);
      if (points[s].size() < of_each[s]) weights[s] = 0;
    }
    for (const std::size_t s : turns)
      if (const std::size_t at = used[s]++; at < points[s].size())
        all.push_back({s, std::move(points[s][at])});
  }
  return all;
}

std::optional<Choice> Ground::solve(std::size_t sketch, const std::vector<Constraint>& more,
                                    Random& random) const {
  std::vector<Constraint> asked = extra_[sketch];
  asked.insert(asked.end(), more.begin(), more.end());
  space::Found found = solvers_[sketch]->solve(asked, random.next(), {.work = work_of_a_move});
  if (found.answer != space::Answer::yes) return std::nullopt;
  return Choice{sketch, std::move(found.point)};
}

std::optional<Choice> Ground::nearest(const Choice& wished, const std::vector<Constraint>& more) const {
  std::vector<Constraint> asked = extra_[wished.sketch];
  asked.insert(asked.end(), more.begin(), more.end());
  space::Found found = solvers_[wished.sketch]->nearest(wished.point, asked, {.work = work_of_a_move});
  if (found.answer != space::Answer::yes) return std::nullopt;
  return Choice{wished.sketch, std::move(found.point)};
}

}  // namespace ardea::search
