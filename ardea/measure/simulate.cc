#include "ardea/measure/simulate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "ardea/interp/observer.h"
#include "ardea/intrin/instruction.h"
#include "ardea/intrin/written_parameters.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

using interp::OperandAddress;

enum Engine : std::size_t { load, compute, store };

/// What of an instruction matters to the machine.
struct Kind {
  struct Operand {
    std::int64_t bytes = 0;
    bool in_memory = false, is_read = false, is_written = false;
  };
  std::vector<Operand> operands;
  Engine engine = compute;
  std::optional<std::size_t> from, to;  ///< of a copy between memory and a scratchpad: its operands
  double cycles = 0;
};

bool reads(const Function& meaning, const Buffer& buffer) {
  bool found = false;
  visit_exprs(meaning.body, [&](const Expr& e) {
    const auto* one = e.as<Load>();
    found = found || (one != nullptr && one->buffer->data == buffer->data);
  });
  return found;
}

/// A copy in the making: rows of tiles that lie side by side, at equal distances in memory and without gaps
/// in the scratchpad, as far as the engine's rank and extents go.
class Box {
 public:
  explicit Box(const target::CopyEngine& engine) : engine_(engine) {}

  struct Tile {
    const intrin::Instruction* instruction = nullptr;
    int memory = 0, scratchpad = 0;  ///< which ones
    std::int64_t in_memory = 0, in_scratchpad = 0, bytes = 0;
  };

  /// Whether the tile is a part of the same box, which it then has.
  bool takes(const Tile& tile) {
    const bool fits = last_ && continues(tile);
    if (!fits) begin(tile);
    last_ = tile;
    bytes_ = fits ? bytes_ + tile.bytes : tile.bytes;
    return fits;
  }

 private:
  bool continues(const Tile& tile) {
    if (tile.instruction != last_->instruction || tile.memory != last_->memory ||
        tile.scratchpad != last_->scratchpad || tile.in_scratchpad != last_->in_scratchpad + tile.bytes)
      return false;
    if (engine_.max_bytes && bytes_ + tile.bytes > *engine_.max_bytes) return false;
    const std::int64_t most = engine_.max_extent.value_or(std::numeric_limits<int>::max());
    const bool row_may_grow = row_ < most && (rows_ == 1 || row_ < first_row_);
    if (tile.in_memory == last_->in_memory + tile.bytes && row_may_grow) {
      ++row_;
      return true;
    }
    const std::int64_t stride = tile.in_memory - row_begin_;
    if (engine_.max_rank < 2 || rows_ == most || (rows_ > 1 && (row_ != first_row_ || stride != stride_)))
      return false;
    if (rows_ == 1) first_row_ = row_, stride_ = stride;
    ++rows_;
    row_ = 1;
    row_begin_ = tile.in_memory;
    return true;
  }
  void begin(const Tile& tile) {
    rows_ = row_ = 1;
    row_begin_ = tile.in_memory;
  }

  const target::CopyEngine& engine_;
  std::optional<Tile> last_;
  std::int64_t rows_ = 1, row_ = 1, first_row_ = 0, stride_ = 0, row_begin_ = 0, bytes_ = 0;
};

class Machine : public interp::Observer {
 public:
  explicit Machine(const target::Target& target)
      : accelerator_(*target.accelerator),
        engine_(accelerator_.copy_engines.front()),
        engines_{{.name = "load"}, {.name = "compute"}, {.name = "store"}},
        boxes_(engines_.size(), Box(engine_)),
        free_(engines_.size(), 0) {}

