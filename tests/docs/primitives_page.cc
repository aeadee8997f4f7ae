#include "tests/docs/primitives_page.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "ardea/arith/load.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"
#include "ardea/support/text_file.h"

namespace ardea::docs {

using namespace schedule;

namespace {

namespace fs = std::filesystem;

const fs::path examples = fs::path(ARDEA_SOURCE_DIR) / "examples/primitives";

/// A reference in words: what kind of thing it is, and its name.
struct Words {
  std::string kind, name;
};

Words in_words(const Reference& reference, const Function& program) {
  return std::visit(
      overloaded{
          [&](const BlockRef& block) -> Words {
            const std::optional<Path> path = path_to(program, block);
            ensure(path.has_value(), "a step gave a block that is not there");
            return {"block", "`" + path->block().name + "`"};
          },
          [](const LoopRef& loop) -> Words {
            if (loop.place == LoopRef::Place::root) return {"place", "outside all loops"};
            if (loop.place == LoopRef::Place::inlined) return {"place", "inside its readers"};
            return {"loop", "`" + loop.var.name() + "`"};
          },
          [](const NumberRef& number) -> Words { return {"number", "`" + print(number.value) + "`"}; },
      },
      reference);
}

/// "the loops `i`, `j`"
std::string in_words(const std::vector<Reference>& results, const Function& program) {
  std::vector<std::string> groups, names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Words words = in_words(results[i], program);
    names.push_back(words.name);
    if (i + 1 < results.size() && in_words(results[i + 1], program).kind == words.kind) continue;
    groups.push_back("the " + words.kind + (names.size() > 1 ? "s " : " ") + join(names, ", "));
    names.clear();
  }
  return join(groups, ", ");
}

/// What the last step of the primitive gives, described in the program as it is then: later steps may do away
/// with it.
std::string results_of(const Primitive& primitive, const Function& before, const Trace& taken) {
  const auto last = std::find_if(taken.instructions.rbegin(), taken.instructions.rend(),
                                 [&](const Instruction& step) { return step.primitive == &primitive; });
  require(last != taken.instructions.rend(), "examples/primitives/{0}.py takes no step {0}", primitive.name);
  Schedule until(before);
  until.replay(parse_steps(print(Trace{{taken.instructions.begin(), last.base()}}), "trace"));
  return in_words(until.trace().instructions.back().results, until.program());
}

std::string fenced(const std::string& text) { return "```python\n" + text + "```\n"; }

/// The program as it is printed, less the comment at its head.
std::string listing(const Function& program) {
  const std::string text = print(program);
  return fenced(text.substr(text.find("@T.prim_func")));
}

std::string section(const PrimitiveExample& example) {
  const std::string before = listing(example.before), after = listing(example.after.program());
  const Primitive& primitive = *example.primitive;
  std::string summary = primitive.summary;
  summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(summary[0])));
  std::string text = "## " + primitive.name + "\n\n" + summary + ".\n\n";
  text += before + "\n" + fenced(example.steps);
  if (!example.made.empty()) text += "\n`" + primitive.name + "` gives " + example.made + ".\n";
  return text + (after == before ? "\nThe program stays as it is.\n" : "\n" + after);
}

}  // namespace

PrimitiveExample primitive_example(const Primitive& primitive) {
  const std::string path = (examples / primitive.name).string();
  const Module module = arith::load_file(path + ".tir");
  require(module.functions.size() == 1, "{}.tir: one function, please", path);
  const Function& before = module.functions.front();
  std::string script = read_text_file(path + ".py");
  Schedule after(before);
  after.replay(parse_steps(script, primitive.name + ".py"));
  std::string made = results_of(primitive, before, after.trace());
  return {&primitive, before, std::move(script), std::move(after), std::move(made)};
}

std::vector<std::string> primitive_example_names() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(examples)) names.insert(entry.path().stem().string());
  return {names.begin(), names.end()};
}

std::string primitives_page() {
  std::vector<std::string> links, sections;
  for (const Primitive& primitive : primitives()) {
    links.push_back("[" + primitive.name + "](#" + primitive.name + ")");
    sections.push_back(section(primitive_example(primitive)));
  }
  return R"(# The primitives of schedules, one by one

For each a small program, the steps, and the program that they leave. `ardea primitives NAME` prints all that a primitive requires, [schedules.md](schedules.md) the reasons for
which it is refused. The files are in `examples/primitives`:

```sh
ardea show examples/primitives/split.tir --schedule examples/primitives/split.py
```

)" + join(links, " · ") +
         "\n\n" + join(sections, "\n");
}

}  // namespace ardea::docs
