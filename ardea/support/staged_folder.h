#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ardea {

/// Files that come into a folder all together or not at all. They are written into path(), a folder of its
/// own inside the destination, and publish() moves them in. What is not published disappears, with every
/// folder that was made for it. Sentences of Errors begin with `request`, such as "--save out".
class StagedFolder {
 public:
  StagedFolder(const std::filesystem::path& destination, std::string request);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Moves the files of these names in, over what was there. The last is the manifest, which tells readers
  /// that the others are complete: an old one goes away first, the new one comes last. On an Error the
  /// folder holds what it held before.
  void publish(const std::vector<std::string>& files);

 private:
  void clean_up() noexcept;

  std::filesystem::path destination_, path_;
  std::string request_;
  std::vector<std::filesystem::path> made_;  ///< folders that were not there before, outermost first
};

}  // namespace ardea