  void begins(const For&, std::int64_t) override {}
  void ends(const For&) override {}
  /// Memory is known by its name: what is allocated anew in every iteration lies in the same place of the
  /// machine, whatever address it has here.
  void allocates(const void* memory, const std::string& name, const std::string&) override {
    const auto [at, is_new] = by_name_.emplace(name, static_cast<int>(granules_.size()));
    if (is_new) granules_.emplace_back();
    by_address_[reinterpret_cast<std::uintptr_t>(memory)] = at->second;
  }
  void touches(const void*, const std::string&, std::int64_t, std::int64_t, bool, const Stmt&) override {
    if (depth_ == 0) ++host_accesses_;
  }
  void runs(const intrin::Instruction& instruction, const std::vector<OperandAddress>& operands) override {
    if (depth_++ == 0) issue(instruction, operands);
  }
  void has_run(const intrin::Instruction&) override { --depth_; }

  SimulatedRun result() const {
    SimulatedRun done{.engines = engines_, .host_accesses = host_accesses_};
    done.cycles = *std::max_element(free_.begin(), free_.end());
    done.seconds = done.cycles / static_cast<double>(*accelerator_.cycles_per_second);
    return done;
  }

 private:
  /// When a piece of memory was last written and read.
  struct Granule {
    double written = 0, read = 0;
  };

  void issue(const intrin::Instruction& instruction, const std::vector<OperandAddress>& operands) {
    const Kind& kind = kind_of(instruction);
    double ready = free_[kind.engine];
    for (std::size_t i = 0; i < kind.operands.size(); ++i)
      for (Granule& piece : pieces(operands[i], kind.operands[i].bytes)) {
        if (kind.operands[i].is_read) ready = std::max(ready, piece.written);
        if (kind.operands[i].is_written) ready = std::max({ready, piece.written, piece.read});
      }
    SimulatedEngine& engine = engines_[kind.engine];
    double cycles = kind.cycles;
    if (kind.from) {
      const std::int64_t bytes = kind.operands[*kind.from].bytes;
      const std::size_t memory = kind.operands[*kind.from].in_memory ? *kind.from : *kind.to;
      const std::size_t pad = memory == *kind.from ? *kind.to : *kind.from;
      const bool same = boxes_[kind.engine].takes({.instruction = &instruction,
                                                   .memory = place_of(operands[memory].memory),
                                                   .scratchpad = place_of(operands[pad].memory),
                                                   .in_memory = operands[memory].begin_byte,
                                                   .in_scratchpad = operands[pad].begin_byte,
                                                   .bytes = kind.operands[memory].bytes});
      cycles = static_cast<double>(ceil_div(bytes, std::int64_t{*engine_.bytes_per_cycle}));
      if (!same) {
        cycles += *engine_.latency_cycles;
        ++engine.boxes;
      }
      engine.bytes += bytes;
    }
    const double end = ready + cycles;
    free_[kind.engine] = end;
    engine.busy_cycles += cycles;
    ++engine.instructions;
    for (std::size_t i = 0; i < kind.operands.size(); ++i)
      for (Granule& piece : pieces(operands[i], kind.operands[i].bytes)) {
        if (kind.operands[i].is_read) piece.read = std::max(piece.read, end);
        if (kind.operands[i].is_written) piece.written = end;
      }
  }

  const Kind& kind_of(const intrin::Instruction& instruction) {
    const auto [at, is_new] = kinds_.try_emplace(&instruction);
    if (!is_new) return at->second;
    Kind& kind = at->second;
    kind.cycles = instruction.cycles;
    const std::vector<bool> written = intrin::written_parameters(instruction.meaning);
    for (std::size_t i = 0; i < instruction.meaning.parameters.size(); ++i) {
      const Parameter& parameter = instruction.meaning.parameters[i];
      if (!parameter.buffer.defined()) continue;
      std::int64_t bytes = parameter.buffer->type.bytes();
      for (const Expr& extent : parameter.buffer->shape) bytes *= extent.as<IntImm>()->value;
      const std::string& scope = instruction.operands[kind.operands.size()].scope;
      kind.operands.push_back({.bytes = bytes,
                               .in_memory = scope == "global" || scope.empty(),
                               .is_read = reads(instruction.meaning, parameter.buffer),
                               .is_written = written[i]});
    }
    for (std::size_t i = 0; i < kind.operands.size(); ++i) {
      if (!kind.operands[i].in_memory) continue;
      ensure(kind.operands.size() == 2, "{} has {} operands, one of them in memory: it is no copy",
             instruction.name, kind.operands.size());
      kind.engine = kind.operands[i].is_written ? store : load;
      (kind.operands[i].is_written ? kind.to : kind.from) = i;
      (kind.operands[i].is_written ? kind.from : kind.to) = 1 - i;
    }
    // What the computing engine writes, it also fills from memory: one engine a scratchpad.
    if (kind.engine == load && computed_scopes().contains(instruction.operands[*kind.to].scope))
      kind.engine = compute;
    return kind;
  }

