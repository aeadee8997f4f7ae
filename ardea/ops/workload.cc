#include <algorithm>

#include "ardea/ops/registry.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/te/create_prim_func.h"

/// make_workload: what a user asks for, checked.

namespace ardea::ops {

namespace {

void complete_sizes(const Operator& op, Workload& w) {
  const auto optional =
      std::count_if(op.sizes.begin(), op.sizes.end(), [](const Size& s) { return s.otherwise.has_value(); });
  const std::size_t most = op.sizes.size(), fewest = most - static_cast<std::size_t>(optional);
  const std::string takes = optional == 0 ? std::to_string(most) : fmt::format("{} or {}", fewest, most);
  require(fewest <= w.sizes.size() && w.sizes.size() <= most, "{}: {} size{} given, but it takes {}: {}",
          op.name, w.sizes.size(), w.sizes.size() == 1 ? " is" : "s are", takes, size_names(op));
  while (w.sizes.size() < most) w.sizes.push_back(*op.sizes[w.sizes.size()].otherwise);
  for (std::size_t i = 0; i < most; ++i)
    require(w.sizes[i] >= op.sizes[i].least, "{}: {} is {}, must be at least {}", op.name, op.sizes[i].name,
            w.sizes[i], op.sizes[i].least);
}

void complete_layout(const Operator& op, Workload& w) {
  if (w.layout.empty()) {
    if (!op.layouts.empty()) w.layout = op.layouts[0];
    return;
  }
  require(!op.layouts.empty(), "{}: layout {} is given, but it has no choice of layouts; leave it out",
          op.name, w.layout);
  require(std::find(op.layouts.begin(), op.layouts.end(), w.layout) != op.layouts.end(),
          "{}: there is no layout {}; choose {}", op.name, in_quotes(w.layout), join(op.layouts, " or "));
}

void complete_types(const Operator& op, Workload& w) {
  std::vector<std::string> names;
  std::size_t operands = 0;
  for (const Input& input : op.inputs) {
    names.push_back(input.name);
    if (!input.follows_accumulator) ++operands;
  }
  if (w.in.empty()) w.in = {float32};
  const std::size_t given = w.in.size();
  require(given == 1 || given == operands || given == op.inputs.size(),
          "{}: {} input types are given, but it has {} input{}: {}; give one type for all, or one for each",
          op.name, given, names.size(), names.size() == 1 ? "" : "s", join(names, ", "));
  const bool each = given == op.inputs.size();
  std::vector<DataType> operand_types, types;
  for (std::size_t i = 0; i < operands; ++i) operand_types.push_back(w.in[given == 1 ? 0 : i]);
  const Types chosen = resolved(op.name, op.arithmetic, operand_types, {w.acc, w.out});
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const DataType like = each ? w.in[i] : operand_types[i < operands ? i : 0];
    const bool narrow = !each && (like.is_integer() || like.is_storage_only());
    types.push_back(op.inputs[i].follows_accumulator && narrow ? chosen.acc : like);
  }
  w.in = types;
  w.acc = chosen.acc;
  w.out = chosen.out;
}

/// Also what is neither input nor output: padded data, intermediate results.
void count_allocations(const Workload& w) {
  for (const auto& operation : te::operations_of(build(w)))
    for (const Buffer& buffer : operation->outputs) {
      Count bits = buffer->type.bits;
      for (const Expr& extent : buffer->shape) bits = bits * constant_int(extent).value();
    }
}

}  // namespace

Workload make_workload(Workload wanted) {
  Workload w = std::move(wanted);
  const Operator& op = find(w.op);
  complete_sizes(op, w);
  complete_layout(op, w);
  complete_types(op, w);
  require(!w.transpose_b || op.can_transpose_b, "{}: it has no B to transpose; leave transpose_b (--tb) out",
          op.name);
  try {
    op.shapes(w);  // overflow first: the operator's own arithmetic may then trust its sizes
    count_allocations(w);
    bytes(w);
    flops(w);
  } catch (const CountOverflow&) {
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < w.sizes.size(); ++i)
      sizes.push_back(fmt::format("{}={}", op.sizes[i].name, w.sizes[i]));
    fail("{}: with {} an array or the number of operations does not fit in 63 bits; choose smaller sizes",
         op.name, join(sizes, ", "));
  }
  return w;
}

}  // namespace ardea::ops
