#include <algorithm>
#include <bit>

#include "ardea/codegen/c/emitter.h"
#include "ardea/support/error.h"

namespace ardea::codegen::c {

namespace {

/// What one function may take of a thread's stack for allocations; the rest comes from the heap.
constexpr std::int64_t stack_limit_bytes = std::int64_t{64} * 1024;

/// The elements of an allocation with constant extents, where they are few.
std::optional<std::int64_t> few_constant_elements(const Allocate& allocation) {
  std::int64_t elements = 1;
  for (const Expr& extent : allocation.extents) {
    const auto value = constant_int(extent);
    if (!value || *value < 0 || *value > stack_limit_bytes) return std::nullopt;
    elements *= *value;
    if (elements > stack_limit_bytes) return std::nullopt;
  }
  return elements;
}

}  // namespace

void Emitter::emit_allocate(const Allocate& allocation) {
  if (tiles_.are(allocation.data)) {
    tiles_.begin(allocation);
    emit(allocation.body);
    tiles_.end(allocation);
    return;
  }
  const Memory& memory = memory_[allocation.data];
  const std::string element = memory.element.empty() ? "unsigned char" : memory.element;
  const std::int64_t element_bytes = allocation.type.bytes();
  const auto alignment = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(memory.alignment_bytes, element_bytes))));
  const std::optional<std::int64_t> elements = few_constant_elements(allocation);
  const bool is_used = live_.contains(allocation.data);
  if (elements && (!is_used || frame_.stack_bytes + *elements * element_bytes <= stack_limit_bytes)) {
    if (!is_used) return emit(allocation.body);
    const std::int64_t bytes = *elements * element_bytes;
    frame_.stack_bytes += bytes;
    // Elements of the C array: scalars, where the program's are vectors.
    const std::int64_t scalars = memory.element.empty() ? bytes : *elements * allocation.type.lanes;
    const std::string name = frame_.names.define(allocation.data);
    line(
        fmt::format("_Alignas({}) {} {}[{}];", alignment, element, name, std::max<std::int64_t>(scalars, 1)));
    return emit(allocation.body);
  }

  // A product beyond 63 bits asks for -1 bytes, which ardea_allocate refuses like any size it does not have.
  begin_statement(allocation.extents);
  const std::vector<Text> extents = operands(allocation.extents);
  std::string bytes = std::to_string(element_bytes);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Text count = emit_cast(extents[i], allocation.extents[i].type(), int64);
    bytes = call_text(helpers_.checked_size(), {bytes, count.text}).text;
  }
  const std::string name = frame_.names.define(allocation.data);
  line(fmt::format("{0}* restrict const {1} = ({0}*)ardea_allocate({2}, {3});", element, name, bytes,
                   alignment));
  emit_guarded("!" + name, [&] {
    emit_failure(helpers_.abi("fail") + "(" +
                 string_literal(fmt::format("{}: there is no memory for the allocation {} of {}", name_,
                                            allocation.data.name(), to_string(allocation.type))) +
                 ")");
  });
  frame_.heap.push_back(name);
  emit(allocation.body);
  frame_.heap.pop_back();
  line("ardea_free(" + name + ");");
}

}  // namespace ardea::codegen::c
