#include "ardea/cost/surroundings.h"

#include <utility>

#include "ardea/cost/counted_program.h"

namespace ardea::cost {

using Value = Formulas::Value;

Surroundings::Surroundings(const Function& program, const Formulas::Environment& inputs, Formulas& formulas)
    : f_(formulas), environment_(inputs) {
  const Value typical = f_.number(static_cast<double>(typical_size));
  for (const Var& var : shape_variables(program)) environment_.emplace(var, typical);
  for (const Parameter& parameter : program.parameters)
    if (!parameter.buffer.defined()) environment_.emplace(parameter.var, typical);
}

void Surroundings::enter(const Around& loop) {
  define(loop.var, middle_of(loop));
  loops_.push_back(loop);
}

void Surroundings::leave() {
  environment_.erase(loops_.back().var);
  loops_.pop_back();
}

Value Surroundings::value_of(const Expr& e, const Var& var, Value value) {
  Value& place = environment_.at(var);
  const Value before = std::exchange(place, value);
  const Value result = f_.of(e, environment_);
  environment_.at(var) = before;
  return result;
}

Value Surroundings::size_of(const Expr& extent) {
  const Value size = value_of(extent);
  return size == Formulas::unknown ? f_.number(static_cast<double>(typical_size)) : size;
}

Value Surroundings::middle_of(const Around& loop) {
  const Value less_one = f_.subtract(loop.extent, f_.number(1));
  const Value half = f_.apply(Formulas::Op::floor_div, less_one, f_.number(2));
  return f_.add(loop.min, f_.max(half, f_.number(0)));
}

}  // namespace ardea::cost
