#pragma once

#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "ardea/schedule/analysis/own_memory.h"
#include "ardea/schedule/methods.h"
#include "ardea/schedule/script.h"
#include "ardea/schedule/trace.h"

namespace ardea::schedule {

/// A program that is transformed step by step.
///
///   Schedule sch(program);
///   BlockRef c = sch.get_block("C");
///   std::vector<LoopRef> loops = sch.get_loops(c);
///   std::vector<LoopRef> tiles = sch.split(loops[0], {none, 16});
///   sch.parallel(tiles[0]);
///
/// There is a method for each primitive (methods.h). Every step is judged on the program. A refused one is an
/// Error with the call, the fact and the way out, and the schedule stays as it was.
class Schedule : public Methods<Schedule> {
 public:
  explicit Schedule(const Function& program, std::uint64_t seed = 0);
  /// The same where another context judges the steps.
  Schedule(const Function& program, std::unique_ptr<Context> context);

  const Function& program() const { return program_; }
  const Trace& trace() const { return trace_; }
  const Context& context() const { return *context_.is; }

  /// Takes the step, as its method does: what it gives.
  template <class P>
  typename P::Results results(const P& step) {
    return given<P>(apply(step), std::type_identity<typename P::Results>{});
  }
  /// The same, whatever they are.
  template <class P>
  std::vector<Reference> apply(const P& step) {
    return take(find_primitive(P::name), arguments_of(step));
  }
  /// The same where they are loops or blocks.
  template <class P>
  std::vector<LoopRef> loops(const P& step) {
    return only<LoopRef>(apply(step));
  }
  template <class P>
  std::vector<BlockRef> blocks(const P& step) {
    return only<BlockRef>(apply(step));
  }

  template <class P>
  std::vector<NumberRef> numbers(const P& step) {
    return only<NumberRef>(apply(step));
  }

  using Methods<Schedule>::get_block;
  /// The block of the program's own function, which the trace names.
  BlockRef get_block(const std::string& name) { return results(GetBlock{name, program_.name}); }

  /// A number from the schedule's seed: uniform in [0, count).
  std::uint64_t draw(std::uint64_t count) { return context_.is->draw(count); }

  /// The step in its general form.
  std::vector<Reference> take(const Primitive& primitive, std::vector<Argument> arguments);

  /// What a schedule was after each of its steps.
  struct Taken;
  using History = std::vector<std::shared_ptr<const Taken>>;
  /// Before the first step: the schedule keeps its history from here on. Its first steps, as long as they are
  /// those of `past`, are not judged again: what they made then, they make now. `past` is the history of a
  /// schedule of the same program in the same context; the two then share the loops, blocks and variables of
  /// these steps.
  void follow(History past);
  /// Until `verify`, what a step makes is not verified by itself: for steps that were verified with other
  /// numbers.
  void verify_later() { verifies_steps_ = false; }
  /// Error where the program breaks a law, or is not proved to keep it.
  void verify();
  const History& history() const { return history_; }

  /// Takes the steps of a script or of a trace in JSON (parse_steps). Error at the first that is refused,
  /// with its place; the schedule then stays as it was before the first. Decisions of sampling steps are
  /// taken as they are written, or drawn anew from the schedule's seed; what `cfg` leaves open is the
  /// default, or drawn until its conditions hold.
  enum class Decisions { keep, draw };
  void replay(const Script& steps, Decisions decisions = Decisions::keep);

 private:
  template <class R>
  static std::vector<R> only(const std::vector<Reference>& results) {
    std::vector<R> list;
    for (const Reference& result : results) list.push_back(std::get<R>(result));
    return list;
  }
  template <class P, class R>
  static std::vector<R> given(const std::vector<Reference>& results, std::type_identity<std::vector<R>>) {
    return only<R>(results);
  }
  template <class P, class R>
  static R given(const std::vector<Reference>& results, std::type_identity<R>) {
    ensure(results.size() == 1, "{} gives {} results, not one", P::name, results.size());
    return std::get<R>(results[0]);
  }
  template <class P>
  static void given(const std::vector<Reference>&, std::type_identity<void>) {}
  /// The next step of the past, where it is this one.
  const Taken* taken_before(const Primitive& primitive, const std::vector<Argument>& arguments) const;
  std::vector<Reference> take_again(const Taken& taken);
  /// Refused where what the step made may be legal and is not proved to be.
  std::optional<Refusal> check_result(const Function& program, const Instruction& step) const;
  void check_references(const Argument& argument, const Instruction& step) const;
  /// The step as a refusal shows it: loops and blocks by the names that the program has for them.
  std::string call_of(const Instruction& step) const;
  std::string name_of(const BlockRef& block) const;

  bool verifies_steps_ = true;
  Function program_;
  OwnMemory own_memory_;  ///< of the program
  Trace trace_;
  /// A copy of the schedule has a context of its own.
  struct OwnContext {
    std::unique_ptr<Context> is;
    explicit OwnContext(std::unique_ptr<Context> context) : is(std::move(context)) {}
    OwnContext(const OwnContext& other) : is(other.is->clone()) {}
    OwnContext(OwnContext&&) = default;
    OwnContext& operator=(const OwnContext& other) { return *this = OwnContext(other); }
    OwnContext& operator=(OwnContext&&) = default;
    ~OwnContext() = default;
  };
  OwnContext context_;
  struct Gone {
    std::size_t step = 0;
    std::vector<Reference> to = {};
    /// Kept, so that no later loop gets its identity.
    Reference from = {};
    std::string call = {}, name = {};  ///< the step, and what was called so before it
  };
  using AllGone = std::map<std::string, Gone>;  ///< by key_of
  AllGone gone_;                                ///< what became of references that steps did away with
  bool keeps_history_ = false;
  History history_, past_;
};

}  // namespace ardea::schedule
