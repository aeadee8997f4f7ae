#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ardea/compile/c_interface.h"
#include "ardea/compile/export_library.h"

namespace ardea::compile {

/// A file of the library, with its text or bytes.
struct WrittenFile {
  std::string name, contents;
};

/// NAME.json: the functions and how to call them, what they were compiled for and with, and the files with
/// their sizes and hashes, so that a reader can tell whether a folder is whole.
nlohmann::json manifest_json(const std::string& library, const std::vector<CFunction>& functions,
                             const target::Target& target, const ExportOptions& options,
                             const std::string& compiler, const std::vector<WrittenFile>& files);

}  // namespace ardea::compile
