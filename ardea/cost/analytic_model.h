#pragma once

#include <memory>

#include "ardea/cost/features.h"
#include "ardea/cost/model.h"

namespace ardea::cost {

/// Ranks programs before anything was measured, by the cycles that a simple model of the machine counts
/// (program_features.h, Feature::cycles): operations or what they wait for, bytes between the caches, loops
/// and guards, the share of the slowest thread. It learns nothing, and its deviation says nothing. Of a
/// sketch without a program it predicts 0, as of the slowest.
std::unique_ptr<Model> make_analytic_model(std::shared_ptr<const Features> features);

}  // namespace ardea::cost
