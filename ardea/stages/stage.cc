#include "ardea/stages/stage.h"

#include <algorithm>

#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/loops/tile.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::stages {

namespace {

schedule::LoopRef loop(const Axis& axis) { return {.var = axis.var}; }

std::vector<schedule::LoopRef> loops(const std::vector<Axis>& axes) {
  std::vector<schedule::LoopRef> list;
  for (const Axis& axis : axes) list.push_back(loop(axis));
  return list;
}

std::pair<Axis, Axis> halves(const Axis& axis) {
  return {Axis(axis.name() + ".outer", axis.kind), Axis(axis.name() + ".inner", axis.kind)};
}

std::string kind_word(const Axis& axis) {
  return axis.kind == IteratorKind::reduce    ? "reduced over"
         : axis.kind == IteratorKind::ordered ? "the step of a scan"
                                              : "spatial";
}

std::string text_of(const schedule::Argument& value) {
  return std::visit(overloaded{
                        [](bool b) -> std::string { return b ? "True" : "False"; },
                        [](std::int64_t n) { return std::to_string(n); },
                        [](double d) { return fmt::format("{}", d); },
                        [](const std::string& s) { return in_quotes(s); },
                        [](const auto&) -> std::string { return "…"; },
                    },
                    value.value);
}

void require_no_twice(const std::vector<Axis>& axes, const std::string& call) {
  for (auto axis = axes.begin(); axis != axes.end(); ++axis)
    require(std::find(axes.begin(), axis, *axis) == axis, "{}: {} is named twice", call, axis->name());
}

}  // namespace

std::string Stage::call(const std::string& directive, const std::string& arguments) const {
  return fmt::format("s[{}].{}({})", me().name, directive, arguments);
}

void Stage::require_loops(const std::string& call) const {
  require(me().kind != StageRecord::Kind::input, "{}: {} is an input, which has no loops", call, me().name);
}

OperationAxes Stage::op() const { return {me().axis, me().reduce_axis}; }

std::pair<Axis, Axis> Stage::split(const Axis& x, std::int64_t factor) const {
  return split(x, SplitBy{.factor = factor});
}

std::pair<Axis, Axis> Stage::split(const Axis& x, SplitBy by) const {
  const std::string number = by.factor   ? fmt::format(", factor={}", *by.factor)
                             : by.nparts ? fmt::format(", nparts={}", *by.nparts)
                                         : "";
  const std::string written = call("split", x.name() + number);
  require(by.factor.has_value() != by.nparts.has_value(), "{}: give either a factor or nparts", written);
  require(by.factor.value_or(1) > 0 && by.nparts.value_or(1) > 0, "{}: the number must be positive", written);
  record_->require_free(me(), x, written);
  const auto [outer, inner] = halves(x);
  record_->replace_leaves(me(), {x}, {outer, inner});
  const auto number_of = [](std::optional<std::int64_t> n) {
    return n ? std::optional<schedule::Number>(*n) : std::nullopt;
  };
  record(written, Phase::loops, schedule::Split{loop(x), {number_of(by.nparts), number_of(by.factor)}},
         {outer, inner});
  return {outer, inner};
}

std::array<Axis, 4> Stage::tile(const Axis& x, const Axis& y, std::int64_t x_factor,
                                std::int64_t y_factor) const {
  const std::string written =
      call("tile", fmt::format("{}, {}, {}, {}", x.name(), y.name(), x_factor, y_factor));
  require(x_factor > 0 && y_factor > 0, "{}: the numbers must be positive", written);
  require_no_twice({x, y}, written);
  record_->require_free(me(), x, written);
  record_->require_free(me(), y, written);
  const auto [x_outer, x_inner] = halves(x);
  const auto [y_outer, y_inner] = halves(y);
  const std::array<Axis, 4> tiles = {x_outer, y_outer, x_inner, y_inner};
  record_->replace_leaves(me(), {x}, {x_outer, x_inner});
  record_->replace_leaves(me(), {y}, {y_outer, y_inner});
  Record::reorder_leaves(me(), {tiles.begin(), tiles.end()});
  record(written, Phase::loops, schedule::Tile{loop(x), loop(y), x_factor, y_factor},
         {tiles.begin(), tiles.end()});
  return tiles;
}

