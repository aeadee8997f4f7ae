#include "ardea/cli/save.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>

#include "ardea/cli/describe.h"
#include "ardea/runtime/npy.h"
#include "ardea/support/error.h"
#include "ardea/support/whole_file.h"

namespace ardea::cli {

namespace fs = std::filesystem;

namespace {

/// A folder beside the destination that disappears with its contents unless they were moved.
class Staging {
 public:
  explicit Staging(const fs::path& destination)
      : destination_(destination),
        path_(fs::absolute(destination).lexically_normal().string() + ".partial-" +
              std::to_string(getpid())) {
    std::error_code error;
    require(!fs::exists(destination) || fs::is_directory(destination),
            "--save {}: there is a file of that name; give a folder", destination.string());
    fs::create_directories(path_, error);
    require(!error, "--save {}: the folder cannot be made: {}", destination.string(), error.message());
  }
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const fs::path& path() const { return path_; }

  /// The manifest last: a folder with a manifest is complete.
  void publish(const std::vector<std::string>& files) {
    std::error_code error;
    fs::create_directories(destination_, error);
    require(!error, "--save {}: the folder cannot be made: {}", destination_.string(), error.message());
    for (const std::string& file : files) {
      fs::rename(path_ / file, destination_ / file, error);
      require(!error, "--save {}: {} cannot be moved there: {}", destination_.string(), file,
              error.message());
    }
  }

 private:
  fs::path destination_, path_;
};

/// Names are for people and need not be unique; files are.
std::string unique_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int i = 1; !taken.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

}  // namespace

void save_run(const fs::path& folder, const Function& f, const std::vector<interp::Argument>& before,
              const std::vector<interp::Argument>& after, const nlohmann::json& about) {
  Staging staging(folder);
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
    if (!f.parameters[i].buffer) {
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
