#include "bench/peers/onednn/steps.h"

namespace peer {

namespace {

dnnl::stream& stream() {
  static dnnl::stream only(engine());
  return only;
}

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine only(dnnl::engine::kind::cpu, 0);
  return only;
}

dnnl::memory::data_type type_of(const Array& array) {
  using Type = dnnl::memory::data_type;
  static const std::unordered_map<std::string, Type> types = {
      {"float32", Type::f32}, {"bfloat16", Type::bf16}, {"float16", Type::f16},
      {"int32", Type::s32},   {"int8", Type::s8},       {"uint8", Type::u8}};
  const auto at = types.find(array.type);
  if (at == types.end()) throw Refusal{"it has no " + array.type};
  return at->second;
}

dnnl::memory::desc row_major(const Array& array) {
  dnnl::memory::dims strides(array.shape.size(), 1);
  for (std::size_t i = array.shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * array.shape[i];
  return {array.shape, type_of(array), strides};
}

Steps::Steps(const dnnl::primitive& primitive, const std::vector<Operand>& inputs, const Operand& output)
    : primitive_(primitive) {
  for (const Operand& input : inputs) arguments_.emplace(input.argument, bind(input, false));
  arguments_.emplace(output.argument, bind(output, true));
}

dnnl::memory Steps::bind(const Operand& operand, bool is_output) {
  const dnnl::memory given(operand.given, engine(), DNNL_MEMORY_NONE);
  bound_.push_back({given, operand.array});
  if (operand.given == operand.wanted) return given;
  const dnnl::memory wanted(operand.wanted, engine());
  if (is_output)
    after_.push_back({dnnl::reorder(wanted, given), wanted, given});
  else
    before_.push_back({dnnl::reorder(given, wanted), given, wanted, operand.once});
  return wanted;
}

void Steps::run(void* const* arrays) {
  for (const Bound& b : bound_)
    if (b.memory.get_data_handle() != arrays[b.array]) b.memory.set_data_handle(arrays[b.array]);
  for (Reorder& r : before_) {
    if (!r.done) r.primitive.execute(stream(), r.from, r.to);
    r.done = r.once;
  }
  primitive_.execute(stream(), arguments_);
  for (Reorder& r : after_) r.primitive.execute(stream(), r.from, r.to);
  stream().wait();
}

}  // namespace peer
