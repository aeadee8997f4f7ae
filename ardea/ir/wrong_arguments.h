#pragma once

#include <string>

#include "ardea/ir/function.h"

namespace ardea {

/// What is wrong with the arguments of a call, in the same sentences wherever the function runs. Values are
/// texts: numbers, or the "{}" for which code that is compiled puts in what it is given.
/// On a function: how many of its last parameters are no business of its callers.
inline constexpr auto hidden_parameters_key = "hidden_parameters";

class WrongArguments {
 public:
  explicit WrongArguments(const Function& f) : f_(f) {}

  /// "main: argument B (2 of 3)": what a sentence about one argument begins with.
  std::string argument(std::size_t i) const;

  std::string count(const std::string& given) const;
  /// `given` in words: "an integer".
  std::string kind(std::size_t i, const std::string& given) const;
  /// An integer that its type cannot hold.
  std::string value(std::size_t i, const std::string& given) const;
  std::string element_type(std::size_t i, const std::string& given) const;
  std::string rank(std::size_t i, const std::string& given) const;
  /// Dimensions are counted from 0 here, and from 1 in the sentences.
  std::string extent(std::size_t i, std::size_t dimension, const std::string& given,
                     const std::string& expected) const;
  std::string stride(std::size_t i, std::size_t dimension, const std::string& given,
                     const std::string& expected) const;
  std::string negative_stride(std::size_t i, std::size_t dimension, const std::string& given) const;
  std::string alignment(std::size_t i, const std::string& beyond, std::int64_t alignment) const;
  /// An extent is 0, and argument `written` is there to be written.
  std::string empty(std::size_t i, std::size_t dimension, std::size_t written) const;
  std::string nothing_to_write() const;
  std::string assumption(const Expr& condition) const;

  /// What the parameter is, in words: "a tensor".
  static std::string expected_kind(const Parameter& parameter);
  /// The values that an integer of fewer than 64 bits may have.
  static std::int64_t least_value(DataType type);
  static std::int64_t greatest_value(DataType type);

 private:
  std::size_t callers_parameters() const;
  const Function& f_;
};

}  // namespace ardea
