#include "ardea/ir/memory_alignment.h"

#include <algorithm>

#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea {

std::int64_t element_alignment_bytes(DataType type) { return type.element().bytes(); }

std::unordered_map<Var, std::int64_t> memory_alignments(const Function& f) {
  return memory_alignments(f, buffers_in(f.body));
}

std::unordered_map<Var, std::int64_t> memory_alignments(const Function& f,
                                                        const std::vector<Buffer>& in_body) {
  std::unordered_map<Var, std::int64_t> promised, needed;
  const auto promise = [&](const Var& data, std::int64_t bytes) {
    std::int64_t& known = promised[data];
    known = std::max(known, bytes);
  };
  const auto note = [&](const Buffer& buffer) {
    std::int64_t& bytes = needed[buffer->data];
    bytes = std::max(bytes, element_alignment_bytes(buffer->type));
    if (buffer->alignment_bytes > 0) promise(buffer->data, buffer->alignment_bytes);
  };
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined()) note(p.buffer);
  for (const Buffer& buffer : in_body) note(buffer);
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* allocation = s.as<Allocate>())
      promise(allocation->data, allocated_on(allocation->annotations));
    if (const auto* block = s.as<Block>())
      for (const Buffer& buffer : block->allocations) promise(buffer->data, allocation_alignment_bytes);
  });
  needed.merge(std::unordered_map(promised));
  for (auto& [data, bytes] : needed)
    if (const auto at = promised.find(data); at != promised.end()) bytes = at->second;
  return needed;
}

Function promise_alignment(const Function& f, const std::string& parameter, std::int64_t bytes,
                           const std::string& call) {
  require(bytes > 0 && (bytes & (bytes - 1)) == 0, "{}: {} bytes is no alignment; give a power of two", call,
          bytes);
  Function out = f;
  std::vector<std::string> names;
  for (Parameter& p : out.parameters) {
    if (!p.buffer.defined()) continue;
    names.push_back(p.buffer->name);
    if (p.buffer->name != parameter) continue;
    BufferNode node = *p.buffer;
    node.alignment_bytes = bytes;
    const Buffer promised{std::move(node)};
    out.body = substitute_buffers(out.body, {{p.buffer, promised}});
    p.buffer = promised;
    return out;
  }
  fail("{}: {} has no array {}; its arrays are {}", call, f.name, parameter, join(names, ", "));
}

}  // namespace ardea
