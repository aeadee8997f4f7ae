#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "ardea/db/record.h"
#include "ardea/measure/work.h"

namespace ardea::cli {

/// A file with a line a trial: number, operations a second, what came of it, its time, its ways and knobs.
/// Each line is on the disk as soon as its trial is.
class TrialCsv {
 public:
  /// No file where the path is empty. `option` is where a user named it: Error with it where it cannot be
  /// written.
  TrialCsv(std::filesystem::path path, std::string option);
  void add(const db::Trial& trial, const std::optional<measure::Work>& work);

 private:
  void write(const std::string& text);

  std::filesystem::path path_;
  std::string option_;
  std::ofstream out_;
};

}  // namespace ardea::cli
