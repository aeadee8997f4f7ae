// Rules of one's own: one is added, one is left out, one gets other numbers. The space that they make is
// sampled, and every sample is compiled and compared with the program as it is written.
#include <cmath>
#include <cstdio>

#include <ardea/ardea.h>

#include <ardea/rules/define.h>
#include <ardea/rules/program_space.h>

using namespace ardea;
using rules::Derivation;
using schedule::BlockRef;

/// x² + y over two matrices, of which the square is a stage of its own.
Function squares(int rows, int columns) {
  te::Tensor x = te::placeholder("x", {rows, columns}), y = te::placeholder("y", {rows, columns});
  te::Tensor square =
      te::compute("square", {{"i", rows}, {"j", columns}}, [&](auto i, auto j) { return x(i, j) * x(i, j); });
  te::Tensor out = te::compute("out", {{"i", rows}, {"j", columns}},
                               [&](auto i, auto j) { return square(i, j) + y(i, j); });
  return te::create_prim_func({x, y, out}, "squares");
}

/// Tiles of rows and columns, whose sizes are knobs and whose order is a way of its own.
rules::Rule tiles(std::vector<std::int64_t> widths) {
  return {.name = "tiles",
          .doc = "two loops become tiles",
          .applies =
              [](const Derivation& d, const BlockRef& stage) {
                schedule::Schedule look = d.steps();  // a copy, so that looking is no step
                return look.get_loops(stage).size() == 2;
              },
          .apply =
              [widths](Derivation& d, const BlockRef& stage) {
                schedule::Schedule& s = d.steps();
                const auto loops = s.get_loops(stage);
                schedule::Config cfg = rules::config(d);
                const auto rows = cfg.define_split("rows", loops[0], 2, {.policy = "padded"});
                const schedule::Number width = cfg.define_knob("width", widths);
                const auto columns = s.split(loops[1], {schedule::none, width});
                const Expr tile = rules::value_of(cfg.factors("rows")[1]) * rules::value_of(width);
                cfg.require(tile <= 64, "a tile is at most 64 elements");
                s.reorder(rows[0], columns[0], rows[1], columns[1]);
                cfg.define_reorder("order", {rows[0], columns[0]});
                s.vectorize(columns[1]);
                d.finish(stage);
              }};
}

/// What is computed for one reader goes into it; with `asks` both are tried.
rules::Rule inline_into_reader(bool asks) {
  return {.name = "inline into reader",
          .doc = "a stage that one other reads is written where it is read",
          .applies =
              [](const Derivation& d, const BlockRef& stage) {
                schedule::Schedule look = d.steps();
                return look.get_consumers(stage).size() == 1;
              },
          .apply =
              [asks](Derivation& d, const BlockRef& stage) {
                if (!asks || d.whether("inlined", true)) d.steps().compute_inline(stage);
                d.finish(stage);
              }};
}

int main() {
  const target::Target target = target::host();
  const Function program = squares(13, 37);

  // The rules are a list. Ours stand before the others; the one for elements is left out.
  rules::RuleSet all = rules::rules_for(target);
  std::erase_if(all, [](const rules::Rule& rule) { return rule.name == "elementwise"; });
  all.insert(all.begin(), {inline_into_reader(/*asks=*/true), tiles({4, 8, 16})});
  const std::size_t before = rules::program_space(program, target, all).sketches.size();

  // The same rules by other parameters: no question about inlining, fewer widths.
  for (rules::Rule& rule : all) {
    if (rule.name == "inline into reader") rule = inline_into_reader(/*asks=*/false);
    if (rule.name == "tiles") rule = tiles({4, 8});
  }
  const rules::ProgramSpace space = rules::program_space(program, target, all);
  std::printf("%zu sketches with the question, %zu without; %.0f points\n", before, space.sketches.size(),
              space.count().value);

  auto x = runtime::Array::empty({13, 37}, float32), y = runtime::Array::empty({13, 37}, float32);
  auto out = runtime::Array::empty({13, 37}, float32);
  for (std::size_t i = 0; i < x.values<float>().size(); ++i) {
    x.values<float>()[i] = 0.25f * static_cast<float>(i % 17);
    y.values<float>()[i] = static_cast<float>(i % 5);
  }
  for (const rules::Choice& choice : space.sample(8, 1).choices) {
    const schedule::Schedule made = space.materialise(choice);
    compile::callable(made.program(), target)(x, y, out);
    for (std::size_t i = 0; i < out.values<float>().size(); ++i) {
      const float expected = x.values<float>()[i] * x.values<float>()[i] + y.values<float>()[i];
      if (std::fabs(out.values<float>()[i] - expected) <= 1e-5f * (1 + std::fabs(expected))) continue;
      std::printf("element %zu is %g, not %g\n", i, out.values<float>()[i], expected);
      return 1;
    }
  }
  std::printf("8 samples compute what the program does\n");
  return before > space.sketches.size() ? 0 : 1;
}
