#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ardea::target {

enum class Kind : std::uint8_t { cpu, cuda, accelerator };
enum class Arch : std::uint8_t { x86_64, aarch64, nvptx64, vta };

std::string to_string(Kind kind);
std::string to_string(Arch arch);

/// One data or unified cache, as one core sees it.
struct Cache {
  int level = 1;
  std::int64_t bytes = 0;     ///< of one instance
  std::optional<int> ways{};  ///< absent where the machine does not say
  int line_bytes = 0;
  int shared_by_cores = 1;  ///< cores that share one instance

  friend bool operator==(const Cache&, const Cache&) = default;
};

/// What one core of a cpu starts, and waits for, in cycles: what choices between tiles are made by. Cores run
/// out of order, so that only proportions count.
struct Core {
  int multiplications_per_cycle = 2;  ///< of whole vectors, each with its addition
  int loads_per_cycle = 2;            ///< of whole vectors, from the first cache
  int sum_cycles = 4;                 ///< until the next multiplication or addition can add to a sum
  int page_bytes = 4096;              ///< the smallest: its own prefetching does not look beyond

  /// Sums that a core works on at once: fewer wait for each other.
  int sums_in_flight() const { return multiplications_per_cycle * sum_cycles; }

  friend bool operator==(const Core&, const Core&) = default;
};

/// A unit that copies between memories while threads compute. One copy moves a box; its innermost extent is a
/// multiple of `granule_bytes`.
struct CopyEngine {
  std::string name;
  int granule_bytes = 0;
  int max_rank = 1;                      ///< dimensions of the box
  std::optional<int> max_extent{};       ///< elements of the box along one dimension
  std::optional<int> max_bytes{};        ///< of one copy
  std::optional<int> bytes_per_cycle{};  ///< while a box moves
  std::optional<int> latency_cycles{};   ///< before its first bytes

  friend bool operator==(const CopyEngine&, const CopyEngine&) = default;
};

/// A product of matrices that a unit of its own makes in one step: rows × columns sums of `depth` products.
struct TensorShape {
  std::string unit;    ///< "wmma", "mma", "wgmma", "gemm": the family of its instructions
  std::string inputs;  ///< the type of both factors, as programs spell it
  std::string sums;
  int rows = 1;
  int columns = 1;
  std::optional<int> most_columns{};  ///< where given, `columns` may be any multiple of itself up to this
  int depth = 1;

  friend bool operator==(const TensorShape&, const TensorShape&) = default;
};

/// What only a GPU has. Its multiprocessors are the target's `cores`.
struct Gpu {
  std::int64_t shared_bytes_per_block = 0;  ///< the most one block can ask for, all its buffers in sum
  std::int64_t shared_bytes_per_core = 0;
  std::int64_t shared_bytes_reserved_per_block = 0;  ///< taken of a core's for each block that it holds
  int shared_banks = 0;                              ///< that serve a warp at the same time
  int shared_bank_bytes = 0;                         ///< that one bank gives a cycle
  std::int64_t registers_per_core = 0;               ///< of 32 bits, as the two below
  std::int64_t registers_per_block = 0;
  int registers_per_thread = 0;
  int register_granule = 0;  ///< what a warp takes of a core's registers is a multiple of this
  int threads_per_block = 0;
  int threads_per_core = 0;
  int blocks_per_core = 0;
  int warp_threads = 0;
  int barriers_per_block = 0;  ///< hardware barriers that a block can name
  std::vector<CopyEngine> copy_engines{};

  friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// Memory of its own that a program fills and empties itself; buffers of its scope live there.
struct Scratchpad {
  std::string scope;       ///< "vta.inp": a word, a dot and a name
  std::int64_t bytes = 0;  ///< all of it, for all buffers in sum

  friend bool operator==(const Scratchpad&, const Scratchpad&) = default;
};

/// What only an accelerator has: a machine of few instructions beside a host that prepares its operands.
struct Accelerator {
  std::vector<Scratchpad> scratchpads{};
  int virtual_threads = 1;  ///< that it interleaves, each with its own part of the scratchpads
  std::optional<std::int64_t> cycles_per_second{};
  std::vector<CopyEngine> copy_engines{};

  const Scratchpad* scratchpad(std::string_view scope) const;

  friend bool operator==(const Accelerator&, const Accelerator&) = default;
};

/// A machine to compile for, as data: every limit that a rule, a pass or a backend needs is read from here.
struct Target {
  std::string name;
  Kind kind = Kind::cpu;
  Arch arch = Arch::x86_64;
  std::string triple;  ///< in LLVM's spelling, as the two below
  std::string cpu;     ///< chooses instruction costs; what may be emitted is decided by `features`
  std::vector<std::string>
      features{};       ///< "+avx2" or "-sve"; a later one wins over what an earlier one or `cpu` implies
  int cores = 1;        ///< physical; a GPU's multiprocessors
  int vector_bits = 0;  ///< of the widest vector register; on a GPU of the widest access of one thread
  int vector_registers = 0;     ///< 0 on a GPU, whose registers are in `gpu`, and on an accelerator
  Core core{};                  ///< of a cpu alone
  std::vector<Cache> caches{};  ///< nearest first; an accelerator has none
  std::int64_t memory_bytes = 0;
  std::optional<Gpu> gpu{};                  ///< present exactly where kind is cuda
  std::optional<Accelerator> accelerator{};  ///< present exactly where kind is accelerator
  /// What its tensor units multiply at once. Empty on CPUs, whose instructions say so themselves
  /// (ardea/intrin).
  std::vector<TensorShape> tensor_shapes{};
  /// Measured operations or bytes a second by name, such as "float32_operations" or "memory_bytes"; empty
  /// until measured.
  std::map<std::string, double> peak_per_second{};

  /// Whether the list says "+name" (names without the sign).
  bool has(std::string_view feature) const;
  /// The list as LLVM takes it: "+avx2,+fma,-avx512f".
  std::string llvm_features() const;
  /// The cache of that level, or null.
  const Cache* cache(int level) const;

  friend bool operator==(const Target&, const Target&) = default;
};

/// This machine, read anew at every call: see host.h for how.
Target host();

/// "host", a name out of names(), or the path of a JSON file (anything with a '/' or ending in ".json").
/// "h200:wmma" is the record h200 with the tensor instructions of the family wmma alone.
/// Throws Error: an unknown name with the nearest ones, an unreadable or malformed file with the fault.
Target find(const std::string& name_or_path);

/// "host" first, then the records of the folder targets/, which are compiled in, in alphabetical order.
std::vector<std::string> names();

/// from_json(to_json(t)) == t.
nlohmann::json to_json(const Target& target);

/// Throws Error naming the field that is missing, unknown, of the wrong type or at odds with another; `where`
/// (a file, say) begins the sentence.
Target from_json(const nlohmann::json& record, std::string_view where = "target record");

/// Throws Error where numbers contradict each other or a field cannot be: the laws every record keeps, ours
/// and the user's.
void check(const Target& target, std::string_view where = "target record");

}  // namespace ardea::target
