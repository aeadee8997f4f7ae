#include "ardea/ir/thread_axes.h"

namespace ardea {

const std::vector<std::string>& thread_axes() {
  static const std::vector<std::string> axes = {"threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x",
                                                "blockIdx.y",  "blockIdx.z",  "vthread",     "vthread.x",
                                                "vthread.y",   "vthread.z"};
  return axes;
}

}  // namespace ardea
