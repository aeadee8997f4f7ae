#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "bench/gpu_peers/convolution_shape.h"
#include "bench/gpu_peers/gpu_library.h"

/// cuDNN, by the ten engines that its heuristics think best: what PyTorch times in its benchmark mode.

namespace peer {

const char* const name = "cudnn";
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

namespace {

constexpr std::size_t workspace_bytes = std::size_t{256} << 20;
constexpr std::size_t most_engines = 10;
/// As many sets of arguments as a graph has launches: bench has 20.
constexpr std::size_t most_weights = 32;

/// cudnnBackendAttributeType_t
enum AttributeType {
  handle_type,
  data_type_type,
  int64_type = 3,
  float_type,
  pointer_type = 6,
  mode_type,
  heuristic_type,
  descriptor_type = 15
};

struct Cudnn {
  void* handle = nullptr;
  void* workspace = nullptr;
  void* own_stream = nullptr;
  std::size_t (*version)() = nullptr;
  int (*set_stream)(void*, void*) = nullptr;
  int (*create)(int, void**) = nullptr;
  int (*set)(void*, int, int, std::int64_t, const void*) = nullptr;
  int (*get)(void*, int, int, std::int64_t, std::int64_t*, void*) = nullptr;
  int (*finalize)(void*) = nullptr;
  int (*execute)(void*, void*, void*) = nullptr;
  int (*create_tensor)(void**) = nullptr;
  int (*set_tensor)(void*, int, int, const int*, const int*) = nullptr;
  int (*transform)(void*, const void*, void*, const void*, const void*, void*, void*) = nullptr;
  int (*wait)(void*) = nullptr;

  Cudnn() {
    void* const library = open_library("libcudnn", {"9"});
    int (*begin)(void**) = nullptr;
    find(library, begin, "cudnnCreate");
    find(library, version, "cudnnGetVersion");
    find(library, set_stream, "cudnnSetStream");
    find(library, create, "cudnnBackendCreateDescriptor");
    find(library, set, "cudnnBackendSetAttribute");
    find(library, get, "cudnnBackendGetAttribute");
    find(library, finalize, "cudnnBackendFinalize");
    find(library, execute, "cudnnBackendExecute");
    find(library, create_tensor, "cudnnCreateTensorDescriptor");
    find(library, set_tensor, "cudnnSetTensorNdDescriptor");
    find(library, transform, "cudnnTransformTensor");
    if (const int status = begin(&handle); status != 0)
      throw Refusal{"it cannot begin here (status " + std::to_string(status) + ")"};
    workspace = gpu_workspace(workspace_bytes);
    void* const driver = open_driver();
    int (*create_stream)(void**, unsigned) = nullptr;
    find(driver, create_stream, "cuStreamCreate");
    find(driver, wait, "cuStreamSynchronize");
    require_done(create_stream(&own_stream, 1 /* waits for no other stream */), "cuStreamCreate");
  }
};

Cudnn& cudnn() {
  static Cudnn all;
  return all;
}

int data_type(const std::string& type) {
  if (type == "float32") return 0;
  if (type == "float16") return 2;
  if (type == "bfloat16") return 9;
  throw Refusal{"it is asked for convolutions of float16, bfloat16 and float32 only"};
}

/// Something that cuDNN is told in attributes. Kept until the process ends: there are few.
class Description {
 public:
  explicit Description(int type) {
    require_done(cudnn().create(type, &descriptor_), "cudnnBackendCreateDescriptor");
  }
  void* get() const { return descriptor_; }

  template <class Value>
  Description& with(int attribute, AttributeType type, const std::vector<Value>& values) {
    require_done(
        cudnn().set(descriptor_, attribute, type, static_cast<std::int64_t>(values.size()), values.data()),
        "cudnnBackendSetAttribute");
    return *this;
  }
  template <class Value>
  Description& with(int attribute, AttributeType type, Value value) {
    return with(attribute, type, std::vector<Value>{value});
  }
  bool finish() const { return cudnn().finalize(descriptor_) == 0; }
  void* finished() const {
    require_done(cudnn().finalize(descriptor_), "cudnnBackendFinalize");
    return descriptor_;
  }

