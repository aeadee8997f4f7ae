#include "tests/random/index_expression.h"

#include <fmt/core.h>

#include <algorithm>

namespace ardea::random_programs {

namespace {

/// 0 where b is 0: machines differ there (x86_64 traps), and a place that is never reached may still be
/// looked at.
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return b == 0 ? 0 : a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace

IndexExpression::IndexExpression(std::int64_t number) : number_(number) {}

IndexExpression::IndexExpression(Op op, const IndexExpression& a, const IndexExpression& b)
    : op_(op),
      left_(std::make_shared<const IndexExpression>(a)),
      right_(std::make_shared<const IndexExpression>(b)) {}

IndexExpression IndexExpression::loop(std::size_t position) {
  IndexExpression made(static_cast<std::int64_t>(position));
  made.op_ = Op::loop;
  return made;
}

std::int64_t IndexExpression::value(const std::vector<std::int64_t>& loops) const {
  if (op_ == Op::number) return number_;
  if (op_ == Op::loop) return loops.at(static_cast<std::size_t>(number_));
  const std::int64_t a = left_->value(loops), b = right_->value(loops);
  switch (op_) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return floor_quotient(a, b);
    case Op::remainder: return a - floor_quotient(a, b) * b;
    case Op::least: return std::min(a, b);
    default: return std::max(a, b);
  }
}

std::string IndexExpression::text(const std::vector<std::string>& names) const {
  if (op_ == Op::number) return std::to_string(number_);
  if (op_ == Op::loop) return names.at(static_cast<std::size_t>(number_));
  const std::string a = left_->text(names), b = right_->text(names);
  switch (op_) {
    case Op::add: return fmt::format("({} + {})", a, b);
    case Op::subtract: return fmt::format("({} - {})", a, b);
    case Op::multiply: return fmt::format("({} * {})", a, b);
    case Op::divide: return fmt::format("({} // {})", a, b);
    case Op::remainder: return fmt::format("({} % {})", a, b);
    case Op::least: return fmt::format("T.min({}, {})", a, b);
    default: return fmt::format("T.max({}, {})", a, b);
  }
}

IndexExpression operator+(const IndexExpression& a, const IndexExpression& b) {
  return {IndexExpression::Op::add, a, b};
}
IndexExpression operator-(const IndexExpression& a, const IndexExpression& b) {
  return {IndexExpression::Op::subtract, a, b};
}
IndexExpression operator*(const IndexExpression& a, const IndexExpression& b) {
  return {IndexExpression::Op::multiply, a, b};
}
IndexExpression floor_div(const IndexExpression& a, const IndexExpression& b) {
  return {IndexExpression::Op::divide, a, b};
}
IndexExpression floor_mod(const IndexExpression& a, const IndexExpression& b) {
  return {IndexExpression::Op::remainder, a, b};
}
IndexExpression least(const IndexExpression& a, const IndexExpression& b) {
  return {IndexExpression::Op::least, a, b};
}
IndexExpression greatest(const IndexExpression& a, const IndexExpression& b) {
  return {IndexExpression::Op::greatest, a, b};
}

}  // namespace ardea::random_programs
