#include "ardea/recipes/conv_sizes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ardea::recipes {

namespace {

std::int64_t product(const std::vector<std::int64_t>& list) {
  return std::accumulate(list.begin(), list.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::string> names_of_window(const std::string& op) {
  if (op == "c1d") return {"k"};
  if (op == "c3d") return {"kd", "kh", "kw"};
  return {"kh", "kw"};
}

}  // namespace

std::int64_t ConvSizes::taps() const { return product(window); }

std::int64_t ConvSizes::pixels() const { return product(output); }

std::int64_t ConvSizes::input_rows(std::size_t dimension, std::int64_t output_rows) const {
  return (output_rows - 1) * stride + (window[dimension] - 1) * dilation + 1;
}

ConvSizes conv_sizes(const ops::Workload& w) {
  const bool depthwise = w.op == "depthwise";
  ConvSizes sizes{.batch = ops::size(w, "n"),
                  .input_channels = depthwise ? 1 : ops::size(w, "ci"),
                  .output_channels = ops::size(w, depthwise ? "c" : "co"),
                  .stride = ops::size(w, "stride"),
                  .pad = ops::size(w, "pad"),
                  .dilation = depthwise ? 1 : ops::size(w, "dilation"),
                  .channels_last = w.layout.back() == 'c'};
  for (const std::string& name : names_of_window(w.op)) {
    const std::int64_t taps = ops::size(w, name);
    const std::int64_t extent = ops::size(w, name == "k" ? "w" : name.substr(1));
    sizes.window.push_back(taps);
    sizes.output.push_back((extent + 2 * sizes.pad - sizes.dilation * (taps - 1) - 1) / sizes.stride + 1);
  }
  return sizes;
}

bool is_float32_on_vectors(const ops::Workload& workload, const target::Target& target) {
  return target.kind == target::Kind::cpu && target.vector_bits >= 128 && workload.acc == float32 &&
         workload.out == float32 &&
         std::all_of(workload.in.begin(), workload.in.end(), [](DataType type) { return type == float32; });
}

}  // namespace ardea::recipes
