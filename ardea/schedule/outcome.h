#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/schedule/argument.h"
#include "ardea/support/error.h"

namespace ardea::schedule {

/// Why a step cannot be taken. A value: the caller decides whether it is an error.
struct Refusal {
  std::string code;       ///< stable, such as "not_a_chain"; docs/schedules.md lists them
  std::string fact;       ///< what is violated, with its values
  std::string part = {};  ///< the part of the program concerned, where that helps
  /// What would be legal, computed only when somebody asks.
  std::function<std::string()> way_out = {};

  /// The fact, then the way out. `call`, the step as the user wrote it, comes in front.
  std::string message(const std::string& call) const;
};

/// A value, or why there is none.
template <class T>
using Result = std::variant<T, Refusal>;

/// What became of references that the step did away with.
struct Forwarded {
  Reference from;
  std::vector<Reference> to;  ///< empty: nothing stands for it now
};

struct Applied {
  Function program;
  std::vector<Reference> results = {};
  std::vector<Forwarded> forwarding = {};
  /// What a sampling step chose: the trace keeps it as the step's argument `decision`.
  std::optional<Argument> decision = {};
};

/// A refusal as an error, which is what the methods of Schedule make of it.
class Refused : public Error {
 public:
  Refused(std::string code, const std::string& message) : Error(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

using Outcome = Result<Applied>;

namespace detail {

template <class T>
Refusal* refusal_in(Result<T>& result) {
  return std::get_if<Refusal>(&result);
}
inline Refusal* refusal_in(std::optional<Refusal>& check) { return check ? &*check : nullptr; }

template <class T>
T value_in(Result<T>&& result) {
  return std::get<T>(std::move(result));
}
inline void value_in(std::optional<Refusal>&&) {}

}  // namespace detail

}  // namespace ardea::schedule

/// The value of a Result; where it is a refusal, the function that asks returns it. The same of a check, an
/// optional refusal, which has no value:
///   const Path path = ARDEA_TRY(refer(f, step.loop));
///   ARDEA_TRY(refuse_unless_plain(loop));
/// It begins a statement or initialises a variable, and stands nowhere else: where it returns from within a
/// larger expression, GCC leaves what that has made so far behind.
#define ARDEA_TRY(question)                                                        \
  ({                                                                               \
    auto ardea_answer = (question);                                                \
    if (auto* ardea_refusal = ::ardea::schedule::detail::refusal_in(ardea_answer)) \
      return std::move(*ardea_refusal);                                            \
    ::ardea::schedule::detail::value_in(std::move(ardea_answer));                  \
  })
