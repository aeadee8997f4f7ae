#pragma once

#include "ardea/search/ground.h"
#include "ardea/search/history.h"
#include "ardea/search/strategy.h"

namespace ardea::search {

/// What all strategies have in common: the first points first, nothing twice, and points by chance where a
/// method proposes too few.
class Proposer : public Strategy {
 public:
  /// Options are complete and within their ranges.
  explicit Proposer(const Setting& setting)
      : ground_(setting), random_(setting.seed), setting_(setting), waiting_(setting.first) {}

  std::vector<space::Choice> ask(std::size_t count, const Extra& extra) final;
  void tell(const cost::Known& result) final;

 protected:
  /// Points that are worth a trial, best first; those that are known already are passed over.
  virtual std::vector<space::Choice> propose(std::size_t count) = 0;

  /// Whether the model's predictions say anything yet.
  bool has_model() const { return setting_.model && setting_.model->is_trained(); }
  double option(const char* name) const { return setting_.options.at(name); }
  std::size_t count_of(const char* name) const { return static_cast<std::size_t>(option(name)); }

  /// How many of a batch are not left to chance, each with this probability. (What is not proposed is drawn.)
  std::size_t without_chance(std::size_t count, double probability);
  /// For searches without a model: new points that are one move away from the fastest, by their speed.
  std::vector<space::Choice> from_the_best(
      std::size_t count, const std::function<std::optional<space::Choice>(const space::Choice&)>& move);

  Ground ground_;
  History history_;
  Random random_;
  Setting setting_;

 private:
  std::vector<space::Choice> waiting_;  ///< of the first ones
};

}  // namespace ardea::search
