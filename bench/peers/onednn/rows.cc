#include "bench/peers/onednn/steps.h"

namespace peer {

namespace {

using Desc = dnnl::memory::desc;

template <class Primitive>
Variants one_way(const dnnl::primitive_desc_base& described, const typename Primitive::primitive_desc& pd,
                 const std::vector<Operand>& inputs, const Operand& output) {
  if (!described) return {};
  return {[=] {
    const auto steps = std::make_shared<Steps>(Primitive(pd), inputs, output);
    return Prepared{pd.impl_info_str(), [=](void* const* p) { steps->run(p); }};
  }};
}

Operand as_given(int argument, std::size_t array, const Desc& given) {
  return {argument, array, given, given};
}

Variants softmax(const Workload& w) {
  const Desc x = row_major(w.arrays[0]), y = row_major(w.output());
  if (x != y) throw Refusal{"its softmax keeps the type"};
  const dnnl::softmax_forward::primitive_desc pd = described_softmax(x, 1);
  return one_way<dnnl::softmax_forward>(pd, pd, {as_given(DNNL_ARG_SRC, 0, x)}, as_given(DNNL_ARG_DST, 1, y));
}

Variants layernorm(const Workload& w) {
  const Desc x = row_major(w.arrays[0]), y = row_major(w.output()), gamma = row_major(w.arrays[1]);
  if (x != y || w.arrays[1].type != "float32")
    throw Refusal{"its layernorm keeps the type and scales in float32"};
  const dnnl::layer_normalization_forward::primitive_desc pd = described_layernorm(x, 1e-5F);
  return one_way<dnnl::layer_normalization_forward>(
      pd, pd,
      {as_given(DNNL_ARG_SRC, 0, x), as_given(DNNL_ARG_SCALE, 1, gamma), as_given(DNNL_ARG_SHIFT, 2, gamma)},
      as_given(DNNL_ARG_DST, 3, y));
}

Variants reduction(const Workload& w, dnnl::algorithm algorithm) {
  const Desc x = row_major(w.arrays[0]), y = row_major({w.output().type, {w.sizes[0], 1}});
  const dnnl::reduction::primitive_desc pd = described_reduction(algorithm, x, y);
  return one_way<dnnl::reduction>(pd, pd, {as_given(DNNL_ARG_SRC, 0, x)}, as_given(DNNL_ARG_DST, 1, y));
}

}  // namespace

Variants rows(const Workload& w) {
  if (w.acc != "float32") return {};
  if (w.op == "softmax") return softmax(w);
  if (w.op == "layernorm") return layernorm(w);
  if (w.op == "reduce_sum") return reduction(w, dnnl::algorithm::reduction_sum);
  if (w.op == "reduce_max") return reduction(w, dnnl::algorithm::reduction_max);
  if (w.op == "mean") return reduction(w, dnnl::algorithm::reduction_mean);
  return {};
}

}  // namespace peer