  /// The scratchpads that instructions without operands in memory write.
  static const std::set<std::string>& computed_scopes() {
    static const std::set<std::string> scopes = [] {
      std::set<std::string> all;
      for (const std::string& name : intrin::instruction_names()) {
        const intrin::Instruction& one = intrin::find_instruction(name);
        if (std::any_of(one.operands.begin(), one.operands.end(),
                        [](const intrin::Operand& o) { return o.scope == "global" || o.scope.empty(); }))
          continue;
        const std::vector<bool> written = intrin::written_parameters(one.meaning);
        std::size_t operand = 0;
        for (std::size_t i = 0; i < written.size(); ++i) {
          if (!one.meaning.parameters[i].buffer.defined()) continue;
          if (written[i]) all.insert(one.operands[operand].scope);
          ++operand;
        }
      }
      return all;
    }();
    return scopes;
  }

  int place_of(const void* memory) {
    const auto [at, is_new] =
        by_address_.try_emplace(reinterpret_cast<std::uintptr_t>(memory), static_cast<int>(granules_.size()));
    if (is_new) granules_.emplace_back();
    return at->second;
  }

  std::span<Granule> pieces(const OperandAddress& at, std::int64_t bytes) {
    std::vector<Granule>& all = granules_[static_cast<std::size_t>(place_of(at.memory))];
    const std::int64_t size = engine_.granule_bytes, first = at.begin_byte / size,
                       end = ceil_div(at.begin_byte + bytes, size);
    if (std::ssize(all) < end) all.resize(static_cast<std::size_t>(end));
    return std::span(all).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
  }

  const target::Accelerator& accelerator_;
  const target::CopyEngine& engine_;
  std::vector<SimulatedEngine> engines_;
  std::vector<Box> boxes_;
  std::vector<double> free_;
  std::vector<std::vector<Granule>> granules_;  ///< by place
  std::map<std::string, int> by_name_;
  std::unordered_map<std::uintptr_t, int> by_address_;  ///< of memory that lives
  std::unordered_map<const intrin::Instruction*, Kind> kinds_;
  std::int64_t host_accesses_ = 0;
  int depth_ = 0;
};

}  // namespace

SimulatedRun simulate(const Function& lowered, const target::Target& target,
                      const std::vector<interp::Argument>& arguments) {
  require(target.accelerator.has_value(), "simulate: {} is no accelerator; time it on the machine itself",
          target.name);
  const target::Accelerator& accelerator = *target.accelerator;
  require(accelerator.cycles_per_second.has_value(),
          "simulate: the record of {} has no \"accelerator.cycles_per_second\"; add how many there are",
          target.name);
  require(!accelerator.copy_engines.empty() && accelerator.copy_engines.front().bytes_per_cycle &&
              accelerator.copy_engines.front().latency_cycles,
          "simulate: the first copy engine of {} has no \"bytes_per_cycle\" or no \"latency_cycles\"; add "
          "what it takes",
          target.name);
  Machine machine(target);
  interp::run(lowered, arguments, {.observer = &machine});
  return machine.result();
}

}  // namespace ardea::measure