Axis Stage::fuse(const std::vector<Axis>& axes) const {
  const std::string written = call("fuse", names_of(axes));
  require(!axes.empty(), "{}: name the loops to fuse", written);
  for (const Axis& axis : axes) record_->require_free(me(), axis, written);
  require_no_twice(axes, written);
  if (axes.size() == 1) return axes[0];
  const std::vector<Axis>& leaves = me().leaves;
  const auto first = std::find(leaves.begin(), leaves.end(), axes[0]);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto expected = first + static_cast<std::ptrdiff_t>(i);
    require(expected < leaves.end() && *expected == axes[i],
            "{}: they are not consecutive, outermost first: the leaves of {} are {}; reorder them first",
            written, me().name, names_of(leaves));
    require(axes[i].kind == axes[0].kind,
            "{}: {} is {} and {} is {}; one loop over both could not tell where a reduction begins", written,
            axes[0].name(), kind_word(axes[0]), axes[i].name(), kind_word(axes[i]));
  }
  std::string name = axes[0].name();
  for (std::size_t i = 1; i < axes.size(); ++i) name += "." + axes[i].name() + ".fused";
  const Axis fused(name, axes[0].kind);
  record_->replace_leaves(me(), axes, {fused});
  record(written, Phase::loops, schedule::Fuse{loops(axes)}, {fused});
  return fused;
}

void Stage::reorder(const std::vector<Axis>& axes) const {
  const std::string written = call("reorder", names_of(axes));
  require(!axes.empty(), "{}: name the loops in their new order", written);
  for (const Axis& axis : axes) record_->require_leaf(me(), axis, written);
  require_no_twice(axes, written);
  Record::reorder_leaves(me(), axes);
  record(written, Phase::loops, schedule::Reorder{loops(axes)});
}

void Stage::compute_at(const Stage& parent, const Axis& axis) const {
  const std::string written = call("compute_at", fmt::format("s[{}], {}", parent.name(), axis.name()));
  require_loops(written);
  require(record_ == parent.record_, "{}: {} belongs to another schedule", written, parent.name());
  require(!(id_ == parent.id_), "{}: a stage cannot stand in its own loops", written);
  require(record_->comes_before(id_, parent.id_), "{}: {} is made before {}, and cannot use it", written,
          parent.name(), name());
  record_->require_leaf(parent.me(), axis, written);
  me().place = record_->directives.size();
  record(written, Phase::place, schedule::ComputeAt{{id_}, loop(axis), true});
}

void Stage::compute_root() const {
  const std::string written = call("compute_root", "");
  require_loops(written);
  me().place = record_->directives.size();
  record_->directives.push_back({written, id_, Phase::place, AtRoot{}});
}

void Stage::compute_inline() const {
  const std::string written = call("compute_inline", "");
  require_loops(written);
  me().place = record_->directives.size();
  record(written, Phase::graph, schedule::ComputeInline{{id_}});
}

template <class P>
void Stage::mark(const Axis& axis, const std::string& arguments, P step) const {
  const std::string written = call(P::name, axis.name() + arguments);
  record_->require_leaf(me(), axis, written);
  step.loop = loop(axis);
  AxisRecord& known = record_->axes.at(axis.var);
  if constexpr (!std::is_same_v<P, schedule::Pragma>) {  // of pragmas a loop may have several
    if (known.runs) fail("{}: {}, says already how it runs", written, record_->directive(*known.runs));
    known.runs = record_->directives.size();
  }
  known.marked = record_->directives.size();
  record(written, Phase::marks, step);
}

void Stage::parallel(const Axis& axis) const { mark(axis, "", schedule::Parallel{}); }
void Stage::vectorize(const Axis& axis) const { mark(axis, "", schedule::Vectorize{}); }
void Stage::unroll(const Axis& axis) const { mark(axis, "", schedule::Unroll{}); }
void Stage::bind(const Axis& axis, const std::string& thread_axis) const {
  mark(axis, ", " + in_quotes(thread_axis), schedule::Bind{{}, thread_axis});
}
void Stage::pragma(const Axis& axis, const std::string& type, const schedule::Argument& value) const {
  mark(axis, fmt::format(", {}, {}", in_quotes(type), text_of(value)), schedule::Pragma{{}, type, value});
}

}  // namespace ardea::stages
