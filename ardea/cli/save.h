#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/function.h"

namespace ardea::cli {

/// Writes <argument>.npy for every array (inputs and in-place arguments as they were before, outputs as they
/// are after), <argument>.out.npy for in-place ones, and manifest.json, which also gets the fields of
/// `about`. All files come into the folder together (ardea/support/staged_folder.h): on an Error it is as it
/// was.
void save_run(const std::filesystem::path& folder, const Function& f,
              const std::vector<interp::Argument>& before, const std::vector<interp::Argument>& after,
              const nlohmann::json& about);

}  // namespace ardea::cli
