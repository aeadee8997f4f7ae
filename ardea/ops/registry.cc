#include "ardea/ops/registry.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "ardea/ops/tables.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/te/create_prim_func.h"

namespace ardea::ops {

namespace {

template <class T, class F>
std::string joined(const std::vector<T>& items, const F& text) {
  std::vector<std::string> parts;
  for (const T& item : items) parts.push_back(text(item));
  return join(parts, ",");
}

std::size_t position(const Operator& op, const std::string& name) {
  for (std::size_t i = 0; i < op.sizes.size(); ++i)
    if (op.sizes[i].name == name) return i;
  throw InternalError(op.name + " has no size called " + name);
}

Count element_bytes(const Shape& shape, DataType type) {
  Count bits = type.bits;
  for (const Count extent : shape) bits = bits * extent;
  return (bits + 7) / 8;
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = [] {
    std::vector<Operator> rows;
    for (const auto& family :
         {product_operators(), convolution_operators(), row_operators(), pool_operators(), fused_operators()})
      rows.insert(rows.end(), family.begin(), family.end());
    return rows;
  }();
  return all;
}

const Operator& find(const std::string& name) {
  static const auto by_name = [] {
    std::unordered_map<std::string, const Operator*> map;
    for (const Operator& op : operators()) map[op.name] = &op;
    return map;
  }();
  if (const auto at = by_name.find(name); at != by_name.end()) return *at->second;
  std::vector<std::string> names;
  for (const Operator& op : operators()) names.push_back(op.name);
  const std::string hint = did_you_mean(name, names);
  fail("there is no operator called {}{}", in_quotes(name),
       hint.empty() ? "; there are " + join(names, ", ") : hint);
}

std::vector<std::int64_t> parse_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (const std::string& part : parts_of(text)) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    require(error != std::errc::result_out_of_range, "sizes {}: {} does not fit in 63 bits", in_quotes(text),
            part);
    require(error == std::errc() && end == part.data() + part.size(),
            "sizes {}: {} is no whole number; write numbers with commas between them, as 64,64,64",
            in_quotes(text), in_quotes(part));
    sizes.push_back(value);
  }
  return sizes;
}

std::vector<DataType> parse_types(const std::string& text) {
  std::vector<std::string> names;
  for (const DataType type : element_types) names.push_back(ardea::to_string(type));
  std::vector<DataType> types;
  for (const std::string& part : parts_of(text)) {
    const auto type = parse_data_type(part);
    const bool known = type && std::find(std::begin(element_types), std::end(element_types), *type) !=
                                   std::end(element_types);
    require(known, "there is no element type called {}{}", in_quotes(part), did_you_mean(part, names));
    types.push_back(*type);
  }
  return types;
}

std::string size_names(const Operator& op) {
  std::string text;
  for (const Size& size : op.sizes) {
    const std::string comma = text.empty() ? "" : ",";
    text += size.otherwise ? "[" + comma + size.name + "]" : comma + size.name;
  }
  return text;
}

std::int64_t size(const Workload& w, const std::string& name) {
  return w.sizes.at(position(find(w.op), name));
}

std::vector<te::Tensor> build(const Workload& w) {
  const Operator& op = find(w.op);
  const std::vector<Shape> shapes = op.shapes(w);
  std::vector<te::Tensor> tensors;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    std::vector<std::int64_t> shape;
    for (const Count extent : shapes[i]) shape.push_back(extent.value());
    tensors.push_back(te::placeholder(op.inputs[i].name, shape, w.in[i]));
  }
  tensors.push_back(op.result(w, tensors));
  return tensors;
}

Function create_function(const Workload& w, const std::string& name) {
  std::vector<te::Argument> arguments;
  for (const te::Tensor& tensor : build(w)) arguments.emplace_back(tensor);
  return te::create_prim_func(arguments, name);
}

std::int64_t flops(const Workload& w) { return find(w.op).count_flops(w).value(); }

std::int64_t bytes(const Workload& w) {
  const std::vector<Shape> shapes = find(w.op).shapes(w);
  Count total = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    total = total + element_bytes(shapes[i], i < w.in.size() ? w.in[i] : w.out);
  return total.value();
}

std::string to_string(const Workload& w) {
  const auto type_name = [](DataType t) { return ardea::to_string(t); };
  std::string text = fmt::format("{} {} in={} acc={} out={}", w.op,
                                 joined(w.sizes, [](std::int64_t s) { return std::to_string(s); }),
                                 joined(w.in, type_name), type_name(w.acc), type_name(w.out));
  if (!w.layout.empty()) text += " layout=" + w.layout;
  if (w.transpose_b) text += " transpose_b";
  return text;
}

}  // namespace ardea::ops
