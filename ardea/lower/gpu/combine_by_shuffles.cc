#include <algorithm>
#include <bit>

#include "ardea/arith/analyzer.h"
#include "ardea/arith/regions_conditions.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/neutral_element.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/lower/gpu/thread_reductions.h"

namespace ardea::lower {

namespace {

/// Threads that combine their parts: `count` of them from a multiple of `lanes` on, or all of a block.
struct Group {
  Expr member;              ///< the number of a thread in its group
  std::int64_t count = 1;   ///< of members
  Expr group;               ///< the number of the group in the block
  std::int64_t groups = 1;  ///< in the block
  std::vector<Var> axes;    ///< whose variables tell the members
};

/// The store of a combining loop, and when it happens.
struct Combining {
  Stmt store = {};
  std::vector<Expr> conditions = {};  ///< besides being the first of the group
  bool by_first = false;              ///< the first of a group does it, not each of them
};

class Shuffling {
 public:
  Shuffling(Launch launch, int warp) : launch_(std::move(launch)), warp_(warp) {}

  Stmt run() {
    Stmt body = rewrite(launch_.body, Rewriter{.stmt = [&](const Stmt& s) -> std::optional<Stmt> {
                          const auto* loop = s.as<For>();
                          if (loop == nullptr || combined_axes(*loop).empty()) return std::nullopt;
                          return combined(*loop);
                        }});
    for (const Buffer& buffer : shared_)  // around all that a block does
      body = Allocate{buffer->data, buffer->type, buffer->shape, "shared", DeclareBuffer{buffer, body}};
    return statement_of({launch_.blocks, launch_.threads, body});
  }

 private:
  Stmt combined(const For& loop) {
    For plain = loop;
    plain.annotations.clear();
    const auto group = group_of(combined_axes(loop));
    // Along several axes threads have the numbers of their parts where their loops are as long as the launch.
    const bool are_numbered = group && (group->axes.size() == 1 || constant_int(loop.extent) == group->count);
    const auto combining = are_numbered ? combining_in(loop, *group) : std::nullopt;
    if (!combining) return plain;
    return by_shuffles(loop, *group, *combining);
  }

  /// Nothing where the groups do not lie in warps so that a warp has members of one of them alone, or whole
  /// groups of a power of two.
  std::optional<Group> group_of(const std::vector<std::string>& axes) const {
    Group found{.member = make_int(0), .group = make_int(0), .axes = {}};
    const auto is_member = [&](const For& loop) {
      return std::find(axes.begin(), axes.end(), loop.thread) != axes.end();
    };
    std::vector<For> threads = launch_.threads;  // z first
    std::sort(threads.begin(), threads.end(), [](const For& a, const For& b) { return a.thread > b.thread; });
    bool others_below = false;
    for (auto loop = threads.rbegin(); loop != threads.rend(); ++loop) {  // x first, which runs fastest
      const std::int64_t extent = *constant_int(loop->extent);
      if (is_member(*loop)) {
        if (others_below) return std::nullopt;  // members do not follow each other
        found.member = found.member + as_index(loop->var) * make_int(found.count);
        found.count *= extent;
        found.axes.push_back(loop->var);
      } else {
        others_below = others_below || extent > 1;
        found.group = found.group + as_index(loop->var) * make_int(found.groups);
        found.groups *= extent;
      }
    }
    found.member = arith::Analyzer().simplify(found.member);
    found.group = arith::Analyzer().simplify(found.group);
    const bool is_in_warp = found.count <= warp_ && std::has_single_bit(std::uint64_t(found.count));
    if (found.groups > 1 && !is_in_warp && found.count % warp_ != 0) return std::nullopt;
    if (found.count > std::int64_t{warp_} * warp_) return std::nullopt;
    return found;
  }

  static std::optional<Combining> combining_in(const For& loop, const Group& group) {
    Combining found;
    Stmt s = loop.body;
    for (;;) {
      if (const auto* sequence = s.as<Seq>()) {
        std::vector<Stmt> others = sequence->statements;
        std::erase_if(others, is_block_barrier);
        if (others.size() != 1) return std::nullopt;
        s = others[0];
      } else if (const auto* branch = s.as<If>(); branch != nullptr && !branch->else_case.defined()) {
        for (const Expr& condition : arith::conjuncts(branch->condition)) {
          const bool is_first = std::any_of(group.axes.begin(), group.axes.end(), [&](const Var& axis) {
            return structurally_equal(condition, equals(axis, make_int(0)));
          });
          found.by_first = found.by_first || is_first;
          if (!is_first) found.conditions.push_back(condition);
        }
        s = branch->then_case;
      } else {
        break;
      }
    }
    found.store = s;
    const bool follows_members =
        std::any_of(found.conditions.begin(), found.conditions.end(), [&](const Expr& condition) {
          return uses(condition, loop.var) ||
                 std::any_of(group.axes.begin(), group.axes.end(),
                             [&](const Var& axis) { return uses(condition, axis); });
        });
    const auto* store = s.as<Store>();
    const auto* update = store == nullptr ? nullptr : store->value.as<Binary>();
    if (update == nullptr || follows_members || !found.by_first ||
        !neutral_element(update->op, store->value.type()).defined())
      return std::nullopt;
    return found;
  }

