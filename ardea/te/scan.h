#pragma once

#include "ardea/te/tensor.h"

namespace ardea::te {

/// A recurrence along the first dimension: step t of each state is init[t] for the first steps and update[t]
/// after them, where update reads the state's earlier steps through the placeholder `state`.
///
///   Tensor s = placeholder("s", {T, n});
///   Tensor init = compute("init", {1, n}, [&](Var, Var i) { return X(0, i); });
///   Tensor next = compute("next", {T, n}, [&](Var t, Var i) { return s(t - 1, i) + X(t, i); });
///   Tensor prefix = scan("prefix", {init}, {next}, {s})[0];
///
/// Several states, several initial steps and cells of several stages are allowed: everything that depends on
/// a state runs once a step and reads other stages of the cell at the same step. Error where the lists differ
/// in length or shape, an update reads its state at the same or a later step, or before the first initial
/// one.
std::vector<Tensor> scan(std::string name, std::vector<Tensor> init, std::vector<Tensor> update,
                         std::vector<Tensor> state);

}  // namespace ardea::te
