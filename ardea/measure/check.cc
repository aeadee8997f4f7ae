#include "ardea/measure/check.h"

#include <cmath>
#include <span>

#include "ardea/arith/analyzer.h"
#include "ardea/compile/compile.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/measure/error_bounds.h"
#include "ardea/measure/inputs.h"
#include "ardea/measure/reference_order.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"

namespace ardea::measure {

namespace {

/// The interpreter evaluates some ten million expressions a second; a few seconds are a good price for the
/// oracle itself.
constexpr double interpreter_limit = 3e7;

double count_expressions(const Stmt& s) {
  double count = 1;
  visit_exprs(s, [&](const Expr&) { ++count; });
  return count;
}

double work(const Stmt& s, arith::Analyzer facts) {
  if (!s.defined()) return 0;
  if (const auto* loop = s.as<For>()) {
    const arith::ConstantBounds extent = facts.constant_bounds(loop->extent);
    facts.bind(loop->var, {loop->min, loop->extent});
    return static_cast<double>(extent.high.value_or(64)) * work(loop->body, facts);
  }
  if (const auto* block = s.as<Block>())
    return 2.0 + work(block->init, facts) + work(block->body, facts) +
           static_cast<double>(block->iterators.size());
  if (s.is<Store>() || s.is<Evaluate>() || s.is<Assert>()) return count_expressions(s);
  double sum = 1;
  for_each_child(s, [&](const Expr&) { sum += 1; }, [&](const Stmt& inner) { sum += work(inner, facts); });
  return sum;
}

/// A scalar arrives rounded to its parameter's type.
interp::Argument carried_scalar(const interp::Argument& argument, DataType type) {
  const auto* value = std::get_if<double>(&argument);
  return value != nullptr && type.is_float() ? round_to_type(*value, type) : argument;
}

interp::Argument carried(const interp::Argument& argument, DataType type) {
  const auto* array = std::get_if<runtime::Array>(&argument);
  if (array == nullptr) return argument;
  if (array->type() == type) return array->copy_with_strides();
  const runtime::Array copy = runtime::Array::zeros(array->shape(), array->strides(), type);
  for (std::int64_t i = 0; i < array->element_count(); ++i) copy.set_float(i, array->get_float(i));
  return copy;
}

void run_compiled(const Function& f, const std::vector<interp::Argument>& arguments) {
  // No contraction, and the interpreter's functions: the rules count every rounding of the reference.
  const runtime::Function compiled =
      compile::callable(f, target::host(), {.contract = false, .library_functions = true});
  std::vector<runtime::Value> values;
  for (const interp::Argument& argument : arguments)
    std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
  compiled.call(values);
}

bool bit_equal(const runtime::Array& a, const runtime::Array& b, std::int64_t i) {
  return a.get_bits(i) == b.get_bits(i);
}

/// One element against its reference.
void compare_element(Comparison& c, std::int64_t i, const runtime::Array& got, const runtime::Array& expected,
                     const runtime::Array* bounds) {
  const double tolerance = bounds == nullptr ? 0 : bounds->get_float(i);
  const bool exact_integer = !got.type().is_float() && tolerance == 0;
  const double g = got.type().is_float() ? got.get_float(i) : static_cast<double>(got.get_int(i));
  const double e =
      expected.type().is_float() ? expected.get_float(i) : static_cast<double>(expected.get_int(i));
  const double error = std::fabs(g - e);
  bool agrees = exact_integer ? bit_equal(got, expected, i) : g == e || error <= tolerance;
  if (std::isnan(tolerance) || std::isinf(tolerance)) {
    ++c.unbounded;
    // Nothing is known about the value, but NaN never agrees where the reference is a number.
    agrees = !std::isnan(g) && !std::isnan(e);
  } else if (!std::isnan(error) && g != e) {
    c.largest_error = std::max(c.largest_error, error);
    if (tolerance > 0) c.largest_ratio = std::max(c.largest_ratio, error / tolerance);
  }
  if (agrees) return;
  if (c.mismatches++ > 0) return;
  c.index = i;
  c.got = g;
  c.expected = e;
  c.tolerance = tolerance;
}

/// The same of all elements that agree with a finite tolerance, of arrays without gaps, in a loop that is
/// quick: an answer of a million elements is compared at every trial. The first element that it leaves to
/// compare_element.
template <class GotAt>
std::int64_t compare_agreeing(Comparison& c, std::int64_t begin, const GotAt& got_at,
                              std::span<const double> expected, std::span<const double> bounds) {
  const auto end = static_cast<std::int64_t>(expected.size());
  for (std::int64_t i = begin; i < end; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double g = got_at(at), e = expected[at], tolerance = bounds[at];
    const double error = std::fabs(g - e);
    if (!(error <= tolerance) || std::isinf(tolerance)) return i;
    if (error > c.largest_error) c.largest_error = error;
    if (error > c.largest_ratio * tolerance) c.largest_ratio = error / tolerance;
  }
  return end;
}

/// The value of each pattern of 16 bits.
std::vector<float> values_of_patterns(DataType type) {
  std::vector<float> values(std::size_t{1} << 16U);
  for (std::uint32_t bits = 0; bits < values.size(); ++bits)
    values[bits] = static_cast<float>(decode_narrow(bits, narrow_format(type)));
  return values;
}

void compare_all(Comparison& c, const runtime::Array& got, const runtime::Array& expected,
                 const runtime::Array* bounds) {
  const bool is_plain = bounds != nullptr && bounds->is_contiguous() && bounds->type() == float64 &&
                        expected.is_contiguous() && expected.type() == float64 && got.is_contiguous();
  const std::int64_t end = got.element_count();
  const bool is_narrow = got.type() == float16 || got.type() == bfloat16;
  // A table is worth its making where it is asked often.
  const std::vector<float> of_patterns =
      is_plain && is_narrow && end >= 1 << 16U ? values_of_patterns(got.type()) : std::vector<float>();
  const auto agreeing = [&](std::int64_t begin, const auto& got_at) {
    return compare_agreeing(c, begin, got_at, expected.values<double>(), bounds->values<double>());
  };
  for (std::int64_t i = 0; i < end; ++i) {
    if (is_plain && got.type() == float32)
      i = agreeing(i, [values = got.values<float>()](std::size_t at) { return double{values[at]}; });
    else if (is_plain && got.type() == float64)
      i = agreeing(i, [values = got.values<double>()](std::size_t at) { return values[at]; });
    else if (!of_patterns.empty())
      i = agreeing(i, [&, bits = static_cast<const std::uint16_t*>(got.data())](std::size_t at) {
        return double{of_patterns[bits[at]]};
      });
    if (i < end) compare_element(c, i, got, expected, bounds);
  }
}

}  // namespace

bool CheckReport::agrees() const {
  for (const Comparison& c : arguments)
    if (c.mismatches > 0 || c.unbounded > 0) return false;
  return true;
}

double interpreter_work(const Function& f, const std::vector<interp::Argument>& arguments) {
  Substitution sizes;
  for (const auto& [var, size] : extents_of(f, arguments)) sizes.emplace(var, make_int(size, var.type()));
  return work(substitute(f, sizes).body, {});
}

Expectation::Expectation(const Function& f, const std::vector<interp::Argument>& before,
                         Reference reference) {
  const BoundedProgram program = with_error_bounds(f);
  std::vector<interp::Argument> arguments(program.function.parameters.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const BoundedParameter& at = program.parameters[i];
    const Buffer& value = program.function.parameters[at.value].buffer;
    arguments[at.value] = value.defined() ? carried(before[i], value->type)
                                          : carried_scalar(before[i], f.parameters[i].var.type());
    if (at.bound) {
      const auto& array = std::get<runtime::Array>(before[i]);
      arguments[*at.bound] = runtime::Array::zeros(array.shape(), array.strides(), float64);
    }
  }
  if (reference == Reference::automatic)
    reference = interpreter_work(program.function, arguments) > interpreter_limit ? Reference::compiled
                                                                                  : Reference::interpreter;
  if (reference == Reference::compiled) {
    reference_ = "compiled float64";
    run_compiled(in_quick_order(program.function), arguments);
  } else {
    reference_ = "interpreter";
    try {
      interp::run(program.function, arguments);
    } catch (const Error&) {
      // The program itself stops there, too, and its sentence speaks of the user's names.
      std::vector<interp::Argument> again;
      for (const interp::Argument& argument : before) {
        const auto* array = std::get_if<runtime::Array>(&argument);
        again.push_back(array == nullptr ? argument : array->copy());
      }
      interp::run(f, again);
      throw;
    }
  }
  const std::vector<Role> roles = argument_roles(f);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (roles[i] == Role::input) continue;
    const BoundedParameter& at = program.parameters[i];
    outputs_.push_back({f.parameters[i].buffer->name, i, std::get<runtime::Array>(arguments[at.value]),
                        at.bound ? std::get<runtime::Array>(arguments[*at.bound]) : runtime::Array{}});
  }
}

CheckReport Expectation::compare(const std::vector<interp::Argument>& after) const {
  CheckReport report;
  report.reference = reference_;
  for (const Output& output : outputs_) {
    const auto& got = std::get<runtime::Array>(after[output.argument]);
    const runtime::Array* const bounds = output.bounds ? &output.bounds : nullptr;
    Comparison c{.argument = output.name, .elements = got.element_count()};
    compare_all(c, got, output.expected, bounds);
    report.arguments.push_back(c);
  }
  return report;
}

CheckReport check(const Function& f, const std::vector<interp::Argument>& before,
                  const std::vector<interp::Argument>& after, Reference reference) {
  return Expectation(f, before, reference).compare(after);
}

}  // namespace ardea::measure