 private:
  void* descriptor_ = nullptr;
};

constexpr std::int64_t image_name = 1, weights_name = 2, result_name = 3;

void* tensor(std::int64_t unique_name, const Strided& array, int type) {
  constexpr int tensor_descriptor = 17, alignment = 900, data = 901, extents = 902, strides = 903, id = 906;
  return Description(tensor_descriptor)
      .with(data, data_type_type, type)
      .with(extents, int64_type, array.extents)
      .with(strides, int64_type, array.strides)
      .with(id, int64_type, unique_name)
      .with(alignment, int64_type, std::int64_t{16})
      .finished();
}

/// The graph of one operation.
void* operation_graph(const ConvolutionShape& shape) {
  constexpr int convolution_descriptor = 1, sum_type = 100, correlation = 101, dilations = 102, strides = 103,
                pads_behind = 104, pads_before = 105, rank = 106;
  const int type = data_type(shape.type);
  void* const convolution = Description(convolution_descriptor)
                                .with(sum_type, data_type_type, 0 /* float32 */)
                                .with(correlation, mode_type, 1)
                                .with(rank, int64_type, static_cast<std::int64_t>(shape.stride.size()))
                                .with(dilations, int64_type, shape.dilation)
                                .with(strides, int64_type, shape.stride)
                                .with(pads_before, int64_type, shape.pad)
                                .with(pads_behind, int64_type, shape.pad)
                                .finished();
  constexpr int forward = 10, gradient_of_data = 12;
  const int first = shape.is_transposed ? 706 : 700;  // alpha, beta, the convolution, weights, image, result
  void* const operation = Description(shape.is_transposed ? gradient_of_data : forward)
                              .with(first, float_type, 1.0F)
                              .with(first + 1, float_type, 0.0F)
                              .with(first + 2, descriptor_type, convolution)
                              .with(first + 3, descriptor_type, tensor(weights_name, shape.own_weights, type))
                              .with(first + 4, descriptor_type, tensor(image_name, shape.image, type))
                              .with(first + 5, descriptor_type, tensor(result_name, shape.result, type))
                              .finished();
  constexpr int graph_descriptor = 15, graph_handle = 800, operations = 801;
  return Description(graph_descriptor)
      .with(graph_handle, handle_type, cudnn().handle)
      .with(operations, descriptor_type, operation)
      .finished();
}

/// Those that a heuristic proposes, the best first.
std::vector<void*> engine_configurations(void* graph, int mode) {
  constexpr int heuristic_descriptor = 4, configuration_descriptor = 3, mode_attribute = 200,
                graph_attribute = 201, results = 202;
  const Description heuristic = Description(heuristic_descriptor)
                                    .with(graph_attribute, descriptor_type, graph)
                                    .with(mode_attribute, heuristic_type, mode);
  if (!heuristic.finish()) return {};
  std::vector<void*> found;
  for (std::size_t i = 0; i < most_engines; ++i) found.push_back(Description(configuration_descriptor).get());
  std::int64_t count = 0;
  require_done(cudnn().get(heuristic.get(), results, descriptor_type, most_engines, &count, found.data()),
               "cudnnBackendGetAttribute");
  found.resize(static_cast<std::size_t>(count));
  return found;
}

/// Plans that this GPU and the workspace can serve.
std::vector<void*> plans_of(void* graph) {
  constexpr int plan_descriptor = 5, plan_handle = 400, configuration = 401, workspace_size = 402;
  constexpr int mode_a = 3, fallback = 2;
  std::vector<void*> plans;
  for (const int mode : {mode_a, fallback})
    for (void* const proposed : engine_configurations(graph, mode)) {
      if (plans.size() == most_engines) return plans;
      const Description plan = Description(plan_descriptor)
                                   .with(plan_handle, handle_type, cudnn().handle)
                                   .with(configuration, descriptor_type, proposed);
      std::int64_t bytes = 0, count = 0;
      if (plan.finish() && cudnn().get(plan.get(), workspace_size, int64_type, 1, &count, &bytes) == 0 &&
          bytes <= static_cast<std::int64_t>(workspace_bytes))
        plans.push_back(plan.get());
    }
  return plans;
}

/// Weights in cuDNN's order, made once of each array that a call brings: a user keeps them so.
class OwnWeights {
 public:
  explicit OwnWeights(const ConvolutionShape& shape)
      : given_(described(shape.weights, shape)),
        own_(described(shape.own_weights, shape)),
        is_given_(shape.weights.strides == shape.own_weights.strides) {
    bytes_ = static_cast<std::size_t>(shape.weights.elements()) * (shape.type == "float32" ? 4 : 2);
    bytes_ = (bytes_ + 255) / 256 * 256;
    if (!is_given_) memory_ = static_cast<std::byte*>(gpu_workspace(bytes_ * most_weights));
  }
  bool are_reordered() const { return !is_given_; }

