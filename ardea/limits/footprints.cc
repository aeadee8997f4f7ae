#include "ardea/limits/footprints.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "ardea/arith/regions.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/limits/kept_box.h"
#include "ardea/limits/largest_value.h"
#include "ardea/limits/memory.h"

namespace ardea::limits {

namespace {

using arith::Analyzer;

/// A processor's memory lies behind its caches, save registers and what a unit has of its own ("amx.tile").
/// Elsewhere only what all threads share does.
bool is_cached(const std::string& scope, const target::Target& target) {
  if (target.kind != target::Kind::cpu) return scope == "global";
  return scope != register_scope && scope.find('.') == std::string::npos;
}

/// A loop and what holds inside.
struct Place {
  For loop;
  Analyzer facts;
};

class Footprints {
 public:
  Footprints(const Function& placed, const target::Target& target) : target_(target) {
    for (const Memory& memory : memory_of(placed, target)) memory_.emplace(memory.data, memory);
    for (const Parameter& parameter : placed.parameters)
      if (parameter.buffer.defined()) buffers_.push_back(parameter.buffer);
    visit(placed.body, {arith::facts_of(placed)});
  }

  std::vector<Footprint> of(const Nest& nest) {
    std::vector<Footprint> found;
    for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop) {
      if (found.size() == target_.caches.size()) break;
      const auto place = places_.find(*loop);
      if (place == places_.end() || !comes_back(place->second)) continue;
      const auto known = bytes_.find(*loop);
      const Expr bytes = known != bytes_.end() ? known->second : bytes_of(place->second);
      bytes_.emplace(*loop, bytes);
      found.push_back({nest.block, target_.caches[found.size()].level, *loop, bytes});
    }
    return found;
  }

 private:
  void visit(const Stmt& s, const Surroundings& around) {
    const Surroundings inner = limits::inside(around, s);
    if (const auto* loop = s.as<For>()) places_.emplace(loop->var, Place{*loop, inner.facts});
    if (const auto* declared = s.as<DeclareBuffer>()) buffers_.push_back(declared->buffer);
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { visit(part, inner); });
  }

  bool comes_back(const Place& place) const {
    const For& loop = place.loop;
    if (loop.kind == ForKind::vectorized || loop.kind == ForKind::unrolled || is_one(loop.extent))
      return false;
    return std::any_of(buffers_.begin(), buffers_.end(), [&](const Buffer& buffer) {
      if (!is_cached(buffer->scope, target_)) return false;
      const std::optional<Stmt> shown = with_windows_shown(loop.body, buffer, place.facts);
      if (!shown) return false;
      for (const arith::Access& access : arith::each_access_of(buffer, *shown, place.facts)) {
        if (access.each.buffer != buffer) continue;
        const bool moves = std::any_of(
            access.each.region.begin(), access.each.region.end(),
            [&](const Range& part) { return uses(part.min, loop.var) || uses(part.extent, loop.var); });
        if (!moves) return true;
      }
      return false;
    });
  }

  /// Undefined where the size of a part is not known.
  Expr bytes_of(const Place& place) const {
    const Analyzer& facts = place.facts;
    Expr sum = make_int(0);
    for (const Buffer& buffer : buffers_) {
      if (!is_cached(buffer->scope, target_)) continue;
      const std::optional<Stmt> shown = with_windows_shown(place.loop.body, buffer, facts);
      if (!shown) return {};
      const auto box = arith::touched_box(arith::accesses_of(buffer, *shown, facts), buffer, facts);
      if (!box) continue;
      Expr bytes = make_int(buffer->type.bytes());
      for (std::size_t d = 0; d < buffer->shape.size(); ++d) {
        const Expr whole = as_index(buffer->shape[d]);
        const Expr extent = largest_value(facts.simplify(as_index(box->region.region[d].extent)), facts);
        const Expr size = extent.defined() ? smaller_size(extent, whole, facts) : whole;
        if (varies_with_loops(size, facts)) return {};
        bytes = multiply_index(bytes, size);
      }
      sum = add_index(sum, bytes);
    }
    bool known = true;
    visit_stmts(place.loop.body, [&](const Stmt& s) {
      const auto* allocate = s.as<Allocate>();
      if (allocate == nullptr || !is_cached(allocate->scope, target_)) return;
      const Expr& bytes = memory_.at(allocate->data).bytes;
      known = known && !varies_with_loops(bytes, facts);
      sum = add_index(sum, bytes);
    });
    return known ? facts.simplify(sum) : Expr();
  }

  const target::Target& target_;
  std::unordered_map<Var, Memory> memory_;
  std::vector<Buffer> buffers_;
  std::unordered_map<Var, Place> places_;
  std::unordered_map<Var, Expr> bytes_;
};

}  // namespace

std::vector<Nest> nests_of(const Function& blocks) {
  std::vector<Nest> found;
  std::vector<Var> loops;
  const std::function<void(const Stmt&)> visit = [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop != nullptr) loops.push_back(loop->var);
    const std::size_t before = found.size();
    for_each_child(s, [](const Expr&) {}, visit);
    const auto* block = s.as<Block>();
    if (block != nullptr && found.size() == before) found.push_back({block->name, loops});
    if (loop != nullptr) loops.pop_back();
  };
  visit(blocks.body);
  return found;
}

std::vector<Footprint> footprints_of(const Function& placed, const std::vector<Nest>& nests,
                                     const target::Target& target) {
  if (target.caches.empty()) return {};
  Footprints footprints(placed, target);
  std::vector<Footprint> all;
  for (const Nest& nest : nests)
    for (Footprint& found : footprints.of(nest)) all.push_back(std::move(found));
  return all;
}

}  // namespace ardea::limits
