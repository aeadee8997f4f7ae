#include <cmath>
#include <numeric>
#include <utility>

#include "ardea/search/proposer.h"
#include "ardea/search/table.h"

namespace ardea::search {

namespace {

using space::Choice;

/// Goes through the numbers of a tree's solutions in steps of about the golden section of their count, prime
/// to it: every number comes once, and the first n of them lie evenly over the space for every n.
class Cursor {
 public:
  Cursor(std::uint64_t count, Random& random) : count_(count) {
    if (count_ == 0) return;
    step_ = static_cast<std::uint64_t>(static_cast<long double>(count_) * 0.6180339887498948482L);
    step_ = std::max<std::uint64_t>(step_, 1);
    while (std::gcd(step_, count_) != 1) ++step_;
    at_ = space::Tree::below(random, count_);
  }

  bool is_at_end() const { return gone_ == count_; }
  std::uint64_t next() {
    ++gone_;
    return std::exchange(at_,
                         static_cast<std::uint64_t>((static_cast<unsigned __int128>(at_) + step_) % count_));
  }

 private:
  std::uint64_t count_, step_ = 1, at_ = 0, gone_ = 0;
};

/// In turn one of each sketch. A sketch without a tree gives points by walks, as all that is left does where
/// the constraints of a question leave so little that stepping through would take long.
class GridSearch : public Proposer {
 public:
  explicit GridSearch(const Setting& setting) : Proposer(setting) { begin(); }

 private:
  std::vector<Choice> propose(std::size_t count) override {
    // Under other constraints from the beginning: what was passed over may now be wanted.
    if (std::exchange(question_, ground_.question()) != ground_.question()) begin();
    std::vector<Choice> asked;
    std::vector<bool> is_done(ground_.sketches(), false);
    for (std::size_t done = 0; asked.size() < count && done < is_done.size();) {
      const std::size_t sketch = turn_++ % is_done.size();
      if (is_done[sketch]) continue;
      if (auto next = next_of(sketch, count)) {
        asked.push_back(*std::move(next));
      } else {
        is_done[sketch] = true;
        ++done;
      }
    }
    return asked;
  }

  void begin() {
    Random random(setting_.seed);  // the same path for the same seed, whenever it begins
    cursors_.clear();
    drawn_.assign(ground_.sketches(), {});
    for (std::size_t s = 0; s < ground_.sketches(); ++s) {
      const space::Tree* tree = ground_.solver(s).tree();
      cursors_.emplace_back(tree ? tree->count() : 0, random);
    }
  }

  std::optional<Choice> next_of(std::size_t sketch, std::size_t count) {
    if (const space::Tree* tree = ground_.solver(sketch).tree()) {
      constexpr int most_steps = 10'000;
      Cursor& cursor = cursors_[sketch];
      for (int steps = 0; steps < most_steps; ++steps) {
        if (cursor.is_at_end()) return std::nullopt;
        Choice choice{sketch, tree->point(cursor.next())};
        if (ground_.is_new(choice) && ground_.contains(choice)) return choice;
      }
    }
    // As many at once as may be wanted: each question to the walks has a price of its own.
    std::vector<Choice>& drawn = drawn_[sketch];
    for (bool is_fresh = false;; is_fresh = true) {
      for (; !drawn.empty(); drawn.pop_back())
        if (ground_.is_new(drawn.back()) && ground_.contains(drawn.back())) {
          Choice choice = std::move(drawn.back());
          drawn.pop_back();
          return choice;
        }
      if (is_fresh) return std::nullopt;
      std::vector<double> only(ground_.sketches(), 0);
      only[sketch] = 1;
      drawn = ground_.draw(count, random_, Ground::Shares::by_chance, only);
    }
  }

  std::vector<Cursor> cursors_;
  std::vector<std::vector<Choice>> drawn_;  ///< by walks, not asked for yet
  Extra question_;
  std::size_t turn_ = 0;
};

}  // namespace

Method grid_method() {
  return {.name = "grid",
          .summary = "every point once, by its number, in steps that spread over the space",
          .make = [](const Setting& setting) { return std::make_unique<GridSearch>(setting); }};
}

}  // namespace ardea::search
