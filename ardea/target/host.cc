#include "ardea/target/host.h"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "ardea/support/error.h"

namespace ardea::target {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  require(hwloc_topology_init(&raw) == 0, "target host: hwloc cannot start; use a named target instead");
  Topology topology(raw);
  require(hwloc_topology_load(raw) == 0,
          "target host: hwloc cannot read this machine's topology; use a named target instead");
  return topology;
}

/// The processors this process may run on; all of them where the system does not tell.
Bitmap allowed_processors(hwloc_topology_t topology) {
  Bitmap allowed(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_PROCESS) != 0 ||
      hwloc_bitmap_iszero(allowed.get()))
    hwloc_bitmap_copy(allowed.get(), hwloc_topology_get_topology_cpuset(topology));
  return allowed;
}

/// hwloc names cores where the system does; else each processing unit counts as one.
std::vector<hwloc_obj_t> cores_among(hwloc_topology_t topology, hwloc_const_cpuset_t processors) {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_CORE, HWLOC_OBJ_PU}) {
    std::vector<hwloc_obj_t> cores;
    for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_type(topology, type, core)) != nullptr;)
      if (hwloc_bitmap_intersects(core->cpuset, processors)) cores.push_back(core);
    if (!cores.empty()) return cores;
  }
  fail("target host: hwloc sees no core that this process may use; use a named target instead");
}

/// hwloc's -1 is a fully associative cache, 0 an unknown; a number that does not fit the size is as good as
/// unknown.
std::optional<int> ways_of(const hwloc_obj_attr_u::hwloc_cache_attr_s& cache, int line_bytes) {
  const auto lines = static_cast<std::int64_t>(cache.size) / line_bytes;
  if (cache.associativity == 0) return std::nullopt;
  const std::int64_t ways = cache.associativity < 0 ? lines : cache.associativity;
  if (static_cast<std::int64_t>(cache.size) % (ways * line_bytes) != 0) return std::nullopt;
  return static_cast<int>(ways);
}

std::vector<Cache> caches_above(hwloc_obj_t core, const std::vector<hwloc_obj_t>& cores) {
  constexpr int usual_line_bytes = 64;  // where hwloc does not know
  std::vector<Cache> caches;
  // From a processing unit, not the core: some machines list the first cache below the core.
  hwloc_obj_t object = core;
  while (object->first_child != nullptr) object = object->first_child;
  for (; object != nullptr; object = object->parent) {
    if (!hwloc_obj_type_is_dcache(object->type)) continue;
    const hwloc_obj_attr_u::hwloc_cache_attr_s& attributes = object->attr->cache;
    if (attributes.size == 0) continue;
    Cache cache;
    cache.level = static_cast<int>(attributes.depth);
    cache.bytes = static_cast<std::int64_t>(attributes.size);
    cache.line_bytes = attributes.linesize > 0 ? static_cast<int>(attributes.linesize) : usual_line_bytes;
    cache.ways = ways_of(attributes, cache.line_bytes);
    cache.shared_by_cores =
        static_cast<int>(std::count_if(cores.begin(), cores.end(), [&](hwloc_obj_t other) {
          return hwloc_bitmap_intersects(object->cpuset, other->cpuset) != 0;
        }));
    caches.push_back(cache);
  }
  return caches;
}

void read_topology(Target& target) {
  const Topology topology = load_topology();
  const Bitmap allowed = allowed_processors(topology.get());
  const std::vector<hwloc_obj_t> cores = cores_among(topology.get(), allowed.get());
  target.cores = static_cast<int>(cores.size());
  // Not hwloc's sum over the nodes: where a virtual machine's memory grows, the nodes' numbers stay behind.
  target.memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  target.caches = caches_above(cores.front(), cores);
  if (target.caches.empty()) {
    target.caches = find("generic-" + to_string(target.arch)).caches;
    for (Cache& cache : target.caches) cache.shared_by_cores = std::min(cache.shared_by_cores, target.cores);
  }
}

/// What the processor does not say itself: as the record of its name has it, or that of the architecture.
Core recorded_core(const Target& target) {
  const std::vector<std::string> known = names();
  const bool has_record = std::find(known.begin(), known.end(), target.cpu) != known.end();
  return find(has_record ? target.cpu : "generic-" + to_string(target.arch)).core;
}

}  // namespace

Target describe(const X86Words& words) {
  Target target;
  target.arch = Arch::x86_64;
  target.triple = "x86_64-linux-gnu";
  target.cpu = x86_64_cpu(words);
  target.features = x86_64_features(words);
  target.vector_bits = target.has("avx512f") ? 512 : target.has("avx2") ? 256 : 128;
  target.vector_registers = target.has("avx512f") ? 32 : 16;
  return target;
}

Target describe(const Aarch64Words& words) {
  Target target;
  target.arch = Arch::aarch64;
  target.triple = "aarch64-linux-gnu";
  target.cpu = aarch64_cpu(words);
  target.features = aarch64_features(words);
  constexpr int neon_bits = 128;
  target.vector_bits = target.has("sve") ? std::max(neon_bits, words.sve_bytes * 8) : neon_bits;
  target.vector_registers = 32;
  return target;
}

std::vector<std::vector<int>> processors_by_core() {
  const Topology topology = load_topology();
  const Bitmap allowed = allowed_processors(topology.get());
  std::vector<std::vector<int>> all;
  for (const hwloc_obj_t core : cores_among(topology.get(), allowed.get())) {
    std::vector<int>& processors = all.emplace_back();
    for (int i = hwloc_bitmap_first(core->cpuset); i >= 0; i = hwloc_bitmap_next(core->cpuset, i))
      if (hwloc_bitmap_isset(allowed.get(), static_cast<unsigned>(i)) != 0) processors.push_back(i);
  }
  return all;
}

Target host() {
#if defined(__x86_64__)
  Target target = describe(read_x86_words());
#elif defined(__aarch64__)
  Target target = describe(read_aarch64_words());
#else
#error "Ardea runs on x86_64 and aarch64"
#endif
  target.name = "host";
  target.core = recorded_core(target);
  read_topology(target);
  check(target, "target host");
  return target;
}

}  // namespace ardea::target
