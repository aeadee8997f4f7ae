#include <algorithm>

#include "ardea/schedule/primitives/memory/double_buffer.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/stages/stage.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// What a stage says about its memory, and about the instruction that it is.

namespace ardea::stages {

void Stage::tensorize(const Axis& axis, const std::string& instruction) const {
  const std::string written = call("tensorize", fmt::format("{}, {}", axis.name(), in_quotes(instruction)));
  record_->require_leaf(me(), axis, written);
  record_->axes.at(axis.var).marked = record_->directives.size();
  record(written, Phase::tensorize, schedule::Tensorize{schedule::LoopRef{.var = axis.var}, instruction});
}

void Stage::set_scope(const std::string& scope) const {
  const std::string written = call("set_scope", in_quotes(scope));
  require_loops(written);
  record(written, Phase::memory, schedule::SetScope{{id_}, 0, scope});
}

void Stage::storage_align(const Axis& axis, std::int64_t factor, std::int64_t offset) const {
  const std::string written = call("storage_align", fmt::format("{}, {}, {}", axis.name(), factor, offset));
  const std::vector<Axis>& dimensions = me().axis;
  const auto at = std::find(dimensions.begin(), dimensions.end(), axis);
  require(at != dimensions.end(), "{}: {} is no dimension of {}; those are {}", written, axis.name(),
          me().name, names_of(dimensions));
  record(written, Phase::memory, schedule::StorageAlign{{id_}, 0, at - dimensions.begin(), factor, offset});
}

void Stage::double_buffer() const {
  const std::string written = call("double_buffer", "");
  require_loops(written);
  record(written, Phase::pipeline, schedule::DoubleBuffer{{id_}});
}

}  // namespace ardea::stages
