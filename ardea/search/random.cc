#include "ardea/search/proposer.h"
#include "ardea/search/table.h"

namespace ardea::search {

namespace {

class RandomSearch : public Proposer {
 public:
  using Proposer::Proposer;

 private:
  std::vector<space::Choice> propose(std::size_t count) override { return ground_.draw(count, random_); }
};

}  // namespace

Method random_method() {
  return {.name = "random",
          .summary = "points by chance: sketches alike, the points of one uniformly",
          .make = [](const Setting& setting) { return std::make_unique<RandomSearch>(setting); }};
}

}  // namespace ardea::search
