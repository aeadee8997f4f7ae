#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Integer expressions of loops that a generator can evaluate itself: so that it knows by enumeration, not by
/// proof, where its programs reach.

namespace ardea::random_programs {

class IndexExpression {
 public:
  IndexExpression(std::int64_t number);  // implicit: a number is an expression
  static IndexExpression loop(std::size_t position);

  /// Of the values of the loops. Divisors must be positive.
  std::int64_t value(const std::vector<std::int64_t>& loops) const;
  /// In the text form of programs; `names` are those of the loops.
  std::string text(const std::vector<std::string>& names) const;

  friend IndexExpression operator+(const IndexExpression& a, const IndexExpression& b);
  friend IndexExpression operator-(const IndexExpression& a, const IndexExpression& b);
  friend IndexExpression operator*(const IndexExpression& a, const IndexExpression& b);
  friend IndexExpression floor_div(const IndexExpression& a, const IndexExpression& b);
  friend IndexExpression floor_mod(const IndexExpression& a, const IndexExpression& b);
  friend IndexExpression least(const IndexExpression& a, const IndexExpression& b);
  friend IndexExpression greatest(const IndexExpression& a, const IndexExpression& b);

 private:
  enum class Op { number, loop, add, subtract, multiply, divide, remainder, least, greatest };
  IndexExpression(Op op, const IndexExpression& a, const IndexExpression& b);

  Op op_ = Op::number;
  std::int64_t number_ = 0;  ///< of a loop: its position
  std::shared_ptr<const IndexExpression> left_, right_;
};

}  // namespace ardea::random_programs
