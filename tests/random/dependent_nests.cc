#include "tests/random/dependent_nests.h"

#include <fmt/core.h>

#include <optional>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "tests/random/dependent_blocks.h"

namespace ardea::random_programs {

namespace {

std::string list_of(const Point& numbers) {
  std::vector<std::string> list;
  for (const std::int64_t number : numbers) list.push_back(std::to_string(number));
  return join(list, ", ");
}

/// Rectangular loops over the whole of a tensor, that write a tensor of its shape.
std::string whole(const char* how, const Memory& tensor, const std::string& written,
                  const std::optional<std::string>& read) {
  std::vector<std::string> vars, places;
  std::string head;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    vars.push_back(fmt::format("f{}", d));
    places.push_back(fmt::format("u{}", d));
    head += pad(3) + fmt::format("u{} = T.axis.spatial({}, f{})\n", d, tensor.shape[d], d);
  }
  return fmt::format(
      "    for {} in T.grid({}):\n        with T.block(\"{}_{}\"):\n{}            {}[{}] = {}\n",
      join(vars, ", "), list_of(tensor.shape), how, tensor.name, head, written, join(places, ", "),
      read ? fmt::format("{}[{}] * 3", *read, join(places, ", ")) : "2");
}

/// A block at that depth, or two.
void add_blocks(NestState& state, std::size_t depth) {
  if (state.random.chance(state.loops.has_short_rows ? 0.7 : 0.08)) return counting_block(state, depth);
  const double what = state.random.real();
  if (what < 0.3 && dependent_reduction(state, depth)) return;
  if (what < 0.4) return passed_on(state, depth);
  map_block(state, depth);
  if (what > 0.9) map_block(state, depth);
}

/// What was computed for others is read, as it lies.
void read_consumed(NestState& state) {
  for (const Memory* tensor : state.consumed) {
    Memory& out = state.new_tensor(Memory::output);
    out.shape = tensor->shape;
    state.text += whole("use", *tensor, out.name, tensor->name);
  }
  state.consumed.clear();
}

void add_nest(NestState& state) {
  state.loops = dependent_loops(state.random);
  state.instances = state.loops.instances;
  const std::size_t depth = state.loops.bounds.size();
  std::vector<std::string>& names = state.loop_names;
  names.clear();
  for (std::size_t k = 0; k < depth; ++k) names.push_back(fmt::format("i{}_{}", state.nests, k));
  ++state.nests;
  // What stands beside the inner loops, if anything: in front of them.
  const std::size_t beside =
      state.random.chance(0.12)
          ? static_cast<std::size_t>(state.random.integer(1, static_cast<std::int64_t>(depth) - 1))
          : 0;
  for (std::size_t k = 0; k < depth; ++k) {
    const LoopBounds& loop = state.loops.bounds[k];
    const std::string min = loop.min.text(names), extent = loop.extent.text(names);
    state.text += pad(k + 1) + fmt::format("for {} in range({}, {} + {}):\n", names[k], min, min, extent);
    if (k + 1 == beside) map_block(state, k + 1);
  }
  add_blocks(state, depth);
  read_consumed(state);
}

std::string draw_program(NestState& state) {
  for (std::int64_t nests = state.random.integer(1, 2); nests > 0; --nests) add_nest(state);
  std::string head, allocated, fills;
  for (const Memory& tensor : state.tensors) {
    const std::string shape = fmt::format("({},)", list_of(tensor.shape));
    if (tensor.role == Memory::input || tensor.role == Memory::output)
      head += fmt::format("{}{}: T.Buffer({}, \"int32\")", head.empty() ? "" : ", ", tensor.name, shape);
    else
      allocated += fmt::format("    {} = T.alloc_buffer({}, \"int32\")\n", tensor.name, shape);
    if (tensor.role == Memory::filled) fills += whole("fill", tensor, tensor.name, std::nullopt);
  }
  return "@T.prim_func\ndef dependent(" + head + "):\n" + allocated + fills + state.text;
}

}  // namespace

Function dependent_nests(Random& random) {
  // What cannot be proved of its bindings and iterator kinds is no program: then another one is drawn, after
  // a few only with iterators of which nothing must be proved.
  for (int attempt = 0; attempt < 40; ++attempt) {
    NestState state{.random = random, .is_cautious = attempt > 3};
    const Function program = arith::complete_regions(parse_function(draw_program(state)));
    if (!arith::verify(program).empty()) continue;
    if (state.counts_twice)
      throw InternalError("verify accepts a reduction that counts elements twice:\n" + print(program));
    return program;
  }
  throw InternalError("none of forty random nests verifies");
}

}  // namespace ardea::random_programs
