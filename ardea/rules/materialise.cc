#include "ardea/rules/sketch.h"
#include "ardea/rules/trace_at.h"
#include "ardea/support/error.h"

namespace ardea::rules {

namespace {

using schedule::Argument;
using schedule::Instruction;
using schedule::NumberRef;
using schedule::Reference;

/// The steps of a point, taken by hand.
class Replay {
 public:
  Replay(const Sketch& sketch, const space::Point& point)
      : trace_(trace_at(sketch, point)),
        schedule_(sketch.program, std::make_unique<schedule::ByHand>(0, schedule::Structure::of_template)) {}

  void follow(schedule::Schedule::History past) { schedule_.follow(std::move(past)); }
  void verify_at_end() { schedule_.verify_later(); }
  schedule::Schedule run() && {
    for (const Instruction& step : trace_.instructions) take(step);
    return std::move(schedule_);
  }

 private:
  void take(const Instruction& step) {
    std::vector<Argument> arguments;
    for (const Argument& argument : step.arguments) arguments.push_back(placed(argument));
    const std::vector<Reference> results = schedule_.take(*step.primitive, std::move(arguments));
    ensure(results.size() == step.results.size(), "{} gives {} results with numbers, {} with variables",
           step.primitive->name, results.size(), step.results.size());
    for (std::size_t i = 0; i < results.size(); ++i) now_[key_of(step.results[i])] = results[i];
  }

  /// The same argument in the replayed schedule.
  Argument placed(const Argument& argument) const {
    if (const auto* items = std::get_if<std::vector<Argument>>(&argument.value)) {
      std::vector<Argument> all;
      for (const Argument& item : *items) all.push_back(placed(item));
      return {std::move(all)};
    }
    if (const auto* block = std::get_if<schedule::BlockRef>(&argument.value)) return {now(*block)};
    if (const auto* loop = std::get_if<schedule::LoopRef>(&argument.value)) return {now(*loop)};
    if (const auto* number = std::get_if<NumberRef>(&argument.value)) return {now(*number)};
    return argument;
  }

  /// A reference that no step gave, such as a place outside of all loops, is itself.
  template <class R>
  R now(const R& reference) const {
    const auto at = now_.find(key_of(reference));
    return at == now_.end() ? reference : std::get<R>(at->second);
  }

  const schedule::Trace trace_;
  schedule::Schedule schedule_;
  std::unordered_map<std::string, Reference> now_;
};

}  // namespace

schedule::Schedule materialise(const Sketch& sketch, const space::Point& point) {
  // Each step of the sketch was verified at its witnesses; of a point it is the program that is.
  Replay replay(sketch, point);
  replay.verify_at_end();
  schedule::Schedule made = std::move(replay).run();
  made.verify();
  return made;
}

schedule::Schedule materialise(const Sketch& sketch, const space::Point& point,
                               schedule::Schedule::History past) {
  Replay replay(sketch, point);
  replay.follow(std::move(past));
  return std::move(replay).run();
}

}  // namespace ardea::rules
