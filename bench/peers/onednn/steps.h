#pragma once

#include <dnnl.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/peers/onednn/described.h"
#include "bench/peers/plugin.h"

namespace peer {

/// The layout of an array that the caller gave, and the one in which a primitive wants it.
struct Operand {
  int argument;       ///< DNNL_ARG_SRC, …
  std::size_t array;  ///< which of the caller's
  dnnl::memory::desc given, wanted;
  bool once = false;  ///< reordered by the first call, for all
};

/// A primitive with the reorders that it needs around it, which a call runs too, but for those that are done
/// once.
class Steps {
 public:
  Steps(const dnnl::primitive& primitive, const std::vector<Operand>& inputs, const Operand& output);
  void run(void* const* arrays);

 private:
  struct Reorder {
    dnnl::reorder primitive;
    dnnl::memory from, to;
    bool once = false, done = false;
  };
  struct Bound {
    dnnl::memory memory;
    std::size_t array;
  };
  /// The memory that the primitive sees; what the caller gave is bound to its array.
  dnnl::memory bind(const Operand& operand, bool is_output);

  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::vector<Bound> bound_;
  std::vector<Reorder> before_, after_;
};

/// The element type by its name; Refusal where the library has none such.
dnnl::memory::data_type type_of(const Array& array);

/// A compact row-major array.
dnnl::memory::desc row_major(const Array& array);

Variants products(const Workload& workload);
Variants convolutions(const Workload& workload);
Variants rows(const Workload& workload);

}  // namespace peer
