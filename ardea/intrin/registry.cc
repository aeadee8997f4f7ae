#include <algorithm>
#include <mutex>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/intrin/examples.h"
#include "ardea/intrin/families.h"
#include "ardea/intrin/instruction.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::intrin {

namespace {

class Registry {
 public:
  Registry() {
    for (auto family : {example_instructions, neon_instructions, avx512_instructions, amx_instructions,
                        vta_instructions, mma_instructions, wmma_instructions, wgmma_instructions})
      for (Instruction& record : family()) add(std::move(record));
  }

  void add(Instruction instruction) {
    check(instruction);
    instruction.meaning = arith::complete_regions(instruction.meaning);
    arith::require_valid(instruction.meaning, fmt::format("register_instruction({})", instruction.name));
    const std::lock_guard lock(mutex_);
    const std::string name = instruction.name;
    require(records_.emplace(name, std::move(instruction)).second,
            "register_instruction({}): the name is taken; choose another", name);
  }

  const Instruction& find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(name);
    if (found == records_.end())
      fail("there is no tensor instruction \"{}\"{}", name, did_you_mean(name, names_locked()));
    return found->second;  // records never leave, and a map does not move them
  }

  std::vector<std::string> names() {
    const std::lock_guard lock(mutex_);
    return names_locked();
  }

 private:
  static void check(const Instruction& instruction) {
    const std::string call = fmt::format("register_instruction({})", instruction.name);
    require(!instruction.name.empty(), "register_instruction: the record has no name");
    std::size_t buffers = 0;
    for (const Parameter& parameter : instruction.meaning.parameters) {
      if (!parameter.buffer.defined()) {
        require(parameter.var.type().is_integer(),
                "{}: the parameter {} is {}, must be a buffer or an integer", call, parameter.var.name(),
                to_string(parameter.var.type()));
        continue;
      }
      ++buffers;
      for (const Expr& extent : parameter.buffer->shape)
        require(constant_int(extent).has_value(), "{}: the extents of {} must be constants", call,
                parameter.buffer->name);
    }
    require(buffers == instruction.operands.size(), "{}: {} operands for {} buffer parameters", call,
            instruction.operands.size(), buffers);
    for (const Operand& operand : instruction.operands) {
      require(operand.alignment_bytes > 0, "{}: an alignment of {} bytes, must be positive", call,
              operand.alignment_bytes);
      require(operand.tile_bytes > 0, "{}: tiles of {} bytes, must be positive", call, operand.tile_bytes);
    }
  }

  std::vector<std::string> names_locked() const {
    std::vector<std::string> all;
    for (const auto& [name, record] : records_) all.push_back(name);
    return all;
  }

  std::mutex mutex_;
  std::map<std::string, Instruction> records_;
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

void register_instruction(Instruction instruction) { registry().add(std::move(instruction)); }
const Instruction& find_instruction(const std::string& name) { return registry().find(name); }
std::vector<std::string> instruction_names() { return registry().names(); }

}  // namespace ardea::intrin
