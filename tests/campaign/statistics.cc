#include "tests/campaign/statistics.h"

#include <fmt/core.h>

#include "tests/random/features.h"

namespace ardea::campaign {

void Statistics::count(const Function& f) {
  ++programs_;
  for (const std::string& feature : random_programs::features_of(f)) ++counts_[feature];
}

void Statistics::add(const Statistics& other) {
  programs_ += other.programs_;
  for (const auto& [feature, count] : other.counts_) counts_[feature] += count;
}

int Statistics::of(const std::string& feature) const {
  const auto found = counts_.find(feature);
  return found == counts_.end() ? 0 : found->second;
}

std::string Statistics::table() const {
  std::string text = fmt::format("{:<34}{:>9}{:>8}\n", "feature", "programs", "%");
  for (const std::string& feature : random_programs::all_features())
    text += fmt::format("{:<34}{:>9}{:>8.1f}\n", feature, of(feature),
                        100.0 * of(feature) / std::max(programs_, 1));
  return text;
}

}  // namespace ardea::campaign
