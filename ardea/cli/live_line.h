#pragma once

#include <functional>
#include <string>

namespace ardea::cli {

/// What something long says of itself on the error stream: one live line on a terminal; else lines further
/// and further apart, the first after two seconds, so that what is soon done says nothing.
class LiveLine {
 public:
  LiveLine();
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  /// Made only when it is due.
  void tell(const std::function<std::string()>& line);
  double seconds() const;  ///< since it began

 private:
  bool is_live_, is_shown_ = false;
  double start_, next_, pause_;
};

}  // namespace ardea::cli