  Stmt by_shuffles(const For& loop, const Group& group, const Combining& combining) {
    const Store& store = *combining.store.as<Store>();
    const auto& update = *store.value.as<Binary>();
    const auto reads_result = [&](const Expr& e) {
      const auto* load = e.as<Load>();
      return load != nullptr && load->buffer == store.buffer;
    };
    const bool term_first = !reads_result(update.left);
    const Expr part = substitute(term_first ? update.left : update.right, loop.var, group.member);
    const DataType type = store.value.type();
    const Expr zero = make_int(0), neutral = neutral_element(update.op, type);
    const Buffer mine = make_buffer("part", std::vector<Expr>{make_int(1)}, type, "local");
    const Buffer other = make_buffer("other", std::vector<Expr>{make_int(1)}, type, "local");
    const Expr value = make_load(mine, {zero});

    std::vector<Stmt> steps;
    Expr has_part = group.member < as_index(loop.extent);
    for (const Expr& condition : combining.conditions) has_part = logical_and(condition, has_part);
    steps.push_back(make_store(mine, {zero}, make_call("if_then_else", {has_part, part, neutral})));
    const auto add_tree = [&](std::int64_t lanes, std::int64_t width, std::int64_t members) {
      for (auto offset = static_cast<std::int64_t>(std::bit_ceil(std::uint64_t(lanes)) / 2); offset > 0;
           offset /= 2) {
        steps.push_back(make_store(
            other, {zero}, make_call("shuffle_down", type, {value, make_int(offset), make_int(width)})));
        Stmt combine = make_store(mine, {zero}, make_binary(update.op, value, make_load(other, {zero})));
        // There may be no thread so far behind.
        if (members % lanes != 0 || !std::has_single_bit(std::uint64_t(lanes)))
          combine = make_if(group.member + make_int(offset) < make_int(members), combine);
        steps.push_back(combine);
      }
    };
    const std::int64_t lanes = std::min<std::int64_t>(group.count, warp_);
    const bool is_whole = std::has_single_bit(std::uint64_t(lanes));
    add_tree(lanes, is_whole ? lanes : warp_, group.count);
    if (group.count > warp_) {
      const std::int64_t warps = (group.count + warp_ - 1) / warp_;
      const Buffer of_warps = make_buffer(
          "warp_parts", std::vector<Expr>{make_int(group.groups), make_int(warps)}, type, "shared");
      shared_.push_back(of_warps);
      const Expr warp = make_int(warp_), lane = floor_mod(group.member, warp);
      steps.push_back(make_if(equals(lane, zero),
                              make_store(of_warps, {group.group, floor_div(group.member, warp)}, value)));
      steps.push_back(make_block_barrier());
      steps.push_back(
          make_store(mine, {zero},
                     make_call("if_then_else",
                               {lane < make_int(warps), make_load(of_warps, {group.group, lane}), neutral})));
      // The first warp is whole, and its first lane has what all of them gave.
      const auto reach = static_cast<std::int64_t>(std::bit_ceil(std::uint64_t(warps)));
      add_tree(reach, warp_, reach);
    }
    Expr is_first = equals(group.member, zero);
    for (const Expr& condition : combining.conditions) is_first = logical_and(is_first, condition);
    const Expr before = make_load(store.buffer, store.indices);
    steps.push_back(make_if(is_first, make_store(store.buffer, store.indices,
                                                 term_first ? make_binary(update.op, value, before)
                                                            : make_binary(update.op, before, value))));
    steps.push_back(make_block_barrier());
    Stmt all = make_seq(std::move(steps));
    for (const Buffer& buffer : {other, mine})
      all = Allocate{buffer->data, type, buffer->shape, "local", DeclareBuffer{buffer, all}};
    return all;
  }

  const Launch launch_;
  const std::int64_t warp_;
  std::vector<Buffer> shared_;
};

Stmt with_shuffles(const Stmt& s, int warp) {
  if (auto launch = launch_of(s)) return Shuffling(*std::move(launch), warp).run();
  return map_children(
      s, Mapper{.stmt = [&](const Stmt& part) { return part.defined() ? with_shuffles(part, warp) : part; }});
}

}  // namespace

Function combine_by_shuffles(const Function& f, const target::Target& target) {
  Function out = f;
  out.body = with_shuffles(f.body, target.gpu->warp_threads);
  return out;
}

}  // namespace ardea::lower
