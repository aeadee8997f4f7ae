#include "programs.h"

#include <cmath>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/load.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/random.h"

namespace ardea::lower {

const target::Target& generic_machine() {
  static const target::Target machine = target::find("generic-x86_64");
  return machine;
}

const target::Target& gpu() {
  static const target::Target h200 = target::find("h200");
  return h200;
}

Function function_of(const std::string& text) {
  const Module module = arith::load_program(text, "program");
  EXPECT_EQ(module.functions.size(), 1u);
  return module.functions[0];
}

Function function_of(const Program& program) { return function_of(program.text); }

namespace {

void fill(const runtime::Array& array, const Program& program, Random& random) {
  for (std::int64_t i = 0; i < array.element_count(); ++i) {
    if (array.type().is_float())
      array.set_float(i, std::ldexp(random.real() * 2 - 1, static_cast<int>(random.integer(-4, 4))));
    else
      array.set_int(i, random.integer(program.smallest_integer, program.largest_integer));
  }
}

}  // namespace

std::vector<interp::Argument> arguments_of(const Function& f, const Program& program, std::uint64_t seed) {
  Random random(seed);
  std::vector<interp::Argument> arguments;
  for (const Parameter& p : f.parameters) {
    if (!p.buffer.defined()) {
      if (p.var.type().is_float())
        arguments.emplace_back(random.real() + 0.5);
      else
        arguments.emplace_back(random.integer(p.var.type().is_int() ? program.smallest_integer : 0,
                                              p.var.type().is_bool() ? 1 : program.largest_integer));
      continue;
    }
    std::vector<std::int64_t> shape;
    for (const Expr& extent : p.buffer->shape) {
      Expr value = extent;
      for (const Var& size : free_variables(extent))
        value = substitute(value, size, make_int(program.sizes.at(size.name()), size.type()));
      shape.push_back(constant_int(arith::Analyzer().simplify(value)).value());
    }
    const runtime::Array array = runtime::Array::zeros(shape, p.buffer->type);
    fill(array, program, random);
    arguments.emplace_back(array);
  }
  return arguments;
}

std::vector<interp::Argument> copies(const std::vector<interp::Argument>& arguments) {
  std::vector<interp::Argument> out;
  for (const interp::Argument& a : arguments) {
    const auto* array = std::get_if<runtime::Array>(&a);
    out.push_back(array != nullptr ? interp::Argument(array->copy()) : a);
  }
  return out;
}

std::string difference(const std::vector<interp::Argument>& a, const std::vector<interp::Argument>& b,
                       int units) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto* x = std::get_if<runtime::Array>(&a[i]);
    const auto* y = std::get_if<runtime::Array>(&b[i]);
    if (x == nullptr) continue;
    for (std::int64_t e = 0; e < x->element_count(); ++e) {
      if (x->get_bits(e) == y->get_bits(e)) continue;
      const double u = x->get_float(e), v = y->get_float(e);
      if (x->type().is_float() && std::isnan(u) && std::isnan(v)) continue;
      const auto apart =
          static_cast<std::int64_t>(x->get_bits(e)) - static_cast<std::int64_t>(y->get_bits(e));
      if (x->type().is_float() && std::abs(apart) <= units) continue;
      return fmt::format("argument {} element {}: {} and {}", i, e, u, v);
    }
  }
  return {};
}

std::string difference_made(const Function& f, const Function& lowered, const Program& program,
                            std::uint64_t seed) {
  const std::vector<interp::Argument> given = arguments_of(f, program, seed);
  const std::vector<interp::Argument> wanted = copies(given), got = copies(given);
  interp::run(f, wanted);
  interp::run(lowered, got);
  return difference(wanted, got, 0);
}

}  // namespace ardea::lower
