#include "tests/stages/campaign/random_directives.h"

#include <algorithm>

#include "ardea/support/error.h"

namespace ardea::stages {

namespace {

using te::Tensor;

/// What an attempt may draw from.
struct Draw {
  const Schedule& s;
  Random& random;
  std::vector<Tensor>& tensors;  ///< with a stage; directives add to them

  const Tensor& tensor() { return random.pick(tensors); }
  /// Most often one for which the test holds.
  template <class Test>
  const Tensor& tensor_where(const Test& test) {
    for (int i = random.integer(0, 19) == 0 ? 0 : 10; i > 0; --i)
      if (const Tensor& one = tensor(); test(one)) return one;
    return tensor();
  }
  bool has_loops(const Tensor& tensor) const { return !s[tensor].leaves().empty(); }
  bool reduces(const Tensor& tensor) const { return !s[tensor].op().reduce_axis.empty(); }
  /// Computed here and read here: its memory is not the caller's.
  bool is_between(const Tensor& tensor) const {
    const auto reads = [&](const Tensor& reader) {
      const std::vector<Tensor>& inputs = reader.operation()->inputs;
      return std::any_of(inputs.begin(), inputs.end(),
                         [&](const Tensor& input) { return input.operation() == tensor.operation(); });
    };
    return has_loops(tensor) && std::any_of(tensors.begin(), tensors.end(), reads);
  }
  /// Most often a loop as it is now; sometimes what it was before, or another stage's.
  Axis axis(const Stage& stage) {
    const std::int64_t choice = random.integer(0, 30);
    const Stage from = choice == 0 ? s[tensor()] : stage;
    if (choice == 1 && !from.op().axis.empty()) return random.pick(from.op().axis);
    return from.leaves().empty() ? Axis("nothing", IteratorKind::spatial) : random.pick(from.leaves());
  }
  Axis reduce_axis(const Stage& stage) {
    std::vector<Axis> reduced;
    for (const Axis& axis : stage.leaves())
      if (axis.kind == IteratorKind::reduce) reduced.push_back(axis);
    return reduced.empty() || random.integer(0, 9) == 0 ? axis(stage) : random.pick(reduced);
  }
};

void split(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  const Axis axis = draw.axis(stage);
  const std::int64_t number = draw.random.integer(draw.random.integer(0, 20) == 0 ? 0 : 1, 5);
  if (draw.random.integer(0, 1) == 0)
    stage.split(axis, {.factor = number});
  else
    stage.split(axis, {.nparts = number});
}

void tile(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  const Axis x = draw.axis(stage);
  Axis y = draw.axis(stage);
  for (int i = 0; i < 5 && y == x; ++i) y = draw.axis(stage);
  // One statement a draw: arguments are evaluated in any order, and a seed is to name one schedule.
  const std::int64_t x_factor = draw.random.integer(1, 4), y_factor = draw.random.integer(1, 4);
  stage.tile(x, y, x_factor, y_factor);
}

void fuse(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  const std::vector<Axis>& leaves = stage.leaves();
  if (leaves.size() < 2) return;
  const auto first = draw.random.integer(0, std::ssize(leaves) - 2);
  const auto at = leaves.begin() + first;
  if (draw.random.integer(0, 9) != 0) {
    stage.fuse(*at, *(at + 1));
    return;
  }
  const Axis outer = draw.axis(stage), inner = draw.axis(stage);
  stage.fuse(outer, inner);
}

void reorder(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  std::vector<Axis> order;
  for (std::int64_t i = draw.random.integer(1, 3); i >= 0; --i) {
    const Axis axis = draw.axis(stage);
    const bool twice = std::find(order.begin(), order.end(), axis) != order.end();
    if (!twice || draw.random.integer(0, 20) == 0) order.push_back(axis);
  }
  stage.reorder(order);
}

void compute_at(Draw& draw) {
  const Tensor& child = draw.tensor();
  // Most often a reader, so that some of it can be done.
  std::vector<Tensor> readers;
  for (const Tensor& t : draw.tensors)
    for (const Tensor& input : t.operation()->inputs)
      if (input.operation() == child.operation()) readers.push_back(t);
  const Stage parent =
      draw.s[readers.empty() || draw.random.integer(0, 9) == 0 ? draw.tensor() : draw.random.pick(readers)];
  draw.s[child].compute_at(parent, draw.axis(parent));
}

void compute_root(Draw& draw) { draw.s[draw.tensor()].compute_root(); }
void compute_inline(Draw& draw) {
  const Tensor& tensor = draw.tensor_where([&](const Tensor& t) {
    return draw.is_between(t) && !draw.reduces(t) && t.operation()->outputs.size() == 1;
  });
  draw.s[tensor].compute_inline();
}
void auto_inline(Draw& draw) { draw.s.auto_inline(); }

void cache_read(Draw& draw) {
  const Tensor reader = draw.tensor();
  const std::vector<Tensor>& inputs = reader.operation()->inputs;
  const Tensor& from =
      inputs.empty() || draw.random.integer(0, 9) == 0 ? draw.tensor() : draw.random.pick(inputs);
  draw.tensors.push_back(draw.s.cache_read(from, "global", {reader}));
}

void cache_write(Draw& draw) {
  const Tensor from = draw.tensor_where(
      [&](const Tensor& t) { return draw.has_loops(t) && t.operation()->outputs.size() == 1; });
  draw.tensors.push_back(draw.s.cache_write(from, "global"));
}

/// Of what is computed at a loop, most often.
void double_buffer(Draw& draw) {
  const Tensor tensor = draw.tensor_where([&](const Tensor& t) {
    for (const StageRecord& other : draw.s.record().stages)
      if (other.name == draw.s[t].name())
        return other.place && draw.s.record().directives[*other.place].phase == Phase::place;
    return false;
  });
  draw.s[tensor].double_buffer();
}

/// A copy for one iteration of its reader, which the next one need not wait for.
void copy_ahead(Draw& draw) {
  const Tensor reader = draw.tensor();
  const std::vector<Tensor>& inputs = reader.operation()->inputs;
  if (inputs.empty()) return;
  const Tensor copy = draw.s.cache_read(draw.random.pick(inputs), "global", {reader});
  draw.tensors.push_back(copy);
  draw.s[copy].compute_at(draw.s[reader], draw.axis(draw.s[reader]));
  draw.s[copy].double_buffer();
}

void set_scope(Draw& draw) {
  const Tensor& tensor = draw.tensor_where([&](const Tensor& t) { return draw.is_between(t); });
  draw.s[tensor].set_scope(draw.random.integer(0, 1) == 0 ? "global" : "shared");
}

void storage_align(Draw& draw) {
  const Stage stage = draw.s[draw.tensor_where([&](const Tensor& t) { return draw.is_between(t); })];
  if (stage.op().axis.empty()) return;
  const Axis axis = draw.random.pick(stage.op().axis);
  const std::int64_t factor = draw.random.integer(1, 8), offset = draw.random.integer(0, 2);
  stage.storage_align(axis, factor, offset);
}

/// A product that nobody has touched yet, in tiles of the instruction; sometimes any loop.
void tensorize(Draw& draw) {
  const Stage stage = draw.s[draw.tensor_where([](const Tensor& t) { return t.name()[0] == 'M'; })];
  const OperationAxes axes = stage.op();
  if (stage.name()[0] != 'M' || stage.leaves().size() != 3 || axes.reduce_axis.size() != 1) {
    if (draw.random.integer(0, 9) == 0) stage.tensorize(draw.axis(stage), "ardea.tile_4x4x4_f32");
    return;
  }
  const auto [io, jo, ii, ji] = stage.tile(axes.axis[0], axes.axis[1], 4, 4);
  const auto [ko, ki] = stage.split(axes.reduce_axis[0], 4);
  stage.reorder(io, jo, ko, ii, ji, ki);
  stage.tensorize(ii, "ardea.tile_4x4x4_f32");
}

void rfactor(Draw& draw) {
  const Tensor tensor = draw.tensor_where([&](const Tensor& t) { return draw.reduces(t); });
  const Stage stage = draw.s[tensor];
  const Axis axis = draw.reduce_axis(stage);
  draw.tensors.push_back(draw.s.rfactor(tensor, axis, draw.random.integer(-1, 1)));
}

void parallel(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  stage.parallel(draw.axis(stage));
}
void vectorize(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  stage.vectorize(draw.axis(stage));
}
void unroll(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  stage.unroll(draw.axis(stage));
}
void bind(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  const Axis axis = draw.axis(stage);
  stage.bind(axis, draw.random.pick(std::vector<std::string>{"blockIdx.x", "threadIdx.x", "vthread"}));
}
void pragma(Draw& draw) {
  const Stage stage = draw.s[draw.tensor()];
  const Axis axis = draw.axis(stage);
  stage.pragma(axis, "auto_unroll_max_step", {draw.random.integer(0, 16)});
}

struct Proposal {
  const char* name;
  int weight;
  void (*give)(Draw&);
};

/// Rare ones, and those that are often refused, weigh more: all are to be applied about as often.
const std::vector<Proposal> proposals = {
    {"split", 3, split},
    {"tile", 2, tile},
    {"fuse", 6, fuse},
    {"reorder", 2, reorder},
    {"compute_at", 5, compute_at},
    {"compute_root", 3, compute_root},
    {"compute_inline", 6, compute_inline},
    {"auto_inline", 8, auto_inline},
    {"cache_read", 1, cache_read},
    {"cache_write", 4, cache_write},
    {"double_buffer", 1, double_buffer},
    {"double_buffer", 6, copy_ahead},
    {"set_scope", 3, set_scope},
    {"storage_align", 4, storage_align},
    {"tensorize", 5, tensorize},
    {"rfactor", 2, rfactor},
    {"parallel", 4, parallel},
    {"vectorize", 4, vectorize},
    {"unroll", 3, unroll},
    {"bind", 4, bind},
    {"pragma", 3, pragma},
};

/// What needs loops that nothing else has shaped is often the first.
const std::vector<Proposal> first_proposals = {
    {"tensorize", 6, tensorize},
    {"rfactor", 2, rfactor},
    {"cache_write", 1, cache_write},
};

const Proposal& some_proposal(const std::vector<Proposal>& proposals, Random& random) {
  std::int64_t sum = 0;
  for (const Proposal& p : proposals) sum += p.weight;
  std::int64_t left = random.integer(0, sum - 1);
  for (const Proposal& p : proposals) {
    left -= p.weight;
    if (left < 0) return p;
  }
  return proposals.back();
}

}  // namespace

std::vector<std::string> directive_names() {
  std::vector<std::string> names;
  for (const Proposal& proposal : proposals) names.emplace_back(proposal.name);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<int> give_random_directives(const Schedule& s, const RandomGraph& graph, std::uint64_t seed,
                                        int attempts, const std::set<int>& without, StepCounts& counts) {
  std::vector<Tensor> tensors = graph.stages;
  tensors.push_back(graph.inputs[0]);
  std::vector<int> origins;
  Random all(seed);
  for (int i = 0; i < attempts; ++i) {
    Random random = all.split();  // an attempt that is left out leaves the others as they are
    if (without.contains(i)) continue;
    const bool first = i < 2 && random.integer(0, 3) > 0;
    const Proposal& proposal = some_proposal(first ? first_proposals : proposals, random);
    Draw draw{s, random, tensors};
    try {
      proposal.give(draw);
    } catch (const Error& error) {
      require(std::string(error.what()).starts_with("s[") || std::string(error.what()).starts_with("s."),
              "a sentence that does not name the call: {}", error.what());
      ++counts[proposal.name].refused;
    }
    origins.resize(s.record().directives.size(), i);
  }
  return origins;
}

}  // namespace ardea::stages
