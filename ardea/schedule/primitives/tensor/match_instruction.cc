#include "ardea/schedule/primitives/tensor/match_instruction.h"

#include <algorithm>
#include <map>

#include "ardea/arith/regions_conditions.h"
#include "ardea/arith/regions_linear.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/primitives/tensor/unify.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;
using arith::as_index;

/// Elements between neighbours along each dimension.
std::vector<Expr> element_strides(const Buffer& buffer) {
  std::vector<Expr> strides = buffer->strides;
  if (!strides.empty()) return strides;
  strides.resize(buffer->shape.size());
  Expr stride = make_int(1);
  for (std::size_t d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride = as_index(buffer->shape[d]) * stride;
  }
  return strides;
}

/// The element's place in memory, counted from that of all indices 0.
Expr place_of(const Buffer& buffer, const std::vector<Expr>& indices) {
  const std::vector<Expr> strides = element_strides(buffer);
  Expr place = make_int(0);
  for (std::size_t d = 0; d < indices.size(); ++d)
    place = place + as_index(indices[d]) * as_index(strides[d]);
  return place;
}

/// A place as `start` + Σ steps[l] · (loop l counted from 0).
struct AffinePlace {
  Expr start;
  std::vector<Expr> steps;
};

std::optional<AffinePlace> affine_place(const Expr& place, const std::vector<For>& loops,
                                        const Analyzer& facts) {
  Substitution at_start;
  for (const For& loop : loops) at_start[loop.var] = loop.min;
  AffinePlace found{facts.simplify(substitute(place, at_start)), {}};
  Analyzer inside = facts;
  for (const For& loop : loops) inside.bind(loop.var, {loop.min, loop.extent});
  Expr sum = found.start;
  for (const For& loop : loops) {
    Substitution next = at_start;
    next[loop.var] = loop.min + 1;
    found.steps.push_back(is_one(loop.extent) ? make_int(0)
                                              : facts.simplify(substitute(place, next) - found.start));
    sum = sum + found.steps.back() * (as_index(loop.var) - as_index(loop.min));
  }
  if (!inside.proves(equals(place, sum))) return std::nullopt;
  return found;
}

std::string counted(const std::vector<For>& loops) {
  std::vector<std::string> parts;
  for (const For& loop : loops) parts.push_back(fmt::format("{} of {}", loop.var.name(), print(loop.extent)));
  return parts.empty() ? "no loop" : join(parts, ", ");
}

/// One way to pair the accesses of instruction and nest, and the search for its loops and strides.
class Matching {
 public:
  Matching(const intrin::Instruction& instruction, const StoreNest& formal, const StoreNest& actual,
           const AccessPairs& pairs, const Analyzer& facts, Context& context)
      : instruction_(instruction),
        formal_(formal),
        actual_(actual),
        pairs_(pairs),
        facts_(facts),
        context_(context) {}

  Result<std::vector<Expr>> run() {
    ARDEA_TRY(find_places());
    used_.assign(actual_.loops.size(), false);
    for (std::size_t v = 0; v < used_.size(); ++v)
      used_[v] = is_one(facts_.simplify(actual_.loops[v].extent));
    if (!assign(0, 1)) return no_assignment();
    for (const AccessPair& pair : pairs_)
      if (!(pair.formal == pairs_[0].formal) && pair.actual->data == pairs_[0].actual->data)
        return Refusal{"operands_overlap", fmt::format("{} is written, and {} is read from the same memory",
                                                       pairs_[0].formal->name, pair.formal->name)};
    return arguments();
  }

  /// How many loops of the instruction had found theirs: of several ways the best is the one to talk about.
  std::size_t progress() const { return progress_; }

 private:
  std::optional<Refusal> find_places() {
    const Analyzer none;
    for (const AccessPair& pair : pairs_) {
      const auto formal = affine_place(place_of(pair.formal, pair.formal_indices), formal_.loops, none);
      const auto actual = affine_place(place_of(pair.actual, pair.actual_indices), actual_.loops, facts_);
      ensure(formal.has_value(), "{}: its access of {} is not affine", instruction_.name, pair.formal->name);
      if (!actual)
        return Refusal{"layout_differs",
                       fmt::format("{} is at {} of {}, which the loops do not reach by constant steps",
                                   pair.formal->name, print(make_load(pair.actual, pair.actual_indices)),
                                   pair.actual->name)};
      formal_places_.push_back(*formal);
      actual_places_.push_back(*actual);
    }
    for (std::size_t a = 0; a < pairs_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        if (!(pairs_[a].formal == pairs_[b].formal)) continue;
        if (!facts_.proves(equals(actual_places_[a].start, actual_places_[b].start)))
          return Refusal{"computes_something_else",
                         fmt::format("{} is one element in the instruction, but {} and {} in the nest",
                                     pairs_[a].formal->name,
                                     print(make_load(pairs_[b].actual, pairs_[b].actual_indices)),
                                     print(make_load(pairs_[a].actual, pairs_[a].actual_indices)))};
      }
    return std::nullopt;
  }

