#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace peer {

/// A shared library, opened as a copy of its own: libraries choose their kernels once for each process, by
/// what they know of processors, and do not know those that are newer. A second copy can be made to choose
/// others.
class OwnLibrary {
 public:
  /// Where the environment does not name `variable`, it is `value` while the library starts; an empty value
  /// leaves the choice to the library.
  OwnLibrary(const std::string& file, const std::string& variable, const std::string& value);

  /// The same without a copy, for one that looks for its parts in its own folder; it has one setting for all.
  static OwnLibrary in_place(const std::string& file, const std::string& variable, const std::string& value);

  /// The library reads `variable` when it is first called, instead of when it is opened.
  void start(const std::function<void()>& first_call) const;

  template <class F>
  F function(const char* symbol) const {
    return reinterpret_cast<F>(find(symbol));
  }

 private:
  OwnLibrary(const std::string& file, const std::string& opened, const std::string& variable,
             const std::string& value);
  void* find(const char* symbol) const;
  void with_setting(const std::function<void()>& body) const;

  std::string file_, variable_, value_;
  std::shared_ptr<void> handle_;
};

/// The least time of some calls, after one that is not timed.
double fastest_s(const std::function<void()>& call);

}  // namespace peer
