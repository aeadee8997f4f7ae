#include "ardea/measure/memory_bound.h"

#include <algorithm>

namespace ardea::measure {

bool is_memory_bound(const Work& work, const target::Target& target) {
  std::int64_t own_bytes = 0;  // of the largest cache that no other core fills
  for (const target::Cache& cache : target.caches)
    if (cache.shared_by_cores <= 1) own_bytes = std::max(own_bytes, cache.bytes);
  if (work.bytes <= static_cast<double>(own_bytes)) return false;
  constexpr double usual_operations_per_byte = 8;
  double balance = usual_operations_per_byte;
  const auto operations = target.peak_per_second.find("float32_operations_per_core");
  const auto bytes = target.peak_per_second.find("memory_bytes_per_core");
  if (operations != target.peak_per_second.end() && bytes != target.peak_per_second.end() &&
      bytes->second > 0)
    balance = operations->second / bytes->second;
  // Few programs reach the peak: one that needs twice as much arithmetic is still slowed now and then.
  return work.operations < 2 * balance * work.bytes;
}

}  // namespace ardea::measure
