#include "ardea/rules/analysis/row_nest.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

namespace {

/// The plain stages that end with the block, as far as they stand one after the other.
std::vector<Stage> stages_up_to(const Function& program, const schedule::BlockRef& last) {
  std::vector<Stage> stages;
  for (const schedule::Path& path : schedule::all_blocks(program)) {
    auto stage = plain_stage(program, {path.block().id}, Lengths::any);
    if (!stage) stages.clear();
    if (stage) stages.push_back(std::move(*stage));
    if (path.block().id == last.id) return stage ? stages : std::vector<Stage>{};
  }
  return {};
}

std::vector<Var> first_iterators(const Stage& stage, std::size_t count) {
  return {stage.iterators.begin(), stage.iterators.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Whether `start` is where one of the parts begins that a row is cut into, which share nothing of it, but
/// for the last.
bool begins_part(const Expr& start, const Var& part, std::int64_t elements) {
  const auto distance = constant_int(arith::Analyzer().simplify(substitute(start, part, make_int(1)) -
                                                                substitute(start, part, make_int(0))));
  return distance && *distance >= elements;
}

/// Whether the load goes along a row: the whole of it; one of the parts that it is cut into, the last but one
/// iterator says which; or a part that begins wherever the row says.
bool goes_along(const Load& load, const Stage& stage) {
  if (are_plain(load.indices, stage.iterators)) return true;
  const Var& last = stage.iterators.back();
  const auto* place = load.indices.empty() ? nullptr : load.indices.back().as<Binary>();
  if (place == nullptr || place->op != BinaryOp::add || !place->right.is<VarNode>() ||
      Var(place->right) != last || uses(place->left, last))
    return false;
  const std::size_t rows = load.indices.size() - 1, others = stage.iterators.size() - 1;
  if (rows > others || others - rows > 1 || stage.spatial != others ||
      !are_plain({load.indices.begin(), load.indices.end() - 1}, first_iterators(stage, rows)))
    return false;
  return rows == others || begins_part(place->left, stage.iterators[rows], stage.extents.back());
}

/// What the reduction goes along, one element after the other.
const Load* row_of(const Stage& stage) {
  const auto found = std::find_if(stage.loads.begin(), stage.loads.end(),
                                  [&](const Load& load) { return goes_along(load, stage); });
  return found == stage.loads.end() ? nullptr : &*found;
}

class Nest {
 public:
  Nest(const Function& program, std::vector<Stage> stages) : program_(program), all_(std::move(stages)) {}

  std::optional<RowNest> run() {
    const auto sum = std::find_if(all_.rbegin(), all_.rend(), [](const Stage& s) { return s.reduces(); });
    if (sum == all_.rend() || sum->spatial == 0) return std::nullopt;
    nest_.axes = sum->spatial;
    rows_ = {sum->lengths.begin(), sum->lengths.begin() + static_cast<std::ptrdiff_t>(nest_.axes)};
    std::size_t first = all_.size();
    while (first > 0 && belongs(all_[first - 1], first)) --first;
    nest_.stages.assign(all_.begin() + static_cast<std::ptrdiff_t>(first), all_.end());
    const auto reduction =
        std::find_if(nest_.stages.begin(), nest_.stages.end(), [](const Stage& s) { return s.reduces(); });
    if (reduction == nest_.stages.end()) return std::nullopt;
    nest_.row = *row_of(*reduction);
    nest_.lanes = reduction->extents.back();
    for (const Stage& stage : nest_.stages) {
      if (!stage.reduces()) continue;
      nest_.extent = std::max(nest_.extent, stage.steps());
      nest_.lanes = std::min(nest_.lanes, stage.extents.back());
    }
    while (nest_.anchor + 1 < nest_.stages.size() && !is_read_outside(nest_.stages[nest_.anchor]))
      ++nest_.anchor;
    return nest_;
  }

 private:
  /// Whether the stage before those from `first` on is one of theirs.
  bool belongs(const Stage& stage, std::size_t first) const {
    const bool has_form = stage.spatial <= nest_.axes + 1 && (!stage.reduces() || row_of(stage) != nullptr);
    if (!has_form || stage.spatial < nest_.axes ||
        !std::equal(rows_.begin(), rows_.end(), stage.lengths.begin(), are_one_length))
      return false;
    // What is summed in lanes takes as many steps as its length says, and has as many parts.
    for (std::size_t i = stage.reduces() ? nest_.axes : stage.spatial; i < stage.extents.size(); ++i)
      if (!stage.is_known(i)) return false;
    if (!are_plain(stage.indices, first_iterators(stage, stage.spatial))) return false;
    const bool is_last = first == all_.size();
    return is_last || std::any_of(all_.begin() + static_cast<std::ptrdiff_t>(first), all_.end(),
                                  [&](const Stage& later) { return reads_own_rows(later, stage.out); });
  }

  /// Whether the stage reads the buffer, and of it nothing of another row.
  bool reads_own_rows(const Stage& stage, const Buffer& buffer) const {
    bool found = false;
    for (const Load& load : stage.loads) {
      if (load.buffer != buffer) continue;
      found = true;
      const std::vector<Expr> row(load.indices.begin(),
                                  load.indices.begin() + static_cast<std::ptrdiff_t>(nest_.axes));
      if (!are_plain(row, first_iterators(stage, nest_.axes))) return false;
    }
    return found;
  }

  bool is_read_outside(const Stage& stage) const {
    if (is_parameter(program_, stage.out)) return true;
    const auto blocks = schedule::all_blocks(program_);
    return std::any_of(blocks.begin(), blocks.end(), [&](const schedule::Path& path) {
      const schedule::BlockRef block{path.block().id};
      const bool is_inside = std::any_of(nest_.stages.begin(), nest_.stages.end(),
                                         [&](const Stage& s) { return s.block == block; });
      return !is_inside && reads(path.block(), stage.out);
    });
  }

  const Function& program_;
  std::vector<Stage> all_;
  std::vector<Expr> rows_;
  RowNest nest_;
};

}  // namespace

std::int64_t RowNest::rows() const {
  const auto& extents = stages.front().extents;
  return std::accumulate(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(axes),
                         std::int64_t{1}, std::multiplies<>());
}

std::size_t RowNest::sums() const {
  return static_cast<std::size_t>(
      std::count_if(stages.begin(), stages.end(), [](const Stage& s) { return s.reduces(); }));
}

bool RowNest::reduces_parts(const Stage& stage) const { return stage.reduces() && stage.spatial > axes; }

std::vector<schedule::BlockRef> RowNest::blocks() const {
  std::vector<schedule::BlockRef> all;
  for (const Stage& stage : stages) all.push_back(stage.block);
  return all;
}

std::optional<RowNest> row_nest_to(const Function& program, const schedule::BlockRef& last) {
  return Nest(program, stages_up_to(program, last)).run();
}

}  // namespace ardea::rules
