#pragma once

#include <optional>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/schedule/program/reference.h"

/// What is done with the elements of a result, one by one, after a stage has made them.

namespace ardea::rules {

/// A stage, and the stages that take its elements one after the other, each at the place that it writes.
struct Epilogue {
  schedule::BlockRef maker;
  std::vector<schedule::BlockRef> between;  ///< in program order, without the last
};

/// The stages before `last`, back to the first that does more than one element at a time; nothing where there
/// is none, or where somebody else reads what they make.
std::optional<Epilogue> epilogue_before(const Function& program, const schedule::BlockRef& last);

/// The stage that alone reads what `maker` makes, element by element.
std::optional<schedule::BlockRef> elementwise_consumer(const Function& program,
                                                       const schedule::BlockRef& maker);

}  // namespace ardea::rules
