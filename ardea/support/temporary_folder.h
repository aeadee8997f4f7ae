#pragma once

#include <filesystem>

namespace ardea {

/// An empty folder for files that others are made from; it goes with everything in it. A library that was
/// loaded from it needs its file no longer. Beside it lies an empty file, NAME.owner, that is locked as long
/// as the owner lives, however that ends.
class TemporaryFolder {
 public:
  TemporaryFolder();  ///< Error, with what to set, where there is no room for one
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int owner_ = -1;  ///< the lock
};

/// Takes away this user's temporary folders whose owners were killed. How many there were.
int remove_abandoned_folders();

}  // namespace ardea
