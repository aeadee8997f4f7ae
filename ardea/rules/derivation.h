#pragma once

#include <any>
#include <map>
#include <set>
#include <string>
#include <typeindex>
#include <vector>

#include "ardea/rules/way.h"
#include "ardea/schedule/choices.h"
#include "ardea/schedule/posting.h"
#include "ardea/schedule/schedule.h"
#include "ardea/target/target.h"

namespace ardea::rules {

using schedule::BlockRef;
using schedule::LoopRef;
using schedule::Number;

/// What somebody who knows more than the rules wants of them.
struct Wishes {
  /// The right operand of products and the kernel of convolutions are packed before all else, by a block of
  /// its own at the root, for schedule::separate_packing.
  bool weights_ahead = false;
};

/// A schedule in the making, and the decisions that its rules leave open.
///
/// Rules are written once and run in two ways. By the model, every decision is what a model of the machine
/// says: plain numbers, the schedule that runs where nothing is tuned. As a sketch, numbers are variables,
/// and another run of the rules follows each other way. Both have the structure of templates, so that a rule
/// finds the same loops whatever the numbers are.
class Derivation : public schedule::Choices {
 public:
  /// By the model.
  Derivation(const Function& program, target::Target target, Wishes wishes = {});
  /// As a sketch that takes the given ways, and after them the model's. Where it begins as one before it did,
  /// whose steps' history is `past`, these steps are not run again.
  Derivation(const Function& program, target::Target target, std::vector<std::size_t> ways,
             schedule::Schedule::History past = {}, Wishes wishes = {});

  schedule::Schedule& steps() { return steps_; }
  const schedule::Schedule& steps() const { return steps_; }
  const target::Target& target() const { return target_; }
  const Wishes& wishes() const { return wishes_; }
  /// For a rule that packs weights: whether it shall do so ahead. That it was asked is kept: a wish is
  /// fulfilled where a rule could.
  bool packs_weights_ahead() { return has_packed_ahead_ = wishes_.weights_ahead; }
  bool has_packed_ahead() const { return has_packed_ahead_; }
  bool is_sketch() const { return is_sketch_; }

  /// A number that is chosen out of some, to which the model's is added. The name is the knob's.
  schedule::Number number(const std::string& name, std::vector<std::int64_t> values,
                          std::int64_t model) override;
  /// Factors of a loop's extent, each a knob: name_0, name_1, ….
  std::vector<schedule::Number> tile(const std::string& name, const LoopRef& loop,
                                     std::int64_t most_innermost,
                                     const std::vector<std::int64_t>& model) override;
  /// The same in expressions: for numbers that follow from others.
  schedule::Number follows(const Expr& value) const;
  /// Keeps the numbers to a condition that no step needs: without it two points would be one program.
  void keep_to(const Expr& condition, const std::string& name, const std::string& reason) override;

  /// One of several ways, each a sketch of its own; the place of the answer.
  std::size_t way(const std::string& question, const std::vector<std::string>& answers,
                  std::size_t model) override;
  bool whether(const std::string& question, bool model);

  /// A stage that a rule has scheduled, alone or as a part of another.
  void finish(const schedule::BlockRef& stage) { finished_.insert(stage.id); }
  bool is_finished(const schedule::BlockRef& stage) const { return finished_.contains(stage.id); }

  /// What a rule leaves about a stage to the rules after it, by its type; null where none has.
  template <class Note>
  void leave(const schedule::BlockRef& stage, Note note) {
    notes_[{stage.id, std::type_index(typeid(Note))}] = std::move(note);
  }
  template <class Note>
  const Note* left(const schedule::BlockRef& stage) const {
    const auto found = notes_.find({stage.id, std::type_index(typeid(Note))});
    return found == notes_.end() ? nullptr : std::any_cast<Note>(&found->second);
  }

  /// What keep_to was asked for: conditions over the knobs.
  const std::vector<schedule::Posted>& kept() const { return kept_; }
  /// The names of the rules that have taken steps, in order, each once.
  const std::vector<std::string>& rules() const { return rules_; }
  void note_rule(const std::string& name);
  /// What was taken, in order.
  const std::vector<Way>& ways() const { return ways_; }
  /// What the model says of the knobs; nothing of those that sampling steps made.
  const std::map<std::string, std::int64_t>& model() const { return model_; }

 private:
  schedule::Schedule steps_;
  target::Target target_;
  Wishes wishes_;
  bool is_sketch_ = false, has_packed_ahead_ = false;
  std::vector<std::size_t> asked_;
  std::vector<Way> ways_;
  std::vector<std::string> rules_;
  std::vector<schedule::Posted> kept_;
  std::map<std::string, std::int64_t> model_;
  std::set<BlockId> finished_;
  std::map<std::pair<BlockId, std::type_index>, std::any> notes_;
};

/// As an expression, for what follows from it.
Expr value_of(const schedule::Number& number);

}  // namespace ardea::rules
