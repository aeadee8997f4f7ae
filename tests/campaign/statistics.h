#pragma once

#include <map>
#include <string>

#include "ardea/ir/function.h"

namespace ardea::campaign {

/// How many programs had each feature of random_programs::all_features().
class Statistics {
 public:
  void count(const Function& f);
  void add(const Statistics& other);

  int programs() const { return programs_; }
  int of(const std::string& feature) const;
  /// A table: feature, programs, share.
  std::string table() const;

 private:
  int programs_ = 0;
  std::map<std::string, int> counts_;
};

}  // namespace ardea::campaign
