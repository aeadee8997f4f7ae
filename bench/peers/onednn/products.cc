#include "bench/peers/onednn/steps.h"

namespace peer {

namespace {

using Desc = dnnl::memory::desc;

/// B as the product sees it: k,n, though it may be given as n,k.
Desc seen(const Array& b, bool transposed) {
  const Desc given = row_major(b);
  if (!transposed) return given;
  std::vector<int> order(b.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return given.permute_axes(order);
}

}  // namespace

Variants products(const Workload& w) {
  if (w.op != "gemm" && w.op != "bmm") return {};
  const Desc a = row_major(w.arrays[0]), b = seen(w.arrays[1], w.transpose_b), c = row_major(w.output());
  if (w.acc != "float32" && w.acc != "int32") throw Refusal{"it does not compute in " + w.acc};
  const auto made = [=](bool own_layout) {
    const auto pd = std::make_shared<dnnl::matmul::primitive_desc>(
        described_matmul(a, own_layout ? any_layout(b) : b, c));
    if (!*pd) throw Refusal{"it has no such product"};
    return pd;
  };
  Variants all;
  const auto add = [&](bool own_layout, bool once, const std::string& label) {
    const auto pd = made(own_layout);
    if (own_layout && pd->weights_desc() == b) return;  // the same as before
    all.push_back([=] {
      const auto steps = std::make_shared<Steps>(
          dnnl::matmul(*pd),
          std::vector<Operand>{{DNNL_ARG_SRC, 0, a, a}, {DNNL_ARG_WEIGHTS, 1, b, pd->weights_desc(), once}},
          Operand{DNNL_ARG_DST, 2, c, c});
      return Prepared{std::string(pd->impl_info_str()) + label, [=](void* const* p) { steps->run(p); }};
    });
  };
  add(false, false, ", given layout");
  add(true, false, ", B in its own layout, reorder counted");
  add(true, true, ", B in its own layout, prepacked");
  return all;
}

}  // namespace peer
