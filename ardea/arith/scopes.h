#pragma once

#include <optional>
#include <unordered_map>
#include <variant>

#include "ardea/arith/needed_facts.h"
#include "ardea/arith/reasoner.h"
#include "ardea/arith/regions.h"

/// What is remembered of the facts that questions were asked under, and of the answers. Passes and steps walk
/// through the same program again and again: three of four questions have been asked before.
///
/// An answer is a function of the facts and the question, by their content: who works it out begins with a
/// Reasoner that was not asked anything before. So is what it costs; and an answer that is remembered is
/// charged what it cost. Hence neither an answer nor a limit of work (work.h) depends on what was asked
/// before, or on what is remembered of it. What is remembered holds the nodes that it names.

namespace ardea::arith {

/// A question under some facts, by its content.
struct AskedAbout {
  enum class What { simple_form, truth, constant_bounds, bounds, congruence, coefficients, box, own_writes };

  What what;
  std::vector<Expr> exprs = {};  ///< by what they say
  // The rest by identity.
  Buffer buffer = {};
  Stmt statement = {};
  std::shared_ptr<const Facts> other_facts = {};
  std::int64_t number = 0;
};

using RememberedAnswer = std::variant<std::monostate, bool, Expr, Proof, Interval, SymbolicBounds, Congruence,
                                      std::optional<std::vector<Expr>>, Touched>;

/// All that was asked under one list of facts.
class Scope {
 public:
  Scope(std::shared_ptr<const Facts> facts, Reasoner fresh, NeededFacts needed)
      : facts_(std::move(facts)), fresh_(std::move(fresh)), needed_(std::move(needed)) {}

  /// One that has understood the facts and has not been asked anything yet.
  Reasoner reasoner() const {
    Reasoner reasoner = fresh_;
    reasoner.begin_question();
    return reasoner;
  }
  const Reasoner& fresh() const { return fresh_; }
  const NeededFacts& needed() const { return needed_; }
  /// The facts that a question with these expressions needs.
  std::shared_ptr<const Facts> facts_for(const std::vector<Expr>& named) {
    return needed_.among(facts_, fresh_, named);
  }

  struct Answer {
    AskedAbout question;
    std::int64_t steps;       ///< what it cost; where it was given up, what was not enough
    RememberedAnswer answer;  ///< nothing where it was given up
  };
  const Answer* find(std::uint64_t hash, const AskedAbout& question) const;
  void remember(std::uint64_t hash, Answer answer);

 private:
  std::shared_ptr<const Facts> facts_;  ///< held, so that no other facts get its address
  Reasoner fresh_;
  NeededFacts needed_;
  std::unordered_multimap<std::uint64_t, Answer> answers_ = {};
};

/// That of the facts. Valid until the next call.
Scope& scope_of(const std::shared_ptr<const Facts>& facts);
/// The same of those that a question with these expressions needs.
Scope& scope_for(const std::shared_ptr<const Facts>& facts, const std::vector<Expr>& named);

/// For measuring: what the next question finds is what the first one of a process does.
void forget_scopes();

/// A question pays its share for understanding the facts, whether somebody has done so already or not.
inline void pay_for(const Scope& scope) {
  Question::spend(1 + scope.fresh().price() / questions_that_share_facts);
}

/// One that has not been asked anything yet, paid for.
Reasoner fresh_reasoner_for(const std::shared_ptr<const Facts>& facts);

/// The hash of a question, where it may be remembered.
std::optional<std::uint64_t> hash_of(const AskedAbout& about);

/// One question: what `ask` makes of a Reasoner, or `otherwise` where it would cost too much.
template <class Answer, class Ask>
Answer remembered(const std::shared_ptr<const Facts>& facts, const AskedAbout& about, Answer otherwise,
                  const Ask& ask) {
  const auto hash = hash_of(about);
  const Question question(steps_of_a_question);
  Scope* scope = nullptr;
  try {
    Question::spend(1);
    scope = hash ? &scope_for(facts, about.exprs) : &scope_of(facts);
    if (const Scope::Answer* known = hash ? scope->find(*hash, about) : nullptr) {
      const auto* answer = std::get_if<Answer>(&known->answer);
      if (answer != nullptr || question.given() <= known->steps) {
        Question::spend(answer != nullptr ? known->steps - question.spent() : question.given());
        // What stays as it is stays the node that it is.
        if constexpr (std::is_same_v<Answer, Expr>)
          if (*answer == known->question.exprs[0]) return about.exprs[0];
        return *answer;
      }
    }
    pay_for(*scope);
    Reasoner reasoner = scope->reasoner();
    Answer answer = ask(reasoner);
    if (hash) scope->remember(*hash, {about, question.spent(), answer});
    return answer;
  } catch (const OutOfWork&) {
    if (scope != nullptr && hash) scope->remember(*hash, {about, question.given(), {}});
    return otherwise;
  }
}

/// An analysis that asks many questions: what `work` gives, within so many steps. What it says where they
/// were not enough is not remembered.
template <class Answer, class Work>
Answer remembered_analysis(const std::shared_ptr<const Facts>& facts, const AskedAbout& about,
                           std::int64_t most_steps, const Work& work) {
  const auto hash = hash_of(about);
  const Question question(most_steps);
  if (!hash || Question::is_exhausted()) return work();
  if (const Scope::Answer* known = scope_of(facts).find(*hash, about);
      known != nullptr && known->steps < question.given()) {
    Question::spend(known->steps);
    return std::get<Answer>(known->answer);
  }
  Answer answer = work();
  if (!Question::is_exhausted()) scope_of(facts).remember(*hash, {about, question.spent(), answer});
  return answer;
}

}  // namespace ardea::arith
