#include "ardea/compile/c_interface.h"

#include <algorithm>

#include "ardea/compile/c_names.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::compile {

namespace {

/// Elements in memory. Types that C lacks are their bits.
std::string element_type(DataType type) {
  if (type.is_handle()) return "void*";
  if (type.is_bool()) return "uint8_t";
  if (type == float32.with_lanes(type.lanes)) return "float";
  if (type == float64.with_lanes(type.lanes)) return "double";
  const int bits = std::max<int>(type.bits, 8);
  return fmt::format("{}int{}_t", type.is_int() ? "" : "u", bits);
}

/// A value by itself. What is narrower than float is rounded to its type by the callee.
std::string scalar_type(DataType type) {
  if (type.is_bool()) return "int";
  if (type.is_float()) return type.bits == 64 ? "double" : "float";
  return element_type(type);
}

std::string extents(const Buffer& b) {
  std::vector<std::string> texts;
  for (const Expr& extent : b->shape) texts.push_back(print(extent));
  return join(texts, ", ");
}

/// What C's type does not say about the elements.
std::string storage_note(DataType type) {
  if (type.is_bool()) return ", a byte each, 0 or 1";
  if (type.is_integer() && type.bits == 4) return ", two in a byte, the even one in the low half";
  const bool has_c_type = type.is_integer() || type.is_handle() || type.bits >= 32;
  return has_c_type ? "" : ", as their bits";
}

CParameter buffer_parameter(const Buffer& b, Role role, std::string name, std::int64_t alignment_bytes) {
  CParameter out;
  out.name = std::move(name);
  out.role = role;
  out.type = (role == Role::input ? "const " : "") + element_type(b->type) + "*";
  out.note = fmt::format("{}, {}[{}]{}", role == Role::in_place ? "in place" : to_string(role),
                         to_string(b->type), extents(b), storage_note(b->type));
  if (!b->strides.empty()) {
    std::vector<std::string> strides;
    for (const Expr& stride : b->strides) strides.push_back(print(stride));
    out.note += ", strides in elements [" + join(strides, ", ") + "]";
  }
  out.alignment_bytes = alignment_bytes;
  if (alignment_bytes > element_alignment_bytes(b->type))
    out.note += fmt::format(", address a multiple of {}", alignment_bytes);
  return out;
}

/// A symbolic offset is always 0 (an array begins at its first element), so that nobody needs to give it.
std::vector<Var> sizes_of(const Function& f) {
  std::vector<Var> sizes;
  for (const Var& var : shape_variables(f)) {
    bool used = false;
    const auto look = [&](const Expr& e) { visit_exprs(e, [&](const Expr& x) { used = used || x == var; }); };
    for (const Parameter& p : f.parameters) {
      if (!p.buffer.defined()) continue;
      for (const Expr& extent : p.buffer->shape) look(extent);
      for (const Expr& stride : p.buffer->strides) look(stride);
    }
    if (used) sizes.push_back(var);
  }
  return sizes;
}

CFunction c_function(const Function& f, const std::string& prefix, bool on_gpu) {
  CFunction out{f, f.name, {}, sizes_of(f), {}};
  out.function.name = prefix + f.name;
  const std::string why = why_not_a_c_function(out.name());
  require(why.empty(), "function {}: {} {}, so that no C program could call it; choose another --prefix",
          f.name, in_quotes(out.name()), why);
  std::set<std::string> taken;
  const std::vector<Role> roles = argument_roles(f);
  const std::unordered_map<Var, std::int64_t> alignments = memory_alignments(f);
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Parameter& p = f.parameters[i];
    if (p.buffer.defined()) {
      out.parameters.push_back(buffer_parameter(p.buffer, roles[i], c_parameter_name(p.buffer->name, taken),
                                                alignments.at(p.buffer->data)));
      continue;
    }
    const DataType type = p.var.type();
    CParameter scalar{c_parameter_name(p.var.name(), taken), scalar_type(type), "scalar, " + to_string(type)};
    if (type.is_float() && type.bits < 32) scalar.note += ", rounded to it";
    if (type.is_integer() && type.bits < 8) scalar.note += ", must fit it";
    out.parameters.push_back(std::move(scalar));
  }
  for (const Var& size : out.sizes) {
    const bool is_extent = std::any_of(f.parameters.begin(), f.parameters.end(), [&](const Parameter& p) {
      return p.buffer.defined() &&
             std::find(p.buffer->shape.begin(), p.buffer->shape.end(), size) != p.buffer->shape.end();
    });
    out.size_parameters.push_back({c_parameter_name(size.name(), taken), "int64_t",
                                   is_extent ? "size, at least 0" : "stride in elements, at least 0"});
  }
  if (on_gpu)
    out.stream = CParameter{c_parameter_name("stream", taken), "void*",
                            "the cudaStream_t or CUstream that it runs in; NULL: the default stream"};
  return out;
}

}  // namespace

std::string CFunction::declaration() const {
  std::vector<std::string> list;
  for (const CParameter& p : parameters) list.push_back(p.type + " " + p.name);
  for (const CParameter& p : size_parameters) list.push_back(p.type + " " + p.name);
  if (stream) list.push_back(stream->type + " " + stream->name);
  return fmt::format("int {}({})", name(), list.empty() ? "void" : join(list, ", "));
}

std::vector<CFunction> c_interface(const Module& m, const std::string& prefix, bool on_gpu) {
  std::vector<CFunction> functions;
  std::set<std::string> names;
  for (const Function& f : m.functions) {
    functions.push_back(c_function(f, prefix, on_gpu));
    for (const std::string& name : {functions.back().name(), functions.back().error_name()})
      require(names.insert(name).second, "function {}: two C functions would be called {}; rename one",
              f.name, name);
  }
  return functions;
}

}  // namespace ardea::compile
