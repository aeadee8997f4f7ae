#pragma once

#include <cstddef>
#include <string>

namespace ardea::cli {

/// How far something long is, on the error stream: one live line on a terminal; else lines further and
/// further apart, the first after two seconds, so that what is soon done says nothing.
class Progress {
 public:
  /// "check": of `all` samples.
  Progress(std::string what, std::size_t all);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void tell(std::size_t done, std::size_t invalid);

 private:
  std::string line(std::size_t done, std::size_t invalid, double seconds) const;

  std::string what_;
  std::size_t all_;
  bool is_live_, is_shown_ = false;
  double start_, next_, pause_;
};

}  // namespace ardea::cli
