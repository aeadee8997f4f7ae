#include "ardea/cli/save.h"

#include <nlohmann/json.hpp>
#include <set>

#include "ardea/cli/describe.h"
#include "ardea/runtime/npy.h"
#include "ardea/support/staged_folder.h"
#include "ardea/support/whole_file.h"

namespace ardea::cli {

namespace fs = std::filesystem;

namespace {

/// Names are for people and need not be unique; files are.
std::string unique_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int i = 1; !taken.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

}  // namespace

void save_run(const fs::path& folder, const Function& f, const std::vector<interp::Argument>& before,
              const std::vector<interp::Argument>& after, const nlohmann::json& about) {
  StagedFolder staging(folder, "--save " + folder.string());
  std::vector<std::string> files;
  const auto write = [&](const std::string& name, const interp::Argument& argument) {
    runtime::write_npy(staging.path() / name, std::get<runtime::Array>(argument));
    files.push_back(name);
    return name;
  };
  const std::vector<std::string> roles = role_names(f);
  nlohmann::json arguments = parameters_json(f);
  std::set<std::string> taken = {"manifest"};
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    nlohmann::json& entry = arguments[i];
    if (!f.parameters[i].buffer.defined()) {
      std::visit(
          [&](const auto& value) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, runtime::Array>)
              entry["value"] = value;
          },
          before[i]);
      continue;
    }
    const auto& array = std::get<runtime::Array>(before[i]);
    const std::string name = unique_name(f.parameters[i].buffer->name, taken);
    entry["shape"] = array.shape();
    entry["file"] = write(name + ".npy", roles[i] == "output" ? after[i] : before[i]);
    if (roles[i] == "in_place") entry["out_file"] = write(name + ".out.npy", after[i]);
    if (const std::string note = runtime::npy_storage_note(array.type()); !note.empty())
      entry["storage"] = note;
  }
  nlohmann::json manifest = about;
  manifest["arguments"] = arguments;
  write_whole_file(staging.path() / "manifest.json", {manifest.dump(2), "\n"});
  files.emplace_back("manifest.json");
  staging.publish(files);
}

}  // namespace ardea::cli
