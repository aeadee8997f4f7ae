#include "ardea/runtime/load_module.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "ardea/runtime/abi.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::runtime {

namespace {

const ArdeaHost this_process = {ardea_set_error,       ardea_last_error, ardea_parallel_for,
                                ardea_call_registered, ardea_allocate,   ardea_free};

/// A spelling of the path by which the dynamic linker finds the file that is there now. It takes a path that
/// it has opened before for the same library, even where the file is another one by now: so each file that
/// ever stood at the path gets a spelling of its own, with "." in it as often as others came before.
std::string spelling(const std::filesystem::path& path) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::vector<std::pair<dev_t, ino_t>>> files;
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return path;
  const std::lock_guard lock(mutex);
  auto& known = files[path];
  const auto file = std::pair(found.st_dev, found.st_ino);
  const auto at = std::find(known.begin(), known.end(), file);
  std::string text = path.parent_path();
  for (auto i = known.begin(); i != at; ++i) text += "/.";
  if (at == known.end()) known.push_back(file);
  return text + "/" + path.filename().string();
}

/// The dynamic linker's complaint, which begins with the path.
std::string complaint(const std::string& path) {
  const char* text = dlerror();
  std::string sentence = text != nullptr ? text : "no reason is given";
  if (sentence.starts_with(path + ": ")) sentence.erase(0, path.size() + 2);
  return sentence;
}

}  // namespace

Module load_module(const std::filesystem::path& path) {
  // Absolute: a bare name would be looked for among the system's libraries.
  const std::string file = spelling(std::filesystem::absolute(path).lexically_normal());
  const std::string where = "load_module(" + in_quotes(path.string()) + ")";
  const std::shared_ptr<void> library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) dlclose(handle);
  });
  require(library != nullptr,
          "{}: the library cannot be opened: {}; give the path of a .so that `ardea compile` wrote", where,
          complaint(file));
  const auto* table = static_cast<const ArdeaLibrary*>(dlsym(library.get(), "ardea_library"));
  require(table != nullptr,
          "{}: the library was not written by Ardea; give the path of a .so that `ardea compile` wrote",
          where);
  require(
      table->abi_version == ARDEA_ABI_VERSION,
      "{}: the library has version {} of the binary interface and this program version {}; compile it again",
      where, table->abi_version, ARDEA_ABI_VERSION);
  table->set_host(&this_process);
  std::vector<std::pair<std::string, Function>> functions;
  for (std::int32_t i = 0; i < table->function_count; ++i) {
    const ArdeaLibraryFunction& entry = table->functions[i];
    functions.emplace_back(entry.name, Function(entry.name, entry.code, library));
  }
  return Module(table->name, std::move(functions), library);
}

}  // namespace ardea::runtime
