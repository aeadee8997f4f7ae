#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

/// The work that a question may cost, counted in steps and not timed, so that an answer is the same on every
/// machine. A step is about what one look at one term of a sum takes: a quarter of a microsecond.

namespace ardea::arith {

/// Thrown where a question has cost all that it may; those who ask take it for "not proved", a simplification
/// leaves its expression as it is. It never leaves this folder.
struct OutOfWork {};

/// A question, for as long as it lives. What is asked on the way to its answer is paid by it, too.
class Question {
 public:
  /// `share`: the question around pays one step for so many of this one.
  explicit Question(std::int64_t most_steps, std::int64_t share = 1)
      : around_(left_), given_(share == 1 ? std::min(left_, most_steps) : most_steps), share_(share) {
    left_ = given_;
  }
  ~Question() {
    const std::int64_t paid = spent() / share_;
    shared_ += spent() - paid;
    left_ = around_ - paid;
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  /// So far. Asked only of the innermost question; one that has run out has spent all that it was given, not
  /// more.
  std::int64_t spent() const { return given_ - std::max<std::int64_t>(left_, 0); }
  std::int64_t given() const { return given_; }

  static void spend(std::int64_t steps) {
    left_ -= steps;
    if (left_ < 0) throw OutOfWork{};
  }
  /// Whether the question that is asked now has nothing left.
  static bool is_exhausted() { return left_ <= 0; }
  /// Of all questions of this thread that have ended, for measuring.
  static std::int64_t steps_taken() { return unlimited - left_ + shared_; }

 private:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 2;
  static inline thread_local std::int64_t left_ = unlimited, shared_ = 0;
  std::int64_t around_, given_, share_;
};

/// One simplification, one proof, one pair of bounds: some milliseconds. The hardest that the schedules of
/// the operator library ask for takes a quarter of it.
constexpr std::int64_t steps_of_a_question = 20'000;
/// To understand the conditions in force, once for all that is asked under them; what goes beyond is not
/// used. Each of those who ask pays a share.
constexpr std::int64_t steps_of_facts = 10'000;
constexpr std::int64_t questions_that_share_facts = 100;
/// The share of a question that nobody pays for.
constexpr std::int64_t paid_by_nobody = std::numeric_limits<std::int64_t>::max();
/// One box of what is touched, one map of iterators: many questions.
constexpr std::int64_t steps_of_a_region = 50'000;
/// What a whole nest does to a buffer: many boxes.
constexpr std::int64_t steps_of_an_analysis = 200'000;

/// What `ask` gives, or `otherwise` where it would cost more than it may.
template <class Answer, class Ask>
Answer answered(std::int64_t most_steps, Answer otherwise, const Ask& ask) {
  const Question question(most_steps);
  try {
    Question::spend(1);
    return ask();
  } catch (const OutOfWork&) {
    return otherwise;
  }
}

}  // namespace ardea::arith
