#pragma once

#include <cstddef>
#include <string>

#include "ardea/cli/live_line.h"

namespace ardea::cli {

/// How far trying samples is.
class Progress {
 public:
  /// "check": of `all` samples.
  Progress(std::string what, std::size_t all) : what_(std::move(what)), all_(all) {}

  void tell(std::size_t done, std::size_t invalid);

 private:
  std::string line(std::size_t done, std::size_t invalid) const;

  std::string what_;
  std::size_t all_;
  LiveLine shown_;
};

}  // namespace ardea::cli
