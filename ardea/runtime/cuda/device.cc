#include "ardea/runtime/cuda/device.h"

#include "ardea/support/error.h"

namespace ardea::runtime::cuda {

namespace {

struct Opened {
  Device device;
  Context context = nullptr;
};

Opened open_first() {
  const Driver& d = driver();
  Opened opened;
  int ordinal = 0;
  require_success(d.device(&ordinal, 0), "CUDA: the first GPU");
  char name[256] = "";
  require_success(d.device_name(name, sizeof(name), ordinal), "CUDA: the GPU's name");
  opened.device.name = name;
  const auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    require_success(d.device_attribute(&value, which, ordinal),
                    "CUDA: an attribute of " + opened.device.name);
    return value;
  };
  opened.device.compute_capability =
      attribute(compute_capability_major) * 10 + attribute(compute_capability_minor);
  opened.device.multiprocessors = attribute(multiprocessors);
  opened.device.l2_bytes = attribute(l2_bytes);
  require_success(d.retain_context(&opened.context, ordinal), "CUDA: a context on " + opened.device.name);
  return opened;
}

void* address(DevicePointer memory) { return reinterpret_cast<void*>(memory); }
DevicePointer pointer_to(const Array& array) { return reinterpret_cast<DevicePointer>(array.data()); }

void require_alike(const Array& host, const Array& on_device, const char* call) {
  require(host.is_on_host() && !on_device.is_on_host() && host.is_contiguous() && on_device.is_contiguous() &&
              host.shape() == on_device.shape() && host.type() == on_device.type(),
          "{}: the arrays are {} on the host and {}; give compact ones of one shape and type", call,
          host.description(), on_device.description());
}

}  // namespace

const Device& device() {
  static const Opened opened = open_first();  // the process keeps its context: it ends with it
  require_success(driver().set_context(opened.context), "CUDA: the context of " + opened.device.name);
  return opened.device;
}

std::shared_ptr<void> allocate(std::int64_t bytes, const std::string& what) {
  const Device& here = device();
  const Driver& d = driver();
  DevicePointer memory = 0;
  if (const Result result = d.allocate(&memory, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
      result != 0) {
    std::size_t free = 0, total = 0;
    d.free_and_total_memory(&free, &total);
    require_success(result, fmt::format("CUDA: {} bytes for {} on {}, of whose {} bytes {} are free", bytes,
                                        what, here.name, total, free));
  }
  return {address(memory), [&d](void* held) { d.free(reinterpret_cast<DevicePointer>(held)); }};
}

Array empty_on_device(std::vector<std::int64_t> shape, DataType type) {
  const std::int64_t bytes = type.bytes(checked_element_count("empty_on_device", shape, type));
  const std::shared_ptr<void> memory = allocate(bytes, "an array");
  return Array::view_on({kDLCUDA, 0}, memory.get(), std::move(shape), type, memory);
}

Array to_device(const Array& host) {
  const Array made = empty_on_device(host.shape(), host.type());
  copy_to_device(host.is_contiguous() ? host : host.copy(), made);
  return made;
}

void copy_to_device(const Array& host, const Array& on_device) {
  require_alike(host, on_device, "copy_to_device");
  device();
  const Driver& d = driver();
  require_success(d.copy_to_device(pointer_to(on_device), host.data(),
                                   static_cast<std::size_t>(host.byte_size()), nullptr),
                  "copy_to_device");
  require_success(d.wait_for_stream(nullptr), "copy_to_device");
}

void copy_to_host(const Array& on_device, const Array& host) {
  require_alike(host, on_device, "copy_to_host");
  device();
  const Driver& d = driver();
  require_success(
      d.copy_to_host(host.data(), pointer_to(on_device), static_cast<std::size_t>(host.byte_size()), nullptr),
      "copy_to_host");
  require_success(d.wait_for_stream(nullptr), "copy_to_host");
}

OwnStream::OwnStream() {
  device();
  require_success(driver().create_stream(&stream_, 1 /* it waits for no other stream */), "CUDA: a stream");
}

OwnStream::~OwnStream() { driver().destroy_stream(stream_); }

void OwnStream::wait(const std::string& call) const {
  require_success(driver().wait_for_stream(stream_), call);
}

}  // namespace ardea::runtime::cuda