  void* of(void* weights) {
    if (is_given_) return weights;
    if (const auto known = places_.find(weights); known != places_.end()) return known->second;
    if (places_.size() == most_weights) throw std::runtime_error("too many arrays of weights");
    void* const place = memory_ + bytes_ * places_.size();
    const float one = 1, zero = 0;
    Cudnn& c = cudnn();
    // Not in the stream of the call, which may be recorded.
    require_done(c.set_stream(c.handle, c.own_stream), "cudnnSetStream");
    require_done(c.transform(c.handle, &one, given_, weights, &zero, own_, place), "cudnnTransformTensor");
    require_done(c.wait(c.own_stream), "cuStreamSynchronize");
    return places_[weights] = place;
  }

 private:
  static void* described(const Strided& array, const ConvolutionShape& shape) {
    void* tensor = nullptr;
    require_done(cudnn().create_tensor(&tensor), "cudnnCreateTensorDescriptor");
    const std::vector<int> extents(array.extents.begin(), array.extents.end()),
        strides(array.strides.begin(), array.strides.end());
    require_done(cudnn().set_tensor(tensor, data_type(shape.type), static_cast<int>(extents.size()),
                                    extents.data(), strides.data()),
                 "cudnnSetTensorNdDescriptor");
    return tensor;
  }

  void *given_, *own_;
  bool is_given_;
  std::size_t bytes_ = 0;
  std::byte* memory_ = nullptr;
  std::map<void*, void*> places_;
};

void execute(void* plan, bool is_transposed, OwnWeights& weights, void* const* arrays) {
  constexpr int pack_descriptor = 16, names = 1000, pointers = 1001, workspace = 1003;
  void* const own_weights = weights.of(arrays[1]);
  void *const image = arrays[is_transposed ? 2 : 0], *const result = arrays[is_transposed ? 0 : 2];
  Cudnn& c = cudnn();
  void* const pack = Description(pack_descriptor)
                         .with(names, int64_type, std::vector{image_name, weights_name, result_name})
                         .with(pointers, pointer_type, std::vector{image, own_weights, result})
                         .with(workspace, pointer_type, c.workspace)
                         .finished();
  require_done(c.set_stream(c.handle, arrays[3]), "cudnnSetStream");
  require_done(c.execute(c.handle, plan, pack), "cudnnBackendExecute");
}

Variants made_variants(const ConvolutionShape& shape) {
  const std::vector<void*> plans = plans_of(operation_graph(shape));
  if (plans.empty()) throw Refusal{"none of its engines serves this convolution here"};
  const auto weights = std::make_shared<OwnWeights>(shape);
  Variants all;
  for (std::size_t i = 0; i < plans.size(); ++i)
    all.emplace_back([=, is_transposed = shape.is_transposed] {
      return Prepared{
          "engine " + std::to_string(i + 1) + (weights->are_reordered() ? ", weights in its own order" : ""),
          [=](void* const* arrays) { execute(plans[i], is_transposed, *weights, arrays); }};
    });
  return all;
}

}  // namespace

std::string description() { return "cuDNN " + std::to_string(cudnn().version()); }

Variants variants(const Workload& workload, int) {
  // Asked once a variant; some plans are compiled for seconds.
  static std::map<std::vector<std::int64_t>, Variants> known;
  const ConvolutionShape shape = convolution_shape(workload);
  std::vector<std::int64_t> key = {shape.is_transposed ? 1 : 0, data_type(shape.type)};
  for (const auto* part : {&shape.image.extents, &shape.image.strides, &shape.weights.extents, &shape.stride,
                           &shape.pad, &shape.dilation, &shape.result.extents})
    key.insert(key.end(), part->begin(), part->end());
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, made_variants(shape)).first->second;
}

}  // namespace peer
