#include "ardea/ir/pragmas.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/lane_counts.h"
#include "ardea/limits/steps.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/lane_code.h"
#include "ardea/lower/lane_conditions.h"
#include "ardea/lower/loads_first.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/tail_cases.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

For with_body(For loop, Stmt body) {
  loop.body = std::move(body);
  return loop;
}

/// One vectorized loop, whose body holds no other any more.
class Vectorizing {
 public:
  Vectorizing(const For& loop, const Analyzer& facts, const target::Target& target)
      : loop_(with_body(loop, with_common_conditions(loop, facts))),
        type_(loop.var.type()),
        facts_(facts),
        target_(target),
        bits_(limits::lane_bits(loop_.body, target)) {}

  Stmt run() {
    if (const auto only = only_iteration()) return *only;
    const auto extent = constant_int(loop_.extent);
    const auto parts = extent ? known_extent(*extent) : unknown_extent();
    if (parts) return make_seq(*parts);
    For serial = loop_;
    serial.kind = ForKind::serial;
    return serial;
  }

 private:
  using Parts = std::optional<std::vector<Stmt>>;

  Expr number(std::int64_t value) const { return make_int(value, type_); }
  Expr after(const Expr& count) const { return facts_.simplify(loop_.min + count); }

  /// The iteration that alone does something, where the condition of all that the loop does leaves one: what
  /// a vector leaves over is a single lane at times, and then nothing in the body depends on which.
  std::optional<Stmt> only_iteration() const {
    const auto* guarded = loop_.body.as<If>();
    if (guarded == nullptr || guarded->else_case.defined()) return std::nullopt;
    Analyzer inside = facts_;
    inside.bind(loop_.var, {loop_.min, loop_.extent});
    const auto only = constant_int(where(inside, guarded->condition).simplify(loop_.var));
    if (!only || !facts_.proves(loop_.min <= number(*only)) ||
        !facts_.proves(number(*only) < loop_.min + loop_.extent))
      return std::nullopt;
    return arith::simplify(substitute(loop_.body, loop_.var, number(*only)), facts_);
  }

  Parts known_extent(std::int64_t extent) const {
    if (extent < 1) return std::nullopt;
    std::vector<Stmt> parts;
    std::int64_t done = 0;
    const limits::Rest rest = limits::rest_of(loop_.body, bits_, target_);
    for (const limits::LanePiece& piece :
         limits::lane_pieces(extent, bits_, limits::width_of(loop_, target_), rest, target_)) {
      const bool is_loop = piece.rounds > limits::most_vector_copies;
      for (std::int64_t copy = 0; copy < (is_loop ? 1 : piece.rounds); ++copy) {
        const auto part = is_loop ? rounds(number(piece.rounds), piece.lanes)
                                  : vectors(after(number(done + copy * piece.lanes)), piece.lanes,
                                            number(piece.used), facts_);
        if (!part) return std::nullopt;
        parts.push_back(*part);
      }
      done += piece.rounds * piece.lanes;
    }
    return loads_first(parts);
  }

  /// As many vectors of one register as fit; the rest by a mask or one by one.
  Parts unknown_extent() const {
    const int lanes = limits::register_lanes(bits_, target_);
    const Expr extent =
        facts_.proves(loop_.extent >= number(0)) ? loop_.extent : max(loop_.extent, number(0));
    const Expr whole = facts_.simplify(floor_div(extent, number(lanes)));
    const auto main = rounds(whole, lanes);
    if (!main) return std::nullopt;
    const Expr done = facts_.simplify(whole * number(lanes)),
               left = facts_.simplify(floor_mod(extent, number(lanes)));
    if (!limits::has_lane_masks(bits_, target_) || lanes == 2) {
      const For rest{loop_.var, after(done), left, ForKind::serial, loop_.body};
      return std::vector<Stmt>{*main, fresh_copy(rest)};
    }
    const Expr any = left > number(0);
    const auto rest = vectors(after(done), lanes, left, where(facts_, any));
    if (!rest) return std::nullopt;
    return std::vector<Stmt>{*main, If{any, *rest}};
  }

  std::optional<Stmt> rounds(const Expr& count, int lanes) const {
    const Var round(loop_.var.name() + "_round", type_);
    Analyzer facts = facts_;
    facts.bind(round, {number(0), count});
    const auto body = vectors(after(round * number(lanes)), lanes, number(lanes), facts);
    if (!body) return std::nullopt;
    // Registers have no index: each round of a tile's row is written out.
    const ForKind kind = limits::uses_registers(loop_.body) ? ForKind::unrolled : ForKind::serial;
    return hand_down_pragmas(loop_.annotations, make_for(round, number(0), count, *body, kind));
  }

  std::optional<Stmt> vectors(const Expr& first, int lanes, const Expr& used, const Analyzer& facts) const {
    const Stmt copy = fresh_copy(loop_);  // each variable has one definition
    const For& own = *copy.as<For>();
    // As lanes are: an index of a register must be a number, not a sum of two.
    if (lanes == 1) return arith::simplify(substitute(own.body, own.var, first), facts);
    return lane_code(own.body, {own.var, first, lanes, used}, facts, target_);
  }

  const For loop_;
  const DataType type_;
  const Analyzer& facts_;
  const target::Target& target_;
  const int bits_;
};

class Walk {
 public:
  explicit Walk(const target::Target& target) : target_(target) {}

  Stmt visit(const Stmt& s, const Analyzer& facts) const {
    const Stmt inner =
        map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) { return visit(part, known); });
    const auto* loop = inner.as<For>();
    if (loop == nullptr || loop->kind != ForKind::vectorized) return inner;
    return Vectorizing(*loop, facts, target_).run();
  }

 private:
  const target::Target& target_;
};

}  // namespace

Function vectorize(const Function& f, const target::Target& target) {
  Function out = f;
  out.body = Walk(target).visit(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
