#include "bench/gpu_peers/convolution_shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ardea/interp/interpreter.h"
#include "ardea/measure/inputs.h"
#include "ardea/ops/registry.h"

/// What cuDNN is told of a convolution, computed by what its documentation says of these words.

namespace ardea::measure {
namespace {

using peer::ConvolutionShape;
using peer::Strided;
using Indices = std::vector<std::int64_t>;

std::int64_t place(const Strided& array, const Indices& at) {
  return std::inner_product(at.begin(), at.end(), array.strides.begin(), std::int64_t{0});
}

/// All tuples below the extents, in order.
template <class Visit>
void for_each(const Indices& extents, const Visit& visit) {
  Indices at(extents.size(), 0);
  for (;;) {
    visit(at);
    std::size_t d = extents.size();
    while (d > 0 && ++at[d - 1] == extents[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

std::vector<double> in_own_order(const ConvolutionShape& shape, const runtime::Array& weights) {
  std::vector<double> own(static_cast<std::size_t>(shape.own_weights.elements()), NAN);
  for_each(shape.weights.extents, [&](const Indices& at) {
    own[static_cast<std::size_t>(place(shape.own_weights, at))] = weights.get_float(place(shape.weights, at));
  });
  return own;
}

/// cudnnConvolutionForward, or the gradient of its data.
std::vector<double> computed(const ConvolutionShape& shape, const runtime::Array& read,
                             const std::vector<double>& weights) {
  const Strided& made = shape.is_transposed ? shape.image : shape.result;
  std::vector<double> out(static_cast<std::size_t>(made.elements()), 0);
  for_each(shape.result.extents, [&](const Indices& result) {
    for_each(shape.weights.extents, [&](const Indices& window) {
      if (window[0] != result[1]) return;
      Indices image = {result[0], window[1]};
      for (std::size_t d = 0; d < shape.stride.size(); ++d) {
        image.push_back(result[2 + d] * shape.stride[d] - shape.pad[d] + window[2 + d] * shape.dilation[d]);
        if (image.back() < 0 || image.back() >= shape.image.extents[2 + d]) return;
      }
      const double weight = weights[static_cast<std::size_t>(place(shape.own_weights, window))];
      if (shape.is_transposed)
        out[static_cast<std::size_t>(place(shape.image, image))] +=
            weight * read.get_float(place(shape.result, result));
      else
        out[static_cast<std::size_t>(place(shape.result, result))] +=
            weight * read.get_float(place(shape.image, image));
    });
  });
  return out;
}

void expect_same_convolution(const std::string& op, const std::string& sizes, const std::string& layout) {
  const ops::Workload workload =
      ops::make_workload({.op = op, .sizes = ops::parse_sizes(sizes), .layout = layout});
  const Function meaning = ops::create_function(workload);
  const std::vector<interp::Argument> arguments = make_arguments(meaning, {.seed = 5});
  interp::run(meaning, arguments);
  peer::Workload told{.op = op, .layout = layout, .acc = "float32", .sizes = workload.sizes, .arrays = {}};
  for (const interp::Argument& argument : arguments)
    told.arrays.push_back({"float32", std::get<runtime::Array>(argument).shape()});
  const ConvolutionShape shape = convolution_shape(told);
  const auto array = [&](std::size_t i) { return std::get<runtime::Array>(arguments[i]); };
  const std::vector<double> got = computed(shape, array(0), in_own_order(shape, array(1)));
  ASSERT_EQ(static_cast<std::int64_t>(got.size()), array(2).element_count());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], array(2).get_float(static_cast<std::int64_t>(i)), 1e-4)
        << op << " " << sizes << " " << layout << " at " << i;
}

TEST(ConvolutionShape, says_what_the_operator_computes) {
  for (const char* layout : {"ncw", "nwc"}) {
    expect_same_convolution("c1d", "2,9,3,5,3,2,1,2", layout);
    expect_same_convolution("t1d", "2,5,3,4,3,2,1,1", layout);
  }
  for (const char* layout : {"nchw", "nhwc"}) {
    expect_same_convolution("c2d", "2,7,5,3,4,3,2,2,1,1", layout);
    expect_same_convolution("dil", "1,7,9,2,5,3,3,1,2,2", layout);
    expect_same_convolution("t2d", "1,4,3,3,5,3,2,2,1,1,1", layout);
  }
  for (const char* layout : {"ncdhw", "ndhwc"})
    expect_same_convolution("c3d", "1,3,5,4,2,3,2,3,1,1,1,1", layout);
}

TEST(ConvolutionShape, refuses_what_is_no_convolution_of_one_type) {
  EXPECT_THROW(
      peer::convolution_shape({.op = "gemm", .layout = "", .acc = "float32", .sizes = {}, .arrays = {}}),
      peer::Refusal);
  EXPECT_THROW(
      peer::convolution_shape(
          {.op = "c2d",
           .layout = "nchw",
           .acc = "float32",
           .sizes = {1, 4, 4, 2, 2, 3, 3, 1, 1, 1},
           .arrays = {{"float16", {1, 2, 4, 4}}, {"float16", {2, 2, 3, 3}}, {"float32", {1, 2, 4, 4}}}}),
      peer::Refusal);
}

}  // namespace
}  // namespace ardea::measure
