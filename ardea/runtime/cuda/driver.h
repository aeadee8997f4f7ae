#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// NVIDIA's driver, loaded when it is first needed: whoever has no GPU needs none of it. Types and numbers
/// are those of cuda.h, which no machine needs to have either.

namespace ardea::runtime::cuda {

using Result = int;
using DevicePointer = std::uint64_t;
struct ContextState;
struct StreamState;
struct EventState;
struct ModuleState;
struct FunctionState;
struct GraphState;
struct GraphExecState;
using Context = ContextState*;
using Stream = StreamState*;
using Event = EventState*;
using ModuleHandle = ModuleState*;
using Kernel = FunctionState*;
using Graph = GraphState*;
using GraphExec = GraphExecState*;

/// Attributes of devices and functions that are asked for, by cuda.h's numbers.
enum DeviceAttribute : int {
  clock_rate_khz = 13,
  multiprocessors = 16,
  memory_clock_khz = 36,
  l2_bytes = 38,
  compute_capability_major = 75,
  compute_capability_minor = 76,
};
enum FunctionAttribute : int {
  local_bytes = 3,  ///< a thread's memory beside its registers: what was spilled, or indexed
  registers = 4,
  most_dynamic_shared_bytes = 8,
};

/// CUlaunchAttribute: what may be said of a launch.
struct LaunchAttribute {
  /// That it may begin before the kernel before it has ended, for whose end it waits itself.
  static constexpr int programmatic_stream_serialization = 6;

  int id = 0;
  int unused = 0;
  union {
    std::uint64_t most[8] = {};
    int number;
  };
};

/// CUlaunchConfig
struct LaunchPlan {
  std::array<unsigned, 3> grid, block;
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// The functions of libcuda.so.1, or what ARDEA_CUDA_DRIVER names in its place, that are used; each throws
/// nothing and gives a Result.
struct Driver {
  Result (*init)(unsigned flags);
  Result (*driver_version)(int* version);
  Result (*error_name)(Result, const char** text);
  Result (*error_sentence)(Result, const char** text);
  Result (*device_count)(int* count);
  Result (*device)(int* device, int ordinal);
  Result (*device_name)(char* name, int length, int device);
  Result (*device_attribute)(int* value, int attribute, int device);
  Result (*retain_context)(Context* context, int device);
  Result (*set_context)(Context context);
  Result (*free_and_total_memory)(std::size_t* free, std::size_t* total);
  Result (*allocate)(DevicePointer* memory, std::size_t bytes);
  Result (*free)(DevicePointer memory);
  Result (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes, Stream stream);
  Result (*copy_to_host)(void* to, DevicePointer from, std::size_t bytes, Stream stream);
  Result (*fill_bytes)(DevicePointer to, unsigned char value, std::size_t bytes, Stream stream);
  Result (*create_stream)(Stream* stream, unsigned flags);
  Result (*destroy_stream)(Stream stream);
  Result (*wait_for_stream)(Stream stream);
  Result (*begin_capture)(Stream stream, int mode);
  Result (*end_capture)(Stream stream, Graph* graph);
  Result (*instantiate)(GraphExec* exec, Graph graph, unsigned long long flags);
  Result (*launch_graph)(GraphExec exec, Stream stream);
  Result (*destroy_graph)(Graph graph);
  Result (*destroy_exec)(GraphExec exec);
  Result (*create_event)(Event* event, unsigned flags);
  Result (*record_event)(Event event, Stream stream);
  Result (*wait_for_event)(Event event);
  Result (*elapsed_ms)(float* ms, Event begin, Event end);
  Result (*destroy_event)(Event event);
  Result (*load_module)(ModuleHandle* module, const void* image);
  Result (*unload_module)(ModuleHandle module);
  Result (*find_kernel)(Kernel* kernel, ModuleHandle module, const char* name);
  Result (*kernel_attribute)(int* value, int attribute, Kernel kernel);
  Result (*set_kernel_attribute)(Kernel kernel, int attribute, int value);
  Result (*launch)(Kernel kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** arguments,
                   void** extra);
  /// The same with attributes; null where the driver is older than CUDA 12.3, from which on the launches of a
  /// graph keep what is asked for here.
  Result (*launch_as_planned)(const LaunchPlan* plan, Kernel kernel, void** arguments, void** extra);
  /// Of an array what a unit that copies boxes of it needs to know; null where the driver is older than that.
  Result (*encode_box)(void* box, int type, unsigned rank, void* array, const std::uint64_t* extents,
                       const std::uint64_t* strides, const std::uint32_t* sizes, const std::uint32_t* steps,
                       int interleave, int swizzle, int promotion, int fill);
  /// The same of images that windows go through.
  Result (*encode_windows)(void* box, int type, unsigned rank, void* array, const std::uint64_t* extents,
                           const std::uint64_t* strides, const int* lower, const int* upper,
                           std::uint32_t channels, std::uint32_t windows, const std::uint32_t* steps,
                           int interleave, int swizzle, int promotion, int fill);
};

/// Error with what is missing where the library is not there, or cannot begin.
const Driver& driver();

/// Why there is no GPU to run on; empty where there is one.
std::string why_no_gpu();

/// Error with the driver's words where the result is one; `call` begins the sentence.
void require_success(Result result, const std::string& call);

}  // namespace ardea::runtime::cuda
