#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ardea/runtime/array.h"
#include "ardea/runtime/cuda/driver.h"

/// The GPU of this process, the first that the driver names, and arrays in its memory.

namespace ardea::runtime::cuda {

struct Device {
  std::string name;
  int compute_capability = 0;  ///< 90
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
};

/// Its context is made current on the calling thread: every function below begins with it. Error where there
/// is none.
const Device& device();

/// Memory of the device, freed with the last copy of the pointer. `what` is for the sentence where there is
/// too little.
std::shared_ptr<void> allocate(std::int64_t bytes, const std::string& what);

/// A compact array of this shape and type on the device, not filled.
Array empty_on_device(std::vector<std::int64_t> shape, DataType type);
/// The elements of a contiguous array of the host, and back.
Array to_device(const Array& host);
void copy_to_device(const Array& host, const Array& device);
void copy_to_host(const Array& device, const Array& host);

/// A stream of its own, on which work of this object runs in order.
class OwnStream {
 public:
  OwnStream();
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  Stream get() const { return stream_; }
  /// Until all is done. Error where any of it failed.
  void wait(const std::string& call) const;

 private:
  Stream stream_ = nullptr;
};

}  // namespace ardea::runtime::cuda
