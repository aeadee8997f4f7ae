#include "ardea/support/data_type.h"

#include <charconv>

namespace ardea {

namespace {

std::string scalar_name(DataType type) {
  switch (type.code) {
    case TypeCode::boolean: return "bool";
    case TypeCode::integer: return "int" + std::to_string(type.bits);
    case TypeCode::unsigned_integer: return "uint" + std::to_string(type.bits);
    case TypeCode::floating: return "float" + std::to_string(type.bits);
    case TypeCode::bfloat: return "bfloat16";
    case TypeCode::float8_e4m3: return "float8_e4m3";
    case TypeCode::float8_e5m2: return "float8_e5m2";
    case TypeCode::handle: return "handle";
    case TypeCode::none: return "void";
  }
  return "void";
}

}  // namespace

std::string to_string(DataType type) {
  std::string name = scalar_name(type);
  if (type.lanes != 1) name += "x" + std::to_string(type.lanes);
  return name;
}

std::optional<DataType> parse_data_type(std::string_view name) {
  if (name == "handle") return handle_type;
  if (name == "void") return no_type;
  for (const DataType type : element_types) {
    const std::string scalar = to_string(type);
    if (name.substr(0, scalar.size()) != scalar) continue;
    const std::string_view rest = name.substr(scalar.size());
    if (rest.empty()) return type;
    int lanes = 0;
    if (rest.size() < 2 || rest[0] != 'x') continue;
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), lanes);
    if (error != std::errc() || end != rest.data() + rest.size() || lanes < 2 || lanes > 4096) continue;
    return type.with_lanes(lanes);
  }
  return std::nullopt;
}

}  // namespace ardea
