#pragma once

#include <string>
#include <vector>

namespace ardea::rules {

/// One of several ways to go on that a rule met, and which was taken.
struct Way {
  std::string question;
  std::vector<std::string> answers;
  std::size_t taken = 0, model = 0;
};

/// "C: packs B = yes, C: threads share = rows"; what is asked by nobody is "the only one".
std::string to_string(const std::vector<Way>& ways);

}  // namespace ardea::rules
