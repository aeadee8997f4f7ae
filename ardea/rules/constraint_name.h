#pragma once

#include <set>
#include <string>

#include "ardea/schedule/posting.h"

namespace ardea::rules {

/// What a constraint is called that a step posted: the fact that must hold, where a refusal's code says what
/// is wrong without it, and the variables that it is about. "whole tiles of m_0, m_1", "longest m_1".
std::string constraint_name(const schedule::Posted& posted);

/// Names of one system: each is given once.
class ConstraintNames {
 public:
  /// The name, or where it is taken "name (2)", "name (3)", …
  std::string own(const std::string& name);

 private:
  std::set<std::string> taken_;
};

}  // namespace ardea::rules
