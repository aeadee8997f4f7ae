#include "ardea/rules/model/stores.h"

#include <algorithm>

namespace ardea::rules {

bool stores_in_order(const target::Target& target) { return target.arch == target::Arch::x86_64; }

bool has_stores_past_caches(const target::Target& target) { return target.arch == target::Arch::x86_64; }

bool outgrows_near_caches(std::int64_t bytes, const target::Target& target) {
  const target::Cache *first = target.cache(1), *second = target.cache(2);
  return (first == nullptr || bytes > first->bytes) && (second == nullptr || bytes > second->bytes);
}

bool outgrows_all_caches(std::int64_t bytes, const target::Target& target) {
  return !target.caches.empty() &&
         std::all_of(target.caches.begin(), target.caches.end(),
                     [&](const target::Cache& cache) { return bytes > cache.bytes; });
}

}  // namespace ardea::rules
