#include "ardea/te/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ardea/ir/print.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"
#include "ardea/te/create_prim_func.h"

namespace ardea::te {

namespace {

/// Expressions print as in programs, T.exp(x); in tensor expressions the same functions are te's.
std::string expression(const Expr& e) {
  const std::string text = ardea::print(e);
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_string = !in_string;
    const bool inside_word =
        i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == '_');
    if (!in_string && !inside_word && text.compare(i, 2, "T.") == 0) {
      out += "te.";
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string listed(const std::vector<Expr>& expressions) {
  std::vector<std::string> parts;
  for (const Expr& e : expressions) parts.push_back(expression(e));
  return join(parts, ", ");
}

/// As Python writes tuples: one element keeps its comma.
std::string shape(const std::vector<Expr>& extents) {
  return "(" + listed(extents) + (extents.size() == 1 ? ",)" : ")");
}

std::string names(const std::vector<Tensor>& tensors) {
  std::vector<std::string> parts;
  for (const Tensor& tensor : tensors) parts.push_back(tensor.name());
  return join(parts, ", ");
}

std::string type_suffix(DataType type) {
  return type == float32 ? "" : fmt::format(", dtype=\"{}\"", to_string(type));
}

std::string strides_suffix(const std::vector<Expr>& strides) {
  return strides.empty() ? "" : ", strides=" + shape(strides);
}

std::string alignment_suffix(std::int64_t bytes) {
  return bytes == 0 ? "" : fmt::format(", align={}", bytes);
}

std::string axis_line(const Axis& axis) {
  return fmt::format("{} = te.reduce_axis(({}, {}), name=\"{}\")\n", axis.name(), expression(axis.range.min),
                     is_zero(axis.range.min) ? expression(axis.range.extent)
                                             : expression(axis.range.min + axis.range.extent),
                     axis.name());
}

std::string body_text(const Compute& compute) {
  return std::visit(overloaded{
                        [](const std::vector<Expr>& values) {
                          return values.size() == 1 ? expression(values[0]) : "(" + listed(values) + ")";
                        },
                        [](const Reduction& reduction) {
                          std::vector<std::string> axes;
                          for (const Axis& axis : reduction.axes) axes.push_back(axis.name());
                          const std::string values = reduction.values.size() == 1
                                                         ? expression(reduction.values[0])
                                                         : "(" + listed(reduction.values) + ")";
                          const std::string where =
                              reduction.where.defined() ? ", where=" + expression(reduction.where) : "";
                          return fmt::format("te.{}({}, axis=[{}]{})", reduction.reducer->name, values,
                                             join(axes, ", "), where);
                        },
                    },
                    compute.body);
}

std::string compute_lines(const std::shared_ptr<const Operation>& operation) {
  const Compute& compute = *operation->as<Compute>();
  std::string text;
  if (const auto* reduction = std::get_if<Reduction>(&compute.body))
    for (const Axis& axis : reduction->axes) text += axis_line(axis);
  std::vector<std::string> axes;
  for (const Axis& axis : compute.axes) axes.push_back(axis.name());
  return text + fmt::format("{} = te.compute({}, lambda {}: {}, name=\"{}\")\n", names(results(operation)),
                            shape(operation->outputs[0]->shape), join(axes, ", "), body_text(compute),
                            operation->name);
}

std::string scan_lines(const Operation& operation, const Scan& scan, const std::string& outputs) {
  std::string text;
  for (const Tensor& state : scan.state)
    text += fmt::format("{} = te.placeholder({}, name=\"{}\"{})\n", state.name(), shape(state.shape()),
                        state.name(), type_suffix(state.type()));
  for (const auto& part : scan.cell) text += compute_lines(part);
  return text + fmt::format("{} = te.scan([{}], [{}], [{}], name=\"{}\")\n", outputs, names(scan.init),
                            names(scan.update), names(scan.state), operation.name);
}

std::string lines(const std::shared_ptr<const Operation>& operation) {
  const Buffer& first = operation->outputs[0];
  const std::string outputs = names(results(operation));
  return std::visit(overloaded{
                        [&](const Placeholder&) {
                          return fmt::format("{} = te.placeholder({}, name=\"{}\"{}{}{})\n", outputs,
                                             shape(first->shape), operation->name, type_suffix(first->type),
                                             strides_suffix(first->strides),
                                             alignment_suffix(first->alignment_bytes));
                        },
                        [&](const Compute&) { return compute_lines(operation); },
                        [&](const Scan& scan) { return scan_lines(*operation, scan, outputs); },
                        [&](const Extern&) {
                          return fmt::format("{} = te.extern({}, [{}], name=\"{}\")\n", outputs,
                                             shape(first->shape), names(operation->inputs), operation->name);
                        },
                    },
                    operation->kind);
}

}  // namespace

std::string print(const std::vector<Tensor>& wanted) {
  std::string text;
  for (const auto& operation : operations_of(wanted)) text += lines(operation);
  return text;
}

}  // namespace ardea::te
