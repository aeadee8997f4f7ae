#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardea/rules/derivation.h"

namespace ardea::rules {

/// A part of how schedules are made: when it has something to do, and what. It sees the program, its loops
/// and index expressions, and never an operator's name.
struct Rule {
  std::string name, doc;
  /// Whether the stage, as the program is now, is the rule's affair.
  std::function<bool(const Derivation&, const schedule::BlockRef& stage)> applies;
  /// Takes its steps. Stages that need no further rule are finished (Derivation::finish).
  std::function<void(Derivation&, const schedule::BlockRef& stage)> apply;
};

/// In the order in which they are tried on each stage, from the output to the input; all that apply are
/// taken, until one has finished the stage.
using RuleSet = std::vector<Rule>;

/// The rules for a kind of target. Add, remove and replace: it is a list.
RuleSet rules_for(const target::Target& target);

/// The rules' steps on the program, by the derivation's decisions.
void derive(Derivation& d, const RuleSet& rules);

}  // namespace ardea::rules
