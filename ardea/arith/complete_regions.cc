#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/ir/substitute.h"

namespace ardea::arith {

namespace {

bool names(const std::vector<Buffer>& buffers, const Buffer& buffer) {
  return std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
}

/// Walks with the facts and the buffers in scope; blocks inside are completed before the block around them.
class Completion {
 public:
  Stmt visit(const Stmt& s, const Analyzer& facts, const std::vector<Buffer>& in_scope) {
    if (const auto* block = s.as<Block>()) return complete(s, *block, facts, in_scope);
    Analyzer inner = facts;
    std::vector<Buffer> buffers = in_scope;
    if (const auto* loop = s.as<For>()) inner.bind(loop->var, {loop->min, loop->extent});
    if (const auto* alias = s.as<DeclareBuffer>()) buffers.push_back(alias->buffer);
    return map_children(s, Mapper{.stmt = [&](const Stmt& part) { return visit(part, inner, buffers); }});
  }

 private:
  Stmt complete(const Stmt& s, const Block& block, const Analyzer& facts,
                const std::vector<Buffer>& in_scope) {
    std::vector<Buffer> inside_scope = in_scope;
    for (const Buffer& buffer : block.allocations) inside_scope.push_back(buffer);
    for (const MatchBuffer& match : block.matches) inside_scope.push_back(match.buffer);
    const Analyzer inside = facts_inside(block, facts);
    const Stmt mapped =
        map_children(s, Mapper{.stmt = [&](const Stmt& part) { return visit(part, inside, inside_scope); }});
    const Block& done = *mapped.as<Block>();
    if (done.reads && done.writes) return mapped;
    Block out = done;
    Accesses touched = accesses(done, facts);
    widen_until_proved(touched, each_access(done, facts));
    if (!out.writes) out.writes = listed(touched.writes, in_scope);
    if (!out.reads) {
      std::vector<Touched> reads;
      for (const Touched& read : touched.reads)
        if (!is_own_output(done, read, touched.writes, inside)) reads.push_back(read);
      out.reads = listed(reads, in_scope);
    }
    return out;
  }

  /// A box around several places holds each of them, but where their bounds are compared by min and max of
  /// min and max, that may not be provable: then the dimension is declared as a whole, because what a block
  /// declares must be proved.
  static void widen_until_proved(Accesses& touched, const std::vector<Access>& each) {
    for (const bool writes : {false, true})
      for (Touched& box : writes ? touched.writes : touched.reads) {
        std::vector<const Access*> places;
        for (const Access& access : each)
          if (access.write == writes && !access.opaque && access.each.buffer == box.region.buffer)
            places.push_back(&access);
        if (places.size() < 2) continue;
        for (const Access* access : places)
          for (std::size_t d = 0; d < box.region.region.size(); ++d)
            widen_until_proved(box.region, d, *access);
      }
  }

  static void widen_until_proved(BufferRegion& box, std::size_t d, const Access& access) {
    const BufferRegion held{box.buffer, {box.region[d]}};
    const BufferRegion place{box.buffer, {access.touched().region.region[d]}};
    if (contains(held, place, access.facts) != Proof::proved)
      box.region[d] = whole_region(box.buffer).region[d];
  }

  static bool is_own_output(const Block& block, const Touched& read, const std::vector<Touched>& writes,
                            const Analyzer& facts) {
    return block.init.defined() && std::any_of(writes.begin(), writes.end(), [&](const Touched& write) {
             return write.region.buffer == read.region.buffer &&
                    contains(write.region, read.region, facts) == Proof::proved;
           });
  }

  /// An alias that is declared inside the block has no name outside: the memory's own buffer stands for it,
  /// whole.
  static std::vector<BufferRegion> listed(const std::vector<Touched>& boxes,
                                          const std::vector<Buffer>& in_scope) {
    std::vector<BufferRegion> regions;
    std::vector<Buffer> whole;
    for (const Touched& box : boxes) {
      const Buffer& buffer = box.region.buffer;
      const auto owner = std::find_if(in_scope.begin(), in_scope.end(),
                                      [&](const Buffer& b) { return b->data == buffer->data; });
      if (names(in_scope, buffer) || owner == in_scope.end())
        regions.push_back(box.region);
      else if (!names(whole, *owner))
        whole.push_back(*owner);
    }
    for (const Buffer& buffer : whole) {
      std::erase_if(regions, [&](const BufferRegion& region) { return region.buffer == buffer; });
      regions.push_back(whole_region(buffer));
    }
    return regions;
  }
};

}  // namespace

Function complete_regions(const Function& f) {
  Function out = f;
  std::vector<Buffer> parameters;
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined()) parameters.push_back(p.buffer);
  if (const Block* root = root_block(f); root != nullptr && (!root->reads || !root->writes)) {
    Block named = *root;
    if (!named.reads) named.reads.emplace();
    if (!named.writes) named.writes.emplace();
    out.body = named;
  }
  out.body = Completion().visit(out.body, facts_of(f), parameters);
  return out;
}

Module complete_regions(const Module& m) {
  Module out = m;
  for (Function& f : out.functions) f = complete_regions(f);
  return out;
}

}  // namespace ardea::arith
