#include "ardea/schedule/primitives/loops/annotate.h"

#include "ardea/schedule/program/refer.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

Attribute attribute_from(const Argument& value) {
  return std::visit(
      overloaded{
          [](bool truth) { return Attribute{make_bool(truth)}; },
          [](std::int64_t number) { return Attribute{make_int(number)}; },
          [](double number) { return Attribute{make_float(number, float64)}; },
          [](const std::string& text) { return Attribute{make_string(text)}; },
          [](const NumberRef& sampled) { return Attribute{value_of(sampled, int64)}; },
          [](const std::vector<Argument>& items) {
            std::vector<Attribute> list;
            for (const Argument& item : items) list.push_back(attribute_from(item));
            return Attribute{std::move(list)};
          },
          [](const auto&) -> Attribute {
            throw InternalError("an annotation is no value; Convert<Argument> lets none through");
          },
      },
      value.value);
}

const Attributes& annotations_of(const Stmt& s) {
  const auto* block = s.as<Block>();
  return block == nullptr ? s.as<For>()->annotations : block->annotations;
}

Stmt with_annotations(const Stmt& s, Attributes annotations) {
  if (const auto* block = s.as<Block>()) {
    Block out = *block;
    out.annotations = std::move(annotations);
    return out;
  }
  For out = *s.as<For>();
  out.annotations = std::move(annotations);
  return out;
}

/// "block C", "loop i"
std::string kind_and_name(const Stmt& s) {
  const auto* block = s.as<Block>();
  return block == nullptr ? "loop " + s.as<For>()->var.name() : "block " + block->name;
}

Outcome annotated(const Function& f, const BlockOrLoop& target, const std::string& key,
                  const Argument& value) {
  const Path path = ARDEA_TRY(refer(f, target));
  Attributes annotations = annotations_of(path.back());
  const bool is_new = annotations.emplace(key, attribute_from(value)).second;
  if (!is_new)
    return Refusal{"annotated_already",
                   fmt::format("{} has an annotation {} already", kind_and_name(path.back()), in_quotes(key)),
                   {},
                   [] { return std::string("unannotate it first"); }};
  return Applied{with(f, path, with_annotations(path.back(), std::move(annotations)))};
}

}  // namespace

Outcome apply(const Function& f, const Annotate& step, Context&) {
  if (step.key.empty()) return Refusal{"no_key", "the annotation has no name"};
  return annotated(f, step.block_or_loop, step.key, step.value);
}

Outcome apply(const Function& f, const Unannotate& step, Context&) {
  const Path path = ARDEA_TRY(refer(f, step.block_or_loop));
  Attributes annotations = annotations_of(path.back());
  std::vector<std::string> keys;
  for (const auto& [key, value] : annotations) keys.push_back(key);
  if (annotations.erase(step.key) == 0)
    return Refusal{"not_annotated",
                   fmt::format("{} has no annotation {}", kind_and_name(path.back()), in_quotes(step.key)),
                   {},
                   [=] { return keys.empty() ? "it has none" : "it has " + join(keys, ", "); }};
  return Applied{with(f, path, with_annotations(path.back(), std::move(annotations)))};
}

Outcome apply(const Function& f, const Pragma& step, Context&) {
  if (step.type.empty()) return Refusal{"no_key", "the pragma has no type"};
  return annotated(f, step.loop, "pragma_" + step.type, step.value);
}

}  // namespace ardea::schedule