  static std::optional<std::int64_t> constant_extent(const For& loop, const Analyzer& facts) {
    return constant_int(facts.simplify(loop.extent));
  }

  /// Loops of the nest for the instruction's loop w, of which the fastest `done` values have theirs already.
  bool assign(std::size_t w, std::int64_t done) {
    if (w == formal_.loops.size())
      return std::all_of(used_.begin(), used_.end(), [](bool used) { return used; });
    progress_ = std::max(progress_, w);
    const std::int64_t wanted = *constant_int(formal_.loops[w].extent);
    if (done == wanted) return assign(w + 1, 1);
    for (std::size_t v = 0; v < used_.size(); ++v) {
      const auto extent = constant_extent(actual_.loops[v], facts_);
      if (used_[v] || !extent || wanted % (done * *extent) != 0) continue;
      const auto before = integers_;
      if (steps_agree(w, v, done)) {
        used_[v] = true;
        if (assign(w, done * *extent)) return true;
        used_[v] = false;
      }
      integers_ = before;
    }
    return false;
  }

  /// Whether loop v moves each access as `times` iterations of the instruction's loop w do; strides that are
  /// parameters become what they must be.
  bool steps_agree(std::size_t w, std::size_t v, std::int64_t times) {
    for (std::size_t a = 0; a < pairs_.size(); ++a) {
      Expr wanted = formal_places_[a].steps[w];
      const Expr& step = actual_places_[a].steps[v];
      if (wanted.is<VarNode>() && !integers_.contains(Var(wanted).name())) {
        if (times != 1) return false;
        integers_.emplace(Var(wanted).name(), step);
        continue;
      }
      if (wanted.is<VarNode>()) wanted = integers_.at(Var(wanted).name());
      if (!facts_.proves(equals(wanted * times, step))) return false;
    }
    return true;
  }

  std::string steps_of(const std::vector<AffinePlace>& places, std::size_t loop, bool formal) const {
    std::vector<std::string> parts;
    std::vector<Buffer> seen;
    for (std::size_t a = 0; a < pairs_.size(); ++a) {
      if (std::find(seen.begin(), seen.end(), pairs_[a].formal) != seen.end()) continue;
      seen.push_back(pairs_[a].formal);
      parts.push_back(fmt::format("{} by {}", (formal ? pairs_[a].formal : pairs_[a].actual)->name,
                                  print(places[a].steps[loop])));
    }
    return join(parts, ", ");
  }

  Refusal no_assignment() const {
    std::int64_t wanted = 1, found = 1;
    bool known = true;
    for (const For& loop : formal_.loops) wanted *= *constant_int(loop.extent);
    for (const For& loop : actual_.loops) {
      const auto extent = constant_extent(loop, facts_);
      known = known && extent.has_value();
      found *= extent.value_or(1);
    }
    if (!known || wanted != found)
      return {
          "extents_differ",
          fmt::format("the nest runs {}, the instruction {}", counted(actual_.loops), counted(formal_.loops)),
          {},
          [] {
            return std::string("split the loops by what the instruction runs, and reorder the rest outwards");
          }};
    const std::size_t w = std::min(progress_, formal_.loops.size() - 1);
    std::vector<std::string> mine;
    for (std::size_t v = 0; v < actual_.loops.size(); ++v)
      if (!is_one(actual_.loops[v].extent))
        mine.push_back(fmt::format("{} of {} moves {}", actual_.loops[v].var.name(),
                                   print(actual_.loops[v].extent), steps_of(actual_places_, v, false)));
    return {"layout_differs",
            fmt::format("{} of {} moves {} elements in the instruction, but in the nest {}",
                        formal_.loops[w].var.name(), print(formal_.loops[w].extent),
                        steps_of(formal_places_, w, true), join(mine, "; ")),
            {},
            [this_layout = layouts()] {
              return "pack the operands by transform_layout, or copy them by cache_read and cache_write, so "
                     "that " +
                     this_layout;
            }};
  }

