#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ardea::compile {

/// Letters, digits and underscores, not beginning with a digit.
bool is_c_identifier(std::string_view name);

/// Why `name` cannot be a function that C and C++ programs call beside the C library and Ardea's runtime, as
/// in "is a keyword of C"; empty where it can.
std::string why_not_a_c_function(const std::string& name);

/// An identifier like `wanted` for a parameter: no keyword, no name of the headers that stand around, not one
/// of `taken`, to which it is added.
std::string c_parameter_name(const std::string& wanted, std::set<std::string>& taken);

}  // namespace ardea::compile
