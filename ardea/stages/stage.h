#pragma once

#include <array>
#include <memory>
#include <utility>

#include "ardea/stages/record.h"

namespace ardea::stages {

/// How to split: by the extent of the inner loop or by that of the outer one.
struct SplitBy {
  std::optional<std::int64_t> factor = {};
  std::optional<std::int64_t> nparts = {};
};

/// The loops of one operation. A handle, made by Schedule::operator[]; all results of an operation have one
/// stage. Each method records a directive. Error at the call where it names an axis that is no loop of the
/// stage as it is by then (a leaf): the sentence says which directive took it and what the leaves are.
class Stage {
 public:
  Stage(std::shared_ptr<Record> record, BlockId id) : record_(std::move(record)), id_(id) {}

  /// Where its loops begin: s[CL].op().axis[0].
  OperationAxes op() const;
  /// Its loops as they are now, outermost first.
  const std::vector<Axis>& leaves() const { return me().leaves; }
  const std::string& name() const { return me().name; }

  /// x becomes x.outer and x.inner. Where the number does not divide the extent, the rest is guarded.
  std::pair<Axis, Axis> split(const Axis& x, SplitBy by) const;
  std::pair<Axis, Axis> split(const Axis& x, std::int64_t factor) const;
  /// x.outer, y.outer, x.inner, y.inner, which stand in this order.
  std::array<Axis, 4> tile(const Axis& x, const Axis& y, std::int64_t x_factor, std::int64_t y_factor) const;
  /// Consecutive leaves, outermost first, become x.y.fused. One axis stays what it is.
  Axis fuse(const std::vector<Axis>& axes) const;
  /// The named leaves change places among themselves, reduce axes too; others stay.
  void reorder(const std::vector<Axis>& axes) const;
  template <class... More>
  Axis fuse(const Axis& outer, const More&... inner) const {
    return fuse(std::vector<Axis>{outer, Axis(inner)...});
  }
  template <class... More>
  void reorder(const Axis& outer, const More&... inner) const {
    reorder(std::vector<Axis>{outer, Axis(inner)...});
  }

  /// In each iteration of a leaf of a consumer what that iteration needs; in loops of its own; or written
  /// where it is read. The last of these counts.
  void compute_at(const Stage& parent, const Axis& axis) const;
  void compute_root() const;
  void compute_inline() const;

  void parallel(const Axis& axis) const;
  void vectorize(const Axis& axis) const;
  void unroll(const Axis& axis) const;
  /// "blockIdx.x", "threadIdx.y", "vthread", …
  void bind(const Axis& axis, const std::string& thread_axis) const;
  /// An annotation for the compiler: pragma(i, "auto_unroll_max_step", 16).
  void pragma(const Axis& axis, const std::string& type, const schedule::Argument& value = {true}) const;

  /// The loops from the axis inwards are one tensor instruction (docs/tensor_instructions.md).
  void tensorize(const Axis& axis, const std::string& instruction) const;

  /// What the stage computes lies in memory of that scope.
  void set_scope(const std::string& scope) const;
  /// The slices of an axis of the result lie apart in memory by a multiple of `factor` elements plus
  /// `offset`.
  void storage_align(const Axis& axis, std::int64_t factor, std::int64_t offset) const;
  /// What an iteration around the stage needs is computed while the one before still runs.
  void double_buffer() const;

  /// For Schedule: recording a directive of this stage.
  template <class P>
  void record(const std::string& call, Phase phase, const P& step, std::vector<Axis> made = {}) const {
    record_->directives.push_back(
        {call, id_, phase,
         Step{&schedule::find_primitive(P::name), schedule::arguments_of(step), std::move(made)}});
  }

 private:
  friend class Schedule;
  StageRecord& me() const { return record_->stage(id_); }
  std::string call(const std::string& directive, const std::string& arguments) const;
  void require_loops(const std::string& call) const;
  /// Says how a leaf runs, by a primitive whose first field is the loop.
  template <class P>
  void mark(const Axis& axis, const std::string& arguments, P step) const;

  std::shared_ptr<Record> record_;
  BlockId id_;
};

}  // namespace ardea::stages