  /// "A lies as [4], B as [16, 4]"
  std::string layouts() const {
    std::vector<std::string> parts;
    for (const ardea::Parameter& parameter : instruction_.meaning.parameters) {
      if (!parameter.buffer.defined()) continue;
      std::vector<std::string> extents;
      for (const Expr& extent : parameter.buffer->shape) extents.push_back(print(extent));
      parts.push_back(fmt::format("{} lies as [{}]", parameter.buffer->name, join(extents, ", ")));
    }
    return join(parts, ", ");
  }

  // --- what comes of it ---

  const AccessPair* pair_of(const Buffer& formal, std::size_t& index) const {
    for (index = 0; index < pairs_.size(); ++index)
      if (pairs_[index].formal == formal) return &pairs_[index];
    return nullptr;
  }

  Result<std::vector<Expr>> arguments() {
    std::vector<Expr> addresses;
    std::size_t operand = 0;
    for (const ardea::Parameter& parameter : instruction_.meaning.parameters) {
      if (!parameter.buffer.defined()) {
        addresses.push_back({});
        continue;
      }
      std::size_t at = 0;
      const AccessPair* pair = pair_of(parameter.buffer, at);
      ensure(pair != nullptr, "{}: its program does not touch {}", instruction_.name, parameter.buffer->name);
      Substitution starts;
      for (const For& loop : actual_.loops) starts[loop.var] = loop.min;
      std::vector<Expr> corner;
      for (const Expr& index : pair->actual_indices)
        corner.push_back(facts_.simplify(substitute(index, starts)));
      ARDEA_TRY(choose_lane(*pair, formal_places_[at].start, corner));
      ARDEA_TRY(check_operand(instruction_.operands[operand++], *pair, corner));
      addresses.push_back(make_call("address_of", {make_load(pair->actual, corner)}));
    }
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const ardea::Parameter& parameter = instruction_.meaning.parameters[i];
      if (parameter.buffer.defined()) continue;
      const auto value = integers_.find(parameter.var.name());
      addresses[i] = value == integers_.end() ? make_int(0) : value->second;
    }
    return addresses;
  }

  /// An instruction that takes one of n lanes of an operand, A[lane % n, …], reads it as a whole: the lane is
  /// where the nest's element lies in its group of n.
  std::optional<Refusal> choose_lane(const AccessPair& pair, const Expr& formal_start,
                                     std::vector<Expr>& corner) {
    if (is_zero(formal_start)) return std::nullopt;
    for (std::size_t d = 0; d < pair.formal_indices.size(); ++d) {
      const auto* lane = pair.formal_indices[d].as<Binary>();
      if (lane == nullptr || lane->op != BinaryOp::floor_mod || !lane->left.is<VarNode>()) continue;
      const Expr count = lane->right;
      const Expr width = Analyzer().simplify(element_strides(pair.formal)[d]);
      const std::vector<Expr> strides = element_strides(pair.actual);
      for (std::size_t x = corner.size(); x-- > 0;) {
        const Expr group = facts_.simplify(floor_div(width, as_index(strides[x])));  // steps of one lane
        if (!constant_int(group) || *constant_int(group) < 1 ||
            !facts_.proves(equals(group * as_index(strides[x]), width)))
          continue;
        const Expr index = as_index(corner[x]);
        const Expr whole = facts_.simplify(floor_div(index, group * count) * group * count);
        if (!facts_.proves(equals(floor_mod(index, group), make_int(0))) ||
            !facts_.proves(whole + group * count <= as_index(pair.actual->shape[x])))
          continue;
        integers_[Var(lane->left).name()] = facts_.simplify(floor_mod(floor_div(index, group), count));
        corner[x] = make_cast(corner[x].type(), whole);
        return std::nullopt;
      }
      return Refusal{
          "window_leaves_buffer",
          fmt::format("the instruction reads {} groups of {} elements of {} at once, and those around {} are "
                      "not proved to lie in {}",
                      print(count), print(width), pair.formal->name, print(make_load(pair.actual, corner)),
                      pair.actual->name),
          {},
          [] { return std::string("pad the dimension to a multiple of that"); }};
    }
    return std::nullopt;
  }

  std::optional<Refusal> check_operand(const intrin::Operand& operand, const AccessPair& pair,
                                       const std::vector<Expr>& corner) {
    const Buffer& buffer = pair.actual;
    if (!operand.scope.empty() && operand.scope != buffer->scope)
      return Refusal{"wrong_scope",
                     fmt::format("operand {} must live in scope \"{}\", but {} lives in \"{}\"",
                                 pair.formal->name, operand.scope, buffer->name, buffer->scope),
                     {},
                     [scope = operand.scope] {
                       return fmt::format("copy it there by cache_read or cache_write with \"{}\"", scope);
                     }};
    if (operand.alignment_bytes <= 1) return std::nullopt;
    Expr place = place_of(buffer, corner);
    if (buffer->element_offset.defined()) place = place + as_index(buffer->element_offset);
    const Expr bytes = facts_.simplify(place * buffer->type.bytes());
    const Expr holds = logical_and(equals(floor_mod(bytes, make_int(operand.alignment_bytes)), make_int(0)),
                                   make_bool(buffer->alignment_bytes % operand.alignment_bytes == 0));
    return context_.require(facts_, holds, [&] {
      return Refusal{"not_aligned",
                     fmt::format("operand {} must be aligned to {} bytes, but {} begins at byte {} "
                                 "of {}, which is aligned to {}",
                                 pair.formal->name, operand.alignment_bytes, print(make_load(buffer, corner)),
                                 print(bytes), buffer->name, buffer->alignment_bytes)};
    });
  }

  const intrin::Instruction& instruction_;
  const StoreNest &formal_, &actual_;
  const AccessPairs& pairs_;
  const Analyzer& facts_;
  Context& context_;
  std::vector<AffinePlace> formal_places_, actual_places_;  ///< one a pair
  std::vector<bool> used_;                                  ///< one a loop of the nest
  std::map<std::string, Expr> integers_;                    ///< the instruction's integer parameters, by name
  std::size_t progress_ = 0;
};

}  // namespace

