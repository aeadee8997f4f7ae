#include "ardea/schedule/primitives/memory/held_values.h"

#include <algorithm>
#include <unordered_map>

#include "ardea/arith/coverage.h"
#include "ardea/arith/regions.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/memory_use.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

/// The buffer that a matched one is a part of; any other itself. Matched buffers have a handle of their own,
/// which says nothing about who else touches the memory.
Buffer matched_whole(const Function& f, Buffer buffer) {
  std::unordered_map<Var, Buffer> sources;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* block = s.as<Block>())
      for (const MatchBuffer& match : block->matches)
        sources.emplace(match.buffer->data, match.source.buffer);
  });
  for (auto at = sources.find(buffer->data); at != sources.end(); at = sources.find(buffer->data))
    buffer = at->second;
  return buffer;
}

/// Whether all of the window is touched for certain.
bool touches_all(const std::vector<arith::Touched>& touched, const BufferRegion& window,
                 const arith::Analyzer& facts) {
  const auto box = arith::touched_box(touched, window.buffer);
  return box && box->exact && arith::contains(box->region, window, facts) == arith::Proof::proved;
}

}  // namespace

bool is_never_written(const Function& f, const Buffer& buffer) {
  // What a block allocates holds nothing at the start. It is not named outside of that block either: whether
  // something writes it cannot be read off there.
  const Buffer whole = matched_whole(f, buffer);
  const bool is_parameter =
      std::any_of(f.parameters.begin(), f.parameters.end(), [&](const ardea::Parameter& parameter) {
        return parameter.buffer.defined() && parameter.buffer->data == whole->data;
      });
  const Block* root = root_block(f);  // which itself declares nothing
  return is_parameter && root != nullptr && !memory_use(root->body).writes.contains(whole->data);
}

bool reads_only_written(const Function& f, const Buffer& buffer) {
  // Reads and writes of a matched buffer count as those of its source.
  if (!(matched_whole(f, buffer) == buffer)) return false;
  const auto owner = owner_of(f, buffer);
  const Block* around = owner ? &owner->block() : root_block(f);
  if (around == nullptr) return false;
  const arith::Analyzer facts = owner ? arith::facts_inside(*around, owner->facts(f)) : arith::facts_of(f);
  return arith::reads_only_own_writes(around->body, buffer, {}, facts);
}

bool reads_all(const Stmt& s, const BufferRegion& window, const arith::Analyzer& facts) {
  return touches_all(arith::accesses_of(window.buffer, s, facts).reads, window, facts);
}

bool was_written_before(const Function& f, const Path& path, const BufferRegion& window,
                        const arith::Analyzer& facts) {
  const auto owner = owner_of(f, window.buffer);
  for (std::size_t i = owner ? owner->size() : 1; i + 1 < path.size(); ++i) {
    const auto* sequence = path[i].as<Seq>();
    if (sequence == nullptr) continue;
    const arith::Analyzer then = path.upto(i).facts(f);
    for (const Stmt& earlier : sequence->statements) {
      if (earlier == path[i + 1]) break;
      if (touches_all(arith::accesses_of(window.buffer, earlier, then).writes, window, facts)) return true;
    }
  }
  return false;
}

}  // namespace ardea::schedule
