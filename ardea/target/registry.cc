#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/target/named_records.h"
#include "ardea/target/target.h"

namespace ardea::target {
namespace {

Target parse_record(const std::string& text, const std::string& where) {
  nlohmann::json record;
  try {
    record = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    fail("{}: byte {} is not valid JSON; write one object with the fields that `ardea target --json` prints",
         where, e.byte);
  }
  return from_json(record, where);
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

Target load_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // A directory opens; only its first read fails.
  if (!file || (file.peek(), file.bad()))
    fail("target {}: the file cannot be read; give a readable JSON file or one of the names {}",
         in_quotes(path), join(names(), ", "));
  std::ostringstream text;
  text << file.rdbuf();
  return parse_record(text.str(), path);
}

/// The record with the tensor instructions of one family, for rules that would take another.
Target only_family(Target target, const std::string& family) {
  std::set<std::string> families;
  for (const TensorShape& shape : target.tensor_shapes) families.insert(shape.unit);
  require(families.contains(family), "target {}:{}: {} has {}", target.name, family, target.name,
          families.empty() ? "no tensor instructions"
                           : fmt::format("tensor instructions {}, not {}",
                                         join(std::vector(families.begin(), families.end()), ", "), family));
  std::erase_if(target.tensor_shapes, [&](const TensorShape& shape) { return shape.unit != family; });
  target.name += ":" + family;
  return target;
}

}  // namespace

Target find(const std::string& name_or_path) {
  if (name_or_path == "host") return host();
  if (is_path(name_or_path)) return load_file(name_or_path);
  if (const std::size_t at = name_or_path.find(':'); at != std::string::npos)
    return only_family(find(name_or_path.substr(0, at)), name_or_path.substr(at + 1));
  const auto record = named_records().find(name_or_path);
  if (record == named_records().end())
    fail("target {} is not known; use one of {} or the path of a .json file{}", in_quotes(name_or_path),
         join(names(), ", "), did_you_mean(name_or_path, names()));
  return parse_record(record->second, record->first + ".json");
}

std::vector<std::string> names() {
  std::vector<std::string> result = {"host"};
  for (const auto& [name, text] : named_records()) result.push_back(name);
  return result;
}

}  // namespace ardea::target
