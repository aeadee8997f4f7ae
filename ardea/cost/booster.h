#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// XGBoost's gradient-boosted trees, through its C interface, in one thread: the same trees for the same
/// rows and seed, on every machine of one architecture.

namespace ardea::cost {

/// Rows of equal length; NaN where a number is missing.
struct Rows {
  std::size_t columns = 0;
  std::vector<float> values = {};

  std::size_t size() const { return columns == 0 ? 0 : values.size() / columns; }
  const float* row(std::size_t i) const { return values.data() + i * columns; }
  void append(const float* row) { values.insert(values.end(), row, row + columns); }
};

/// What the trees are to predict.
enum class Loss : std::uint8_t {
  rank,        ///< which of two rows of one group has the greater label
  regression,  ///< the label
  logistic,    ///< the probability that the label is 1
};

struct Boosting {
  Loss loss = Loss::rank;
  int rounds = 40;
  int depth = 6;
  double rate = 0.2;
  double least_weight = 0.1;  ///< of the rows in a leaf, in sum
  double columns_share = 1;   ///< of the columns, drawn for each tree
  std::uint64_t seed = 1;
};

class Booster {
 public:
  /// Rows lie by group: `groups` has the number of rows of each, in order, and its weight.
  struct Group {
    std::size_t rows = 0;
    float weight = 1;
  };
  /// What is learned from: at least one row, as many labels. Where `margins` are given, one for each row, the
  /// trees learn what is to be added to them.
  struct Lesson {
    Rows rows;
    std::vector<float> labels;
    std::vector<Group> groups;
    std::vector<float> margins = {};
  };
  Booster(const Lesson& lesson, const Boosting& options);
  ~Booster();
  Booster(Booster&&) noexcept;
  Booster& operator=(Booster&&) noexcept;

  /// One for each row, which has the columns of those that were learned from; margins are not in it.
  std::vector<float> predict(const Rows& rows) const;
  /// By column: how much the splits on it have lowered the loss, in sum.
  std::vector<double> gains() const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::size_t columns_ = 0;
};

}  // namespace ardea::cost
