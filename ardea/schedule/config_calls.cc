#include "ardea/schedule/config.h"
#include "ardea/support/text.h"

/// The calls of Config with their parameters, as scripts write them.

namespace ardea::schedule {

Argument Convert<Condition>::to(const Condition& condition) {
  return {std::vector<Argument>{{NumberRef::fresh(condition.is)}, {condition.text}}};
}

std::optional<Condition> Convert<Condition>::from(const Argument& argument) {
  const auto* parts = std::get_if<std::vector<Argument>>(&argument.value);
  if (parts == nullptr || parts->size() != 2) return std::nullopt;
  const auto* is = std::get_if<NumberRef>(&(*parts)[0].value);
  const auto* text = std::get_if<std::string>(&(*parts)[1].value);
  if (is == nullptr || text == nullptr || !is->value.type().is_bool()) return std::nullopt;
  return Condition{is->value, *text};
}

namespace {

template <class T>
std::vector<Argument> all_of(const std::vector<T>& values) {
  std::vector<Argument> all;
  for (const T& value : values) all.push_back(Convert<T>::to(value));
  return all;
}

struct DefineSplit {
  std::string called;
  LoopRef loop;
  std::int64_t parts = 2;
  std::string policy = "factors";
  std::optional<std::int64_t> most_innermost = {};
  static constexpr auto name = "define_split";
  static constexpr auto fields =
      std::tuple(field("name", &DefineSplit::called), field("loop", &DefineSplit::loop),
                 field("parts", &DefineSplit::parts), optional_field("policy", &DefineSplit::policy),
                 optional_field("most_innermost", &DefineSplit::most_innermost));
  std::vector<Argument> make(Config& config) const {
    return all_of(config.define_split(called, loop, parts, {policy, most_innermost}));
  }
};

struct Factors {
  std::string called;
  static constexpr auto name = "factors";
  static constexpr auto fields = std::tuple(field("name", &Factors::called));
  std::vector<Argument> make(Config& config) const { return all_of(config.factors(called)); }
};

struct DefineKnob {
  std::string called;
  std::vector<std::int64_t> values;
  static constexpr auto name = "define_knob";
  static constexpr auto fields =
      std::tuple(field("name", &DefineKnob::called), field("values", &DefineKnob::values));
  std::vector<Argument> make(Config& config) const {
    return {Convert<Number>::to(config.define_knob(called, values))};
  }
};

struct DefineReorder {
  std::string called;
  std::vector<LoopRef> loops;
  std::vector<std::vector<LoopRef>> orders = {};
  static constexpr auto name = "define_reorder";
  static constexpr auto fields =
      std::tuple(field("name", &DefineReorder::called), field("loops", &DefineReorder::loops),
                 optional_field("orders", &DefineReorder::orders));
  std::vector<Argument> make(Config& config) const {
    config.define_reorder(called, loops, orders);
    return {};
  }
};

struct DefineAnnotate {
  std::string called;
  std::vector<LoopRef> loops;
  std::string policy;
  static constexpr auto name = "define_annotate";
  static constexpr auto fields =
      std::tuple(field("name", &DefineAnnotate::called), field("loops", &DefineAnnotate::loops),
                 field("policy", &DefineAnnotate::policy));
  std::vector<Argument> make(Config& config) const {
    config.define_annotate(called, loops, policy);
    return {};
  }
};

struct Require {
  Condition condition;
  std::string reason;
  static constexpr auto name = "require";
  static constexpr auto fields =
      std::tuple(field("condition", &Require::condition), field("reason", &Require::reason));
  std::vector<Argument> make(Config& config) const {
    config.require(condition, reason);
    return {};
  }
};

struct Calls {
  std::vector<Primitive> rows;
  std::vector<std::vector<Argument> (*)(Config&, const std::vector<Argument>&)> make;

  template <class C>
  void add() {
    rows.push_back(
        {C::name,
         "",
         "",
         {},
         std::apply([](const auto&... f) { return std::vector<Parameter>{detail::parameter_of(f)...}; },
                    C::fields),
         nullptr});
    make.push_back([](Config& config, const std::vector<Argument>& arguments) {
      return detail::step_from<C>(arguments).make(config);
    });
  }
};

const Calls& calls() {
  static const Calls all = [] {
    Calls made;
    made.add<DefineSplit>();
    made.add<Factors>();
    made.add<DefineKnob>();
    made.add<DefineReorder>();
    made.add<DefineAnnotate>();
    made.add<Require>();
    return made;
  }();
  return all;
}

}  // namespace

const std::vector<Primitive>& config_calls() { return calls().rows; }

const Primitive& find_config_call(const std::string& name) {
  std::vector<std::string> known;
  for (const Primitive& call : config_calls()) {
    if (call.name == name) return call;
    known.push_back(call.name);
  }
  fail("cfg has no {}, only {}{}", name, join(known, ", "), did_you_mean(name, known));
}

std::vector<Argument> make_call(Config& config, const Primitive& call,
                                const std::vector<Argument>& arguments) {
  const auto at = static_cast<std::size_t>(&call - config_calls().data());
  return calls().make.at(at)(config, arguments);
}

}  // namespace ardea::schedule
