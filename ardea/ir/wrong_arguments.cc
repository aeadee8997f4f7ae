#include "ardea/ir/wrong_arguments.h"

#include <fmt/core.h>

#include "ardea/ir/print.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

const std::string& name_of_parameter(const Parameter& p) {
  return p.buffer.defined() ? p.buffer->name : p.var.name();
}

/// " (n)": where a number is not written in the program, what it is there.
std::string by_name(const Expr& e) { return e.is<IntImm>() ? "" : fmt::format(" ({})", print(e)); }

}  // namespace

std::size_t WrongArguments::callers_parameters() const {
  return f_.parameters.size() -
         static_cast<std::size_t>(integer_attribute(f_.attributes, hidden_parameters_key, 0));
}

std::string WrongArguments::argument(std::size_t i) const {
  return fmt::format("{}: argument {} ({} of {})", f_.name, name_of_parameter(f_.parameters[i]), i + 1,
                     callers_parameters());
}

std::string WrongArguments::count(const std::string& given) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < callers_parameters(); ++i) names.push_back(name_of_parameter(f_.parameters[i]));
  return fmt::format("{}: got {} arguments, takes {}: {}", f_.name, given, names.size(), join(names, ", "));
}

std::string WrongArguments::kind(std::size_t i, const std::string& given) const {
  return fmt::format("{} is {}, expected {}", argument(i), given, expected_kind(f_.parameters[i]));
}

std::string WrongArguments::value(std::size_t i, const std::string& given) const {
  const DataType type = f_.parameters[i].var.type();
  return fmt::format("{} is {}, which does not fit {}: its values are {} to {}", argument(i), given,
                     to_string(type), least_value(type), greatest_value(type));
}

std::string WrongArguments::element_type(std::size_t i, const std::string& given) const {
  return fmt::format("{} has elements of {}, expected {}", argument(i), given,
                     to_string(f_.parameters[i].buffer->type));
}

std::string WrongArguments::rank(std::size_t i, const std::string& given) const {
  return fmt::format("{} has {} dimensions, expected {}", argument(i), given,
                     f_.parameters[i].buffer->shape.size());
}

std::string WrongArguments::extent(std::size_t i, std::size_t dimension, const std::string& given,
                                   const std::string& expected) const {
  return fmt::format("{}: extent {} is {}, expected {}{}", argument(i), dimension + 1, given, expected,
                     by_name(f_.parameters[i].buffer->shape[dimension]));
}

std::string WrongArguments::stride(std::size_t i, std::size_t dimension, const std::string& given,
                                   const std::string& expected) const {
  const std::vector<Expr>& declared = f_.parameters[i].buffer->strides;
  return fmt::format("{}: the stride of dimension {} is {} elements, expected {}{}; pass {}", argument(i),
                     dimension + 1, given, expected, declared.empty() ? "" : by_name(declared[dimension]),
                     declared.empty() ? "a compact copy" : "an array or a copy with that stride");
}

std::string WrongArguments::negative_stride(std::size_t i, std::size_t dimension,
                                            const std::string& given) const {
  return fmt::format("{}: the stride of dimension {} is {}, must not be negative", argument(i), dimension + 1,
                     given);
}

std::string WrongArguments::alignment(std::size_t i, const std::string& beyond,
                                      std::int64_t alignment) const {
  return fmt::format("{} begins {} bytes after a multiple of {}, must begin on one; pass an aligned copy",
                     argument(i), beyond, alignment);
}

std::string WrongArguments::empty(std::size_t i, std::size_t dimension, std::size_t written) const {
  return fmt::format(
      "{}: extent {} is 0, but {}, which it writes, is not empty: nothing would be computed for it; fill it "
      "yourself, or leave the call out",
      argument(i), dimension + 1, name_of_parameter(f_.parameters[written]));
}

std::string WrongArguments::nothing_to_write() const {
  return f_.name + ": an array is empty, and there is none to write to";
}

std::string WrongArguments::assumption(const Expr& condition) const {
  return fmt::format("{}: the sizes must fulfil {}, and they do not", f_.name, print(condition));
}

std::string WrongArguments::expected_kind(const Parameter& parameter) {
  if (parameter.buffer.defined()) return "a tensor";
  if (parameter.var.type().is_handle()) return "a handle";
  return parameter.var.type().is_float() ? "a float" : "an integer";
}

std::int64_t WrongArguments::least_value(DataType type) {
  return type.is_uint() || type.is_bool() ? 0 : -(std::int64_t{1} << (type.bits - 1));
}

std::int64_t WrongArguments::greatest_value(DataType type) {
  if (type.is_bool()) return 1;
  return (std::int64_t{1} << (type.is_uint() ? type.bits : type.bits - 1)) - 1;
}

}  // namespace ardea
