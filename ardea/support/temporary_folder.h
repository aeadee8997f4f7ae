#pragma once

#include <filesystem>

namespace ardea {

/// An empty folder for files that others are made from; it goes with everything in it. A library that was
/// loaded from it needs its file no longer.
class TemporaryFolder {
 public:
  TemporaryFolder();  ///< Error, with what to set, where there is no room for one
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ardea
