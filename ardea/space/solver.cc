#include "ardea/space/solver.h"

#include <fmt/core.h>

#include <map>

#include "ardea/space/evaluate.h"
#include "ardea/support/error.h"

namespace ardea::space {
namespace {

std::vector<Constraint> canonical_extra(const System& system, const std::vector<Constraint>& extra) {
  std::vector<Constraint> result;
  for (const Constraint& constraint : extra) result.push_back(system.canonical(constraint));
  return result;
}

/// The values that the constraints leave each knob that they name, where that is all that they say.
std::optional<std::map<int, Domain>> sets_of_knobs(const System& system,
                                                   const std::vector<Constraint>& constraints) {
  std::map<int, Domain> sets;
  for (const Constraint& constraint : constraints) {
    const auto* member = std::get_if<Member>(&constraint.body);
    if (!member || !constraint.when.empty()) return std::nullopt;
    const int knob = member->variable.index;
    if (knob < 0 || knob >= static_cast<int>(system.variables().size()) ||
        !system[member->variable].is_knob())
      return std::nullopt;
    const auto [at, is_first] = sets.emplace(knob, member->set);
    if (!is_first) at->second = at->second.intersect(member->set);
  }
  return sets;
}

}  // namespace

Solver::Solver(System system, SolverOptions options)
    : system_(std::make_unique<const System>(std::move(system))),
      engine_(std::make_unique<const Engine>(*system_)),
      options_(options) {
  auto built = Tree::build(*engine_, options_.tree);
  if (auto* tree = std::get_if<Tree>(&built)) {
    tree_ = std::move(*tree);
    why_ = fmt::format("all {} solutions are enumerated: a tree of {} nodes, made in {} of {} steps",
                       tree_->count(), tree_->nodes(), tree_->work(), options_.tree.work);
    return;
  }
  const auto& over = std::get<Tree::TooLarge>(built);
  const auto refusal = GecodeModel::refusal(*engine_);
  require(
      !refusal,
      "this space is too large to enumerate (the tree met its limit of {} after {} steps), and {}; bound it",
      over.what, over.work, refusal.value_or(""));
  why_ = fmt::format("samples are drawn by weighted walks: the tree met its limit of {} after {} steps",
                     over.what, over.work);
  if (!model()->relaxed().empty())
    why_ += fmt::format(
        "; {} constraints are beyond 32 bits or Gecode's language and checked at the end of a walk",
        model()->relaxed().size());
}

const GecodeModel* Solver::model() const {
  const std::lock_guard lock(making_model_);
  if (!model_) model_ = std::make_unique<GecodeModel>(*engine_);
  return model_.get();
}

Count Solver::count(std::uint64_t seed) const {
  if (tree_) return {static_cast<double>(tree_->count()), 0, tree_->count()};
  WalkOptions options = options_.walks;
  options.pool = 5000;
  const WalkSamples walks = sample_by_walks(model()->clone(), 1, seed, options);
  return {walks.count, walks.count_error};
}

Samples Solver::sample(std::size_t samples, std::uint64_t seed, const std::vector<Constraint>& extra,
                       Deadline deadline) const {
  Samples result;
  result.method = extra.empty() ? method() : Method::walks;
  if (result.method == Method::tree) {
    if (tree_->count() == 0) return result;
    std::vector<std::uint64_t> indices(samples);
    Random random(seed);
    for (std::uint64_t& index : indices) index = Tree::below(random, tree_->count());
    result.points.resize(samples);
    constexpr std::size_t batch = 256;
    for_each_slot(options_.walks.threads, (samples + batch - 1) / batch, [&](int, std::size_t b) {
      for (std::size_t i = b * batch; i < std::min(samples, (b + 1) * batch); ++i)
        result.points[i] = tree_->point(indices[i]);
    });
    result.effective_size = static_cast<double>(samples);
    return result;
  }
  if (const auto refusal = GecodeModel::refusal(*engine_))
    fail("samples with extra constraints are drawn by walks, and {}; bound it", *refusal);
  WalkOptions options = options_.walks;
  options.deadline = deadline;
  const GecodeModel root = extra.empty() ? model()->clone() : model()->with(canonical_extra(*system_, extra));
  WalkSamples walks = sample_by_walks(root, samples, seed, options);
  result.points = std::move(walks.points);
  result.effective_size = walks.effective_size;
  result.complete = walks.complete;
  if (!walks.complete)
    result.alarm =
        fmt::format("the deadline came after {} walks, of which {} arrived", walks.walks, walks.arrived);
  else if (walks.arrived == 0 && !root.failed())
    result.alarm =
        fmt::format("none of {} walks arrived at a solution; `solve` says whether there is one", walks.walks);
  else if (walks.effective_size < static_cast<double>(samples) && !result.points.empty())
    result.alarm =
        fmt::format("the {} walks that arrived are worth {:.0f} uniform samples, fewer than the {} asked for",
                    walks.arrived, walks.effective_size, samples);
  return result;
}

Found Solver::find(Engine::Scratch& scratch, const std::vector<Constraint>& extra, const ValueOrder& order,
                   const SearchLimits& limits) const {
  if (tree_)
    if (const auto sets = sets_of_knobs(*system_, extra)) {
      std::vector<const Domain*> allowed(system_->variables().size(), nullptr);
      for (const auto& [knob, values] : *sets) allowed[static_cast<std::size_t>(knob)] = &values;
      auto point = tree_->find(allowed, order);
      return point ? Found{Answer::yes, *std::move(point)} : Found{Answer::no};
    }
  return find_solution(*engine_, scratch, canonical_extra(*system_, extra), order, limits);
}

Found Solver::solve(const std::vector<Constraint>& extra, std::uint64_t seed,
                    const SearchLimits& limits) const {
  Engine::Scratch scratch(*engine_);
  Random random(seed);
  return find(scratch, extra, shuffled(random), limits);
}

Found Solver::nearest(const Point& wished, const std::vector<Constraint>& extra,
                      const SearchLimits& limits) const {
  Engine::Scratch scratch(*engine_);
  return find(scratch, extra, nearest_to(wished), limits);
}

std::vector<Found> Solver::solve_all(const std::vector<std::vector<Constraint>>& questions,
                                     std::uint64_t seed, const SearchLimits& limits) const {
  std::vector<Found> answers(questions.size());
  const int threads = std::max(1, options_.walks.threads);
  std::vector<Engine::Scratch> scratches(static_cast<std::size_t>(threads), Engine::Scratch(*engine_));
  for_each_slot(threads, questions.size(), [&](int thread, std::size_t i) {
    Random random(seed + i);
    answers[i] = find(scratches[static_cast<std::size_t>(thread)], questions[i], shuffled(random), limits);
  });
  return answers;
}

}  // namespace ardea::space
