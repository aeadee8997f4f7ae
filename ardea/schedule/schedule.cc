#include "ardea/schedule/schedule.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/ir/equal.h"
#include "ardea/schedule/analysis/promises.h"
#include "ardea/schedule/analysis/provable.h"
#include "ardea/schedule/config.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/schedule/run_script.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"
#include "ardea/support/timings.h"

namespace ardea::schedule {

namespace {

/// Whether a step would do the same with either: references by what they refer to, numbers by what they are.
bool same_argument(const Argument& a, const Argument& b) {
  if (a.value.index() != b.value.index()) return false;
  return std::visit(
      overloaded{
          [](std::monostate) { return true; },
          [&](const std::vector<Argument>& items) {
            const auto& others = std::get<std::vector<Argument>>(b.value);
            return std::equal(items.begin(), items.end(), others.begin(), others.end(), same_argument);
          },
          [&](const BlockRef& block) { return key_of(block) == key_of(std::get<BlockRef>(b.value)); },
          [&](const LoopRef& loop) { return key_of(loop) == key_of(std::get<LoopRef>(b.value)); },
          [&](const NumberRef& number) {
            return structurally_equal(number.value, std::get<NumberRef>(b.value).value);
          },
          [&](const auto& plain) { return plain == std::get<std::decay_t<decltype(plain)>>(b.value); },
      },
      a.value);
}

}  // namespace

struct Schedule::Taken {
  std::vector<Argument> asked;  ///< before decisions were made
  Instruction step;
  Function program;
  OwnContext context;
  AllGone gone;  ///< by this step
};

Schedule::Schedule(const Function& program, std::uint64_t seed)
    : Schedule(program, std::make_unique<ByHand>(seed)) {}

Schedule::Schedule(const Function& program, std::unique_ptr<Context> context) : context_(std::move(context)) {
  {
    const TimedSection timed("schedule", "begin");
    program_ = arith::complete_regions(program);
  }
  own_memory_ = OwnMemory(program_);
  const TimedSection timed("verify", "begin");
  arith::require_valid(program_, "Schedule");
}

std::string Schedule::name_of(const BlockRef& block) const {
  if (const auto path = path_to(program_, block)) return path->block().name;
  const auto gone = gone_.find(key_of(block));
  return gone == gone_.end() ? "block" : gone->second.name;
}

std::string Schedule::call_of(const Instruction& step) const {
  ReferenceNames names;
  const auto name_blocks = [&](const Argument& argument, const auto& self) -> void {
    if (const auto* block = std::get_if<BlockRef>(&argument.value)) names[key_of(*block)] = name_of(*block);
    if (const auto* items = std::get_if<std::vector<Argument>>(&argument.value))
      for (const Argument& item : *items) self(item, self);
  };
  for (const Argument& argument : step.arguments) name_blocks(argument, name_blocks);
  return print_call(step, names);
}

void Schedule::check_references(const Argument& argument, const Instruction& step) const {
  const auto check = [&](const Reference& reference) {
    const auto at = gone_.find(key_of(reference));
    if (at == gone_.end()) return;
    const bool is_loop = std::holds_alternative<LoopRef>(reference);
    std::vector<std::string> now;
    for (const Reference& to : at->second.to)
      if (const auto* loop = std::get_if<LoopRef>(&to)) now.push_back(loop->var.name());
    throw Refused(is_loop ? "loop_is_gone" : "block_is_gone",
                  fmt::format("{}: {} {} is gone: step {}, {}, {}", call_of(step), is_loop ? "loop" : "block",
                              at->second.name, at->second.step + 1, at->second.call,
                              now.empty() ? "left nothing of it" : "made " + join(now, ", ") + " of it"));
  };
  std::visit(overloaded{
                 [&](const std::vector<Argument>& items) {
                   for (const Argument& item : items) check_references(item, step);
                 },
                 [&](const BlockRef& block) { check(block); },
                 [&](const LoopRef& loop) { check(loop); },
                 [](const auto&) {},
             },
             argument.value);
}

/// What a step makes is right by construction, and this is where a fault in it would show. With symbolic
/// extents, predicates and blocks in blocks, or where fused loops are cut, its result may hold and still be
/// beyond what can be proved: then it is refused here, not when the program is compiled. Debug builds also
/// verify that what a step left alone holds still.
std::optional<Refusal> Schedule::check_result(const Function& program, const Instruction& step) const {
  std::vector<arith::Violation> violations = arith::verify_changed(program, program_);
#ifndef NDEBUG
  if (violations.empty()) violations = arith::verify(program);
#endif
  if (violations.empty()) return std::nullopt;
  if (!violations[0].refuted || is_hard_to_prove(program))
    return Refusal{"not_proved", "what it makes cannot be proved to be legal: " + violations[0].message};
  throw InternalError(
      fmt::format("{} broke the law {}: {}", call_of(step), violations[0].law, violations[0].message));
}

void Schedule::verify() {
  verifies_steps_ = true;
  const TimedSection timed("verify", "all");
  const std::vector<arith::Violation> violations = arith::verify(program_);
  require(violations.empty(), "{}: what its steps make cannot be proved to be legal: {}", program_.name,
          violations.empty() ? "" : violations[0].message);
}

void Schedule::follow(History past) {
  ensure(trace_.instructions.empty(), "a schedule that has taken steps follows no other");
  keeps_history_ = true;
  past_ = std::move(past);
}

const Schedule::Taken* Schedule::taken_before(const Primitive& primitive,
                                              const std::vector<Argument>& arguments) const {
  if (history_.size() >= past_.size()) return nullptr;
  const Taken& next = *past_[history_.size()];
  const bool is_same =
      next.step.primitive == &primitive &&
      std::equal(arguments.begin(), arguments.end(), next.asked.begin(), next.asked.end(), same_argument);
  return is_same ? &next : nullptr;
}

std::vector<Reference> Schedule::take_again(const Taken& taken) {
  program_ = taken.program;
  own_memory_ = OwnMemory(program_);
  context_ = taken.context;
  for (const auto& [key, gone] : taken.gone) gone_[key] = gone;
  trace_.instructions.push_back(taken.step);
  history_.push_back(past_[history_.size()]);
  return taken.step.results;
}

std::vector<Reference> Schedule::take(const Primitive& primitive, std::vector<Argument> arguments) {
  if (const Taken* taken = taken_before(primitive, arguments)) return take_again(*taken);
  const std::vector<Argument> asked = keeps_history_ ? arguments : std::vector<Argument>();
  std::optional<TimedSection> timed(std::in_place, "schedule", primitive.name);
  Instruction instruction{&primitive, std::move(arguments)};
  for (const Argument& argument : instruction.arguments) check_references(argument, instruction);
  OwnContext context = context_;  // of a step that is refused nothing stays
  Outcome outcome = primitive.apply(program_, instruction.arguments, *context.is);
  const auto refuse = [&](const Refusal& refusal) {
    throw Refused(refusal.code, refusal.message(call_of(instruction)));
  };
  if (const auto* refusal = std::get_if<Refusal>(&outcome)) refuse(*refusal);
  auto& applied = std::get<Applied>(outcome);
  applied.program = context.is->assumed(std::move(applied.program));
  OwnMemory own_after(applied.program);
  if (const auto refusal = context.is->judge(refuse_broken_promises(own_memory_, own_after)))
    refuse(*refusal);
  timed.reset();
  if (verifies_steps_ && !(applied.program.body == program_.body)) {
    const TimedSection verifying("verify", primitive.name);
    if (const auto refusal = context.is->judge(check_result(applied.program, instruction))) refuse(*refusal);
  }
  AllGone gone;
  // With the names that the program has before the step.
  for (const Forwarded& forwarded : applied.forwarding) {
    const auto name = [&](const auto& from) -> std::string {
      using T = std::decay_t<decltype(from)>;
      if constexpr (std::is_same_v<T, LoopRef>)
        return from.var.defined() ? from.var.name() : "";
      else if constexpr (std::is_same_v<T, BlockRef>)
        return name_of(from);
      else
        return "";
    };
    gone[key_of(forwarded.from)] = {trace_.instructions.size(), forwarded.to, forwarded.from,
                                    call_of(instruction), std::visit(name, forwarded.from)};
  }
  for (const auto& [key, now] : gone) gone_[key] = now;
  context_ = std::move(context);
  program_ = std::move(applied.program);
  own_memory_ = std::move(own_after);
  if (applied.decision)
    for (std::size_t i = 0; i < primitive.parameters.size(); ++i)
      if (primitive.parameters[i].name == decision_name) instruction.arguments[i] = *applied.decision;
  instruction.results = applied.results;
  if (keeps_history_) {
    // From here on this schedule goes a way of its own.
    past_.clear();
    history_.push_back(
        std::make_shared<const Taken>(Taken{asked, instruction, program_, context_, std::move(gone)}));
  }
  trace_.instructions.push_back(std::move(instruction));
  return applied.results;
}

void Schedule::replay(const Script& steps, Decisions decisions) {
  // Drawn one by one, numbers may break a condition between them.
  constexpr int most_tries = 200;
  const bool draws = decisions == Decisions::draw;
  Schedule begun = *this;
  for (int left = draws ? most_tries : 1;; begun.draw(2)) {
    Schedule copy = begun;
    const auto take = [&](const Primitive& primitive, std::vector<Argument> arguments) {
      return copy.take(primitive, std::move(arguments));
    };
    ChoicesByHand choices(copy, draws);
    Config config(copy, choices);
    const auto call = [&](const Primitive& primitive, const std::vector<Argument>& arguments) {
      return make_call(config, primitive, arguments);
    };
    try {
      run_script(steps, take, call, draws);
    } catch (const Refused& refused) {
      if (refused.code() == condition_is_broken && --left > 0) continue;
      throw;
    }
    *this = std::move(copy);
    return;
  }
}

}  // namespace ardea::schedule
