#pragma once

#include <dnnl.hpp>

/// Primitives of oneDNN by either of its interfaces: version 3 has no descriptions apart from primitive_desc.
/// Each is empty where the library has no such primitive.

namespace peer {

const dnnl::engine& engine();

inline dnnl::matmul::primitive_desc described_matmul(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                                     const dnnl::memory::desc& c) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), a, b, c, {}, true};
#else
  return {dnnl::matmul::desc(a, b, c), engine(), true};
#endif
}

inline dnnl::convolution_forward::primitive_desc described_convolution(
    const dnnl::memory::desc& data, const dnnl::memory::desc& weights, const dnnl::memory::desc& out,
    const dnnl::memory::dims& strides, const dnnl::memory::dims& dilates, const dnnl::memory::dims& near,
    const dnnl::memory::dims& far) {
  constexpr auto kind = dnnl::prop_kind::forward_inference;
  constexpr auto algorithm = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), kind, algorithm, data, weights, out, strides, dilates, near, far, {}, true};
#else
  return {{kind, algorithm, data, weights, out, strides, dilates, near, far}, engine(), true};
#endif
}

inline dnnl::softmax_forward::primitive_desc described_softmax(const dnnl::memory::desc& x, int axis) {
  constexpr auto kind = dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), kind, dnnl::algorithm::softmax_accurate, x, x, axis, {}, true};
#else
  return {{kind, x, axis}, engine(), true};
#endif
}

inline dnnl::layer_normalization_forward::primitive_desc described_layernorm(const dnnl::memory::desc& x,
                                                                             float epsilon) {
  constexpr auto kind = dnnl::prop_kind::forward_inference;
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), kind, x, x, epsilon, flags, {}, true};
#else
  return {{kind, x, epsilon, flags}, engine(), true};
#endif
}

inline dnnl::reduction::primitive_desc described_reduction(dnnl::algorithm algorithm,
                                                           const dnnl::memory::desc& x,
                                                           const dnnl::memory::desc& y) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), algorithm, x, y, 0, 0, {}, true};
#else
  return {{algorithm, x, y, 0, 0}, engine(), true};
#endif
}

/// The same dimensions and type in whatever layout the primitive wants.
inline dnnl::memory::desc any_layout(const dnnl::memory::desc& given) {
#if DNNL_VERSION_MAJOR >= 3
  return {given.get_dims(), given.get_data_type(), dnnl::memory::format_tag::any};
#else
  return {given.dims(), given.data_type(), dnnl::memory::format_tag::any};
#endif
}

}  // namespace peer
