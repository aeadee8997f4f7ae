#include "ardea/support/temporary_folder.h"

#include <cstdlib>
#include <string>

#include "ardea/support/error.h"

namespace ardea {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "ardea-XXXXXX").string();
  require(!error && mkdtemp(name.data()) != nullptr,
          "no temporary folder can be made in {}; set TMPDIR to a folder with space",
          fs::path(name).parent_path().string());
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace ardea
