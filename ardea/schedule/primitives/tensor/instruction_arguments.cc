#include "ardea/schedule/primitives/tensor/instruction_arguments.h"

#include <fmt/core.h>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"

namespace ardea::schedule {

namespace {

using arith::Analyzer;

class ArgumentsOf {
 public:
  ArgumentsOf(const intrin::Instruction& instruction, const StoreNest& nest, const AccessPairs& pairs,
              const MatchedLoops& loops, const Function& program, const Analyzer& facts, Context& context)
      : instruction_(instruction),
        nest_(nest),
        pairs_(pairs),
        program_(program),
        facts_(facts),
        context_(context),
        formal_places_(loops.formal_places),
        integers_(loops.integers) {}

  Result<std::vector<Expr>> run() {
    for (const AccessPair& pair : pairs_)
      if (!(pair.formal == pairs_[0].formal) && pair.actual->data == pairs_[0].actual->data)
        return Refusal{"operands_overlap", fmt::format("{} is written, and {} is read from the same memory",
                                                       pairs_[0].formal->name, pair.formal->name)};
    return addresses_and_integers();
  }

 private:
  const AccessPair* pair_of(const Buffer& formal, std::size_t& index) const {
    for (index = 0; index < pairs_.size(); ++index)
      if (pairs_[index].formal == formal) return &pairs_[index];
    return nullptr;
  }

  Result<std::vector<Expr>> addresses_and_integers() {
    std::vector<Expr> addresses;
    std::size_t operand = 0;
    for (const ardea::Parameter& parameter : instruction_.meaning.parameters) {
      if (!parameter.buffer.defined()) {
        addresses.emplace_back();
        continue;
      }
      std::size_t at = 0;
      const AccessPair* pair = pair_of(parameter.buffer, at);
      ensure(pair != nullptr, "{}: its program does not touch {}", instruction_.name, parameter.buffer->name);
      Substitution starts;
      for (const For& loop : nest_.loops) starts[loop.var] = substitute(loop.min, starts);
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
      const Expr width = Analyzer().simplify(strides_of(pair.formal)[d]);
      const std::vector<Expr> strides = strides_of(pair.actual);
      for (std::size_t x = corner.size(); x-- > 0;) {
        const Expr group = facts_.simplify(floor_div(width, strides[x]));  // steps of one lane
        if (!constant_int(group) || *constant_int(group) < 1 ||
            !facts_.proves(equals(group * strides[x], width)))
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
    if (operand.alignment_bytes <= 1 && operand.tile_bytes <= 1) return std::nullopt;
    const Expr bytes = facts_.simplify(flat_index(buffer, corner) * buffer->type.bytes());
    const Expr whole = equals(floor_mod(bytes, make_int(operand.tile_bytes)), make_int(0));
    ARDEA_TRY(context_.require(facts_, whole, [&] {
      return Refusal{
          "not_aligned",
          fmt::format("operand {} must be a whole tile of {} bytes, but {} begins at byte {} of {}",
                      pair.formal->name, operand.tile_bytes, print(make_load(buffer, corner)), print(bytes),
                      buffer->name),
          {},
          [] { return std::string("pack it by transform_layout, a tile in one piece"); }};
    }));
    if (operand.alignment_bytes <= 1) return std::nullopt;
    const std::int64_t alignment = memory_alignments(program_).at(buffer->data);
    const Expr holds = logical_and(equals(floor_mod(bytes, make_int(operand.alignment_bytes)), make_int(0)),
                                   make_bool(alignment % operand.alignment_bytes == 0));
    return context_.require(facts_, holds, [&] {
      return Refusal{"not_aligned",
                     fmt::format("operand {} must be aligned to {} bytes, but {} begins at byte {} "
                                 "of {}, which is aligned to {}",
                                 pair.formal->name, operand.alignment_bytes, print(make_load(buffer, corner)),
                                 print(bytes), buffer->name, alignment),
                     {},
                     [name = buffer->name, alignment, wanted = operand.alignment_bytes] {
                       return alignment % wanted == 0
                                  ? std::string("copy it by cache_read or cache_write to where it is aligned")
                                  : fmt::format("promise it where {} is declared: align={}", name, wanted);
                     }};
    });
  }

  const intrin::Instruction& instruction_;
  const StoreNest& nest_;
  const AccessPairs& pairs_;
  const Function& program_;
  const Analyzer& facts_;
  Context& context_;
  const std::vector<AffinePlace>& formal_places_;
  std::map<std::string, Expr> integers_;  ///< the instruction's integer parameters, by name
};

}  // namespace

Result<std::vector<Expr>> instruction_arguments(const intrin::Instruction& instruction, const StoreNest& nest,
                                                const AccessPairs& pairs, const MatchedLoops& loops,
                                                const Function& program, const Analyzer& facts,
                                                Context& context) {
  return ArgumentsOf(instruction, nest, pairs, loops, program, facts, context).run();
}

}  // namespace ardea::schedule
