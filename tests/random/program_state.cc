#include "tests/random/program_state.h"

#include <algorithm>

#include "ardea/ir/equal.h"

namespace ardea::random_programs {

bool same_axis(const Axis& a, const Axis& b) {
  if (a.size || b.size) return a.size == b.size;
  return structurally_equal(a.extent, b.extent);
}

DataType computing_type(DataType type) {
  if (type.is_float8()) return float32;
  if (type == int4) return int8;
  if (type == uint4) return uint8;
  return type;
}

ProgramState::ProgramState(Random& random, const RandomProgramOptions& options, const std::string& name)
    : random_(random), options_(options), builder_(name) {
  // 32-bit indices are what text with T.int32 gives; 64 bits are the rule. A symbolic extent of 32 bits would
  // be of no use: n + 1 may wrap, so that nothing about it can be proved.
  symbolic_ = options_.symbolic_shapes && random_.chance(0.35);
  if (!symbolic_ && random_.chance(0.25)) index_type_ = int32;
  choose_axes();
  choose_scalars();
}

void ProgramState::choose_axes() {
  // Primes, ones, powers of two and sizes that share no factor with their neighbours.
  static const std::vector<std::int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17};
  std::vector<std::int64_t> allowed;
  for (const std::int64_t size : sizes)
    if (size <= options_.largest_extent) allowed.push_back(size);
  const auto count = random_.integer(2, 4);
  for (std::int64_t i = 0; i < count; ++i) axes_.push_back(axis(random_.pick(allowed)));
  if (!symbolic_) return;
  const bool two = random_.chance(0.4);
  for (const char* symbol : {"n", "m"}) {
    const Axis symbolic = axis(Var(symbol, index_type_), 7);
    axes_.push_back(symbolic);
    // A symbolic extent is read from an argument of which it is a whole dimension.
    input({symbolic}, element_type());
    if (!two) break;
  }
}

void ProgramState::choose_scalars() {
  if (random_.chance(0.25)) scalars_.push_back(builder_.scalar("alpha", float_type()));
  if (random_.chance(0.15)) scalars_.push_back(builder_.scalar("count", integer_type()));
}

Axis ProgramState::axis(std::int64_t size) const { return {index(size), size, size}; }

Axis ProgramState::axis(Expr extent, std::int64_t nominal) const {
  if (const auto size = constant_int(extent)) return axis(*size);
  return {std::move(extent), std::nullopt, nominal};
}

Axis ProgramState::any_axis() { return random_.pick(axes_); }

Axis ProgramState::fixed_axis() {
  for (int attempt = 0; attempt < 8; ++attempt)
    if (Axis found = any_axis(); found.size) return found;
  return axis(random_.integer(1, options_.largest_extent));
}

std::vector<Axis> ProgramState::some_axes(int count, std::int64_t most) {
  std::vector<Axis> chosen;
  std::int64_t elements = 1;
  while (static_cast<int>(chosen.size()) < count) {
    Axis next = any_axis();
    if (elements * next.nominal > most) next = axis(random_.integer(1, 2));
    elements *= next.nominal;
    chosen.push_back(std::move(next));
  }
  return chosen;
}

std::string ProgramState::fresh_name(const std::string& stem) {
  return stem + "_" + std::to_string(names_++);
}

DataType ProgramState::element_type() {
  // Floats carry most tensor programs: they get more than their share of the type list.
  if (random_.chance(0.35)) return float_type();
  return element_types[random_.integer(0, std::ssize(element_types) - 1)];
}

DataType ProgramState::integer_type() {
  static const std::vector<DataType> types = {int8, int16, int32, int64, uint8, uint16, uint32, uint64};
  return random_.pick(types);
}

DataType ProgramState::float_type() {
  static const std::vector<DataType> types = {float32, float32, float32, float64, float16, bfloat16};
  return random_.pick(types);
}

namespace {

std::vector<Expr> shape_of(const std::vector<Axis>& axes) {
  std::vector<Expr> shape;
  for (const Axis& axis : axes) shape.push_back(axis.extent);
  return shape;
}

}  // namespace

Tensor ProgramState::input(const std::vector<Axis>& axes, DataType type) {
  Tensor tensor{builder_.parameter(fresh_name("X"), shape_of(axes), type), axes, 1, true};
  publish(tensor);
  return tensor;
}

Tensor ProgramState::result(const std::vector<Axis>& axes, DataType type, bool must_be_parameter) {
  if (last_stage || must_be_parameter || random_.chance(0.25))
    return {builder_.parameter(fresh_name("Y"), shape_of(axes), type), axes, 1, true};
  return {builder_.allocate(fresh_name("T"), shape_of(axes), type), axes, 1, false};
}

}  // namespace ardea::random_programs
