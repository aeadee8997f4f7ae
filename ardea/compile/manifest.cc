#include "ardea/compile/manifest.h"

#include <nlohmann/json.hpp>

#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/runtime/abi.h"
#include "ardea/support/error.h"

namespace ardea::compile {

namespace {

/// FNV-1a: it tells a damaged file from a whole one, nothing more.
std::string fingerprint(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

nlohmann::json extents_json(const std::vector<Expr>& extents) {
  nlohmann::json list = nlohmann::json::array();
  for (const Expr& extent : extents) {
    if (const auto size = constant_int(extent))
      list.push_back(*size);
    else
      list.push_back(print(extent));
  }
  return list;
}

nlohmann::json parameter_json(const Parameter& p, const CParameter& c) {
  nlohmann::json entry = {{"name", p.buffer.defined() ? p.buffer->name : p.var.name()},
                          {"c_name", c.name},
                          {"c_type", c.type},
                          {"type", to_string(p.buffer.defined() ? p.buffer->type : p.var.type())},
                          {"role", to_string(c.role)}};
  if (!p.buffer.defined()) return entry;
  entry["shape"] = extents_json(p.buffer->shape);
  if (!p.buffer->strides.empty()) entry["strides"] = extents_json(p.buffer->strides);
  entry["alignment_bytes"] = c.alignment_bytes;
  return entry;
}

nlohmann::json function_json(const CFunction& f) {
  nlohmann::json parameters = nlohmann::json::array(), sizes = nlohmann::json::array();
  for (std::size_t i = 0; i < f.parameters.size(); ++i)
    parameters.push_back(parameter_json(f.function.parameters[i], f.parameters[i]));
  for (std::size_t i = 0; i < f.sizes.size(); ++i)
    sizes.push_back({{"name", f.sizes[i].name()}, {"c_name", f.size_parameters[i].name}});
  Function as_written = f.function;
  as_written.name = f.program_name;
  return {{"name", f.program_name},
          {"symbol", f.name()},
          {"error_symbol", f.error_name()},
          {"declaration", f.declaration()},
          {"hash", fmt::format("{:016x}", structural_hash(as_written))},
          {"takes_stream", f.stream.has_value()},
          {"parameters", parameters},
          {"sizes", sizes}};
}

}  // namespace

nlohmann::json manifest_json(const std::string& library, const std::vector<CFunction>& functions,
                             const target::Target& target, const ExportOptions& options,
                             const std::string& compiler, const std::vector<WrittenFile>& files) {
  nlohmann::json listed = nlohmann::json::array(), described = nlohmann::json::array();
  for (const WrittenFile& file : files)
    listed.push_back(
        {{"name", file.name}, {"bytes", file.contents.size()}, {"fnv1a64", fingerprint(file.contents)}});
  for (const CFunction& f : functions) described.push_back(function_json(f));
  nlohmann::json manifest = {{"name", library},
                             {"written_by", "Ardea " ARDEA_VERSION},
                             {"abi_version", ARDEA_ABI_VERSION},
                             {"prefix", options.prefix},
                             {"target",
                              {{"name", target.name},
                               {"arch", to_string(target.arch)},
                               {"triple", target.triple},
                               {"cpu", target.cpu},
                               {"features", target.features}}},
                             {"contract", options.build.contract},
                             {"optimization_level", options.build.optimization_level},
                             {"functions", described},
                             {"files", listed}};
  if (!compiler.empty()) manifest["c_compiler"] = compiler;
  return manifest;
}

}  // namespace ardea::compile
