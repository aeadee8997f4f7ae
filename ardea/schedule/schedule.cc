#include "ardea/schedule/schedule.h"

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/schedule/analysis/promises.h"
#include "ardea/schedule/analysis/provable.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"
#include "ardea/support/timings.h"

namespace ardea::schedule {

namespace {

/// What the names of a script stand for: the result of a step, or the list of them.
using KnownNames = std::map<std::string, Argument>;

/// An argument with its names replaced by what they stand for.
Argument resolved(const WrittenArgument& written, const KnownNames& known, const std::string& place) {
  return std::visit(overloaded{
                        [&](const NamedValue& value) -> Argument {
                          const auto at = known.find(value.name);
                          require(at != known.end(), "{}: {} is not defined before", place, value.name);
                          return at->second;
                        },
                        [&](const std::vector<WrittenArgument>& items) -> Argument {
                          std::vector<Argument> list;
                          for (const WrittenArgument& item : items)
                            list.push_back(resolved(item, known, place));
                          return {std::move(list)};
                        },
                        [](const auto& value) -> Argument { return {value}; },
                    },
                    written.value);
}

Argument as_argument(const Reference& reference) {
  return std::visit([](const auto& r) { return Argument{r}; }, reference);
}

/// Gives the results their names: one each, the last ones where the first name is *rest, or all to a single
/// name.
void name_results(const WrittenStep& step, const std::vector<Reference>& results, KnownNames& known) {
  const std::vector<std::string>& names = step.results;
  if (names.empty()) return;
  if (names.size() == 1 && !names[0].starts_with('*') && results.size() != 1) {
    std::vector<Argument> all;
    for (const Reference& result : results) all.push_back(as_argument(result));
    known.insert_or_assign(names[0], Argument{std::move(all)});
    return;
  }
  const std::size_t first = names[0].starts_with('*') ? 1 : 0;
  require(first == 1 ? results.size() + 1 >= names.size() : results.size() == names.size(),
          "{} gives {} results, and {} names stand for them", step.primitive->name, results.size(),
          names.size());
  for (std::size_t i = first; i < names.size(); ++i)
    known.insert_or_assign(names[i], as_argument(results[results.size() - names.size() + i]));
}

/// The argument of sampling steps that the trace keeps.
constexpr auto decision_name = "decision";

}  // namespace

Schedule::Schedule(const Function& program, std::uint64_t seed)
    : Schedule(program, std::make_unique<ByHand>(seed)) {}

Schedule::Schedule(const Function& program, std::unique_ptr<Context> context) : context_(std::move(context)) {
  {
    const TimedSection timed("schedule", "begin");
    program_ = arith::complete_regions(program);
  }
  const TimedSection timed("verify", "begin");
  arith::require_valid(program_, "Schedule");
}

void Schedule::check_references(const Argument& argument, const std::string& call) const {
  const auto check = [&](const Reference& reference) {
    const auto at = gone_.find(key_of(reference));
    if (at == gone_.end()) return;
    const std::string name = std::holds_alternative<LoopRef>(reference)
                                 ? "loop " + std::get<LoopRef>(reference).var.name()
                                 : "the block";
    std::vector<std::string> now;
    for (const Reference& to : at->second.to)
      if (const auto* loop = std::get_if<LoopRef>(&to)) now.push_back(loop->var.name());
    throw Refused(std::holds_alternative<LoopRef>(reference) ? "loop_is_gone" : "block_is_gone",
                  fmt::format("{}: {} is gone: step {}, {}, {}", call, name, at->second.step + 1,
                              print_call(trace_.instructions[at->second.step], names_of(trace_)),
                              now.empty() ? "left nothing of it" : "made " + join(now, ", ") + " of it"));
  };
  std::visit(overloaded{
                 [&](const std::vector<Argument>& items) {
                   for (const Argument& item : items) check_references(item, call);
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
std::optional<Refusal> Schedule::check_result(const Function& program, const std::string& call) const {
  std::vector<arith::Violation> violations = arith::verify_changed(program, program_);
#ifndef NDEBUG
  if (violations.empty()) violations = arith::verify(program);
#endif
  if (violations.empty()) return std::nullopt;
  if (!violations[0].refuted || is_hard_to_prove(program))
    return Refusal{"not_proved", "what it makes cannot be proved to be legal: " + violations[0].message};
  throw InternalError(fmt::format("{} broke the law {}: {}", call, violations[0].law, violations[0].message));
}

std::vector<Reference> Schedule::take(const Primitive& primitive, std::vector<Argument> arguments) {
  std::optional<TimedSection> timed(std::in_place, "schedule", primitive.name);
  Instruction instruction{&primitive, std::move(arguments)};
  const std::string call = print_call(instruction);
  for (const Argument& argument : instruction.arguments) check_references(argument, call);
  OwnContext context = context_;  // of a step that is refused nothing stays
  Outcome outcome = primitive.apply(program_, instruction.arguments, *context.is);
  const auto refuse = [&](const Refusal& refusal) { throw Refused(refusal.code, refusal.message(call)); };
  if (const auto* refusal = std::get_if<Refusal>(&outcome)) refuse(*refusal);
  auto& applied = std::get<Applied>(outcome);
  applied.program = context.is->assumed(std::move(applied.program));
  if (const auto refusal = context.is->judge(refuse_broken_promises(program_, applied.program)))
    refuse(*refusal);
  timed.reset();
  if (!(applied.program.body == program_.body)) {
    const TimedSection verifying("verify", primitive.name);
    if (const auto refusal = context.is->judge(check_result(applied.program, call))) refuse(*refusal);
  }
  context_ = std::move(context);
  program_ = std::move(applied.program);
  for (const Forwarded& forwarded : applied.forwarding)
    gone_[key_of(forwarded.from)] = {trace_.instructions.size(), forwarded.to, forwarded.from};
  if (applied.decision)
    for (std::size_t i = 0; i < primitive.parameters.size(); ++i)
      if (primitive.parameters[i].name == decision_name) instruction.arguments[i] = *applied.decision;
  instruction.results = applied.results;
  trace_.instructions.push_back(std::move(instruction));
  return applied.results;
}

BlockRef Schedule::get_block(const std::string& name) { return blocks(GetBlock{name, program_.name})[0]; }
std::vector<LoopRef> Schedule::get_loops(const BlockRef& block) { return loops(GetLoops{block}); }

void Schedule::replay(const std::vector<WrittenStep>& steps, Decisions decisions) {
  Schedule copy = *this;
  KnownNames known;
  for (const WrittenStep& step : steps) {
    std::vector<Argument> arguments;
    for (const auto& [name, written] : step.arguments)
      arguments.push_back(decisions == Decisions::draw && name == decision_name
                              ? Argument{}
                              : resolved(written, known, step.place));
    try {
      name_results(step, copy.take(*step.primitive, std::move(arguments)), known);
    } catch (const Refused& refused) {
      throw Refused(refused.code(), fmt::format("{}: {}", step.place, refused.what()));
    } catch (const Error& error) {
      fail("{}: {}", step.place, error.what());
    }
  }
  *this = std::move(copy);
}

}  // namespace ardea::schedule