Result<StoreNest> store_nest(const Stmt& s, const Analyzer& facts, Context& context) {
  StoreNest nest;
  Substitution values;
  Analyzer inside = facts;
  for (Stmt at = s;;) {
    if (const auto* loop = at.as<For>()) {
      nest.loops.push_back(*loop);
      nest.loops.back().min = substitute(loop->min, values);
      nest.loops.back().extent = substitute(loop->extent, values);
      inside.bind(loop->var, {nest.loops.back().min, nest.loops.back().extent});
      at = loop->body;
    } else if (const auto* block = at.as<Block>()) {
      if (block->init.defined())
        return Refusal{
            "init_inside",
            fmt::format("block {} has an init among the loops, which no instruction does", block->name),
            {},
            [] { return std::string("take it out by decompose_reduction, or blockize the nest"); }};
      if (!block->matches.empty() || !block->allocations.empty())
        return Refusal{"not_one_store", fmt::format("block {} has buffers of its own", block->name)};
      for (const Expr& condition : arith::conjuncts(block->predicate))
        ARDEA_TRY(context.require(inside, substitute(condition, values), [&] {
          return Refusal{"condition_inside",
                         fmt::format("block {} runs only where {}", block->name, print(condition))};
        }));
      Substitution bindings;
      for (const BlockIterator& iterator : block->iterators)
        bindings[iterator.var] = make_cast(iterator.var.type(), substitute(iterator.binding, values));
      values.insert(bindings.begin(), bindings.end());
      at = block->body;
    } else if (const auto* store = at.as<Store>()) {
      nest.store = *substitute(Stmt(*store), values).as<Store>();
      return nest;
    } else {
      return Refusal{"not_one_store", "what the nest does is not one store"};
    }
  }
}

Result<std::vector<Expr>> match_instruction(const intrin::Instruction& instruction, const StoreNest& nest,
                                            const Analyzer& facts, Context& context) {
  Stmt program = instruction.meaning.body;
  if (const Block* root = root_block(instruction.meaning)) program = root->body;
  auto formal = store_nest(program, {}, context);
  if (std::holds_alternative<Refusal>(formal))
    return Refusal{"not_one_store",
                   fmt::format("the program of {} is not one store in loops", instruction.name)};
  const StoreNest& meaning = std::get<StoreNest>(formal);
  Difference difference;
  const std::vector<AccessPairs> ways = unify(meaning.store, nest.store, difference);
  if (ways.empty() && difference.actual.defined()) difference.actual = facts.simplify(difference.actual);
  if (ways.empty())
    return Refusal{"computes_something_else",
                   fmt::format("{} computes {} ({}) where the nest computes {} ({})", instruction.name,
                               print(difference.formal), to_string(difference.formal.type()),
                               print(difference.actual), to_string(difference.actual.type()))};
  std::optional<Refusal> best;
  std::size_t furthest = 0;
  for (const AccessPairs& pairs : ways) {
    Matching matching(instruction, meaning, nest, pairs, facts, context);
    auto found = matching.run();
    if (auto* arguments = std::get_if<std::vector<Expr>>(&found)) return std::move(*arguments);
    if (best && matching.progress() <= furthest) continue;
    best = std::get<Refusal>(found);
    furthest = matching.progress();
  }
  return *std::move(best);
}

}  // namespace ardea::schedule
