#include "ardea/schedule/primitives/loops/split.h"

#include "ardea/arith/cut_loop.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/program/plain_loop.h"
#include "ardea/schedule/program/refer.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

namespace {

/// One split: its parts are the checks, the new loops, and the two ways to end them.
class Splitting {
 public:
  Splitting(const Function& f, const Split& step, FoundLoop found)
      : f_(f), step_(step), found_(std::move(found)), loop_(*found_.loop), type_(loop_.var.type()) {}

  Outcome run(Context& context) {
    ARDEA_TRY(check(context));
    make_loops();
    const Expr extents = product(0);
    if (step_.disable_predication)
      ARDEA_TRY(context.require(found_.facts, equals(extents, loop_.extent), [&] {
        if (found_.facts.proves(extents < loop_.extent)) return too_small();
        return Refusal{
            "tail_needs_a_guard",
            fmt::format("{} does not divide the extent {}, and disable_predication allows no guard",
                        print(inner()), print(loop_.extent))};
      }));
    else if (step_.tail == "cut_rest" || (cuts() && context.structure() == Structure::of_template))
      return cut(context);
    if (step_.disable_predication || context.decides(found_.facts, equals(extents, loop_.extent)))
      return finished(nest(body_at(value(), {})), {});
    if (cuts()) return cut(context);
    return finished(nest(body_at(value(), value() < loop_.extent)), {});
  }

 private:
  bool cuts() const { return step_.tail == "cut" || step_.tail == "cut_rest"; }

  std::optional<Refusal> check(Context& context) {
    ARDEA_TRY(refuse_unless_plain(loop_));
    if (step_.factors.empty()) return Refusal{"no_factors", "there are no factors; give at least one"};
    if (step_.tail != "guard" && !cuts())
      return Refusal{"no_such_tail", fmt::format("tail is {}, must be \"guard\", \"cut\" or \"cut_rest\"",
                                                 in_quotes(step_.tail))};
    for (std::size_t i = 0; i < step_.factors.size(); ++i) {
      if (!step_.factors[i]) {
        if (open_)
          return Refusal{"two_open_factors",
                         fmt::format("factors {} and {} are both None; one may be", *open_ + 1, i + 1)};
        open_ = i;
        factors_.emplace_back();
        continue;
      }
      factors_.push_back(value_of(*step_.factors[i], type_));
      ARDEA_TRY(context.require(found_.facts, factors_[i] > make_int(0, type_), [&] {
        return Refusal{"factor_not_positive",
                       fmt::format("factor {} is {}, factors must be positive", i + 1, print(factors_[i]))};
      }));
    }
    if (open_) {
      factors_[*open_] = make_int(1, type_);
      const Expr others = product(0);
      factors_[*open_] =
          found_.facts.simplify(floor_div(loop_.extent + (others - make_int(1, type_)), others));
      return std::nullopt;
    }
    if (step_.disable_predication) return std::nullopt;  // asked for more than that
    return context.require(found_.facts, product(0) >= loop_.extent, [&] { return too_small(); });
  }

  Refusal too_small() const {
    return {"factors_too_small",
            fmt::format("the product of the factors, {}, is less than the extent {} of {}", print(product(0)),
                        print(loop_.extent), loop_.var.name()),
            {},
            [] { return std::string("make one factor None: it becomes what is left"); }};
  }

  /// The product of the factors from `first` on.
  Expr product(std::size_t first) const {
    Expr total = make_int(1, type_);
    for (std::size_t i = first; i < factors_.size(); ++i) total = total * factors_[i];
    return found_.facts.simplify(total);
  }
  Expr inner() const { return product(1); }

  void make_loops() {
    for (std::size_t i = 0; i < factors_.size(); ++i)
      loops_.emplace_back(fmt::format("{}_{}", loop_.var.name(), i), type_);
  }

  /// What the old variable is in terms of the new ones, counted from 0.
  Expr value() const {
    Expr total = loops_[0];
    for (std::size_t i = 1; i < loops_.size(); ++i) total = total * factors_[i] + loops_[i];
    return total;
  }

  Expr from_start(const Expr& count) const { return is_zero(loop_.min) ? count : loop_.min + count; }

  Stmt body_at(const Expr& count, const Expr& guard) const {
    const Stmt body = substitute(loop_.body, loop_.var, from_start(count));
    return guard.defined() ? guarded(body, guard, found_.facts) : body;
  }

  Stmt nest(Stmt body) const {
    for (std::size_t i = loops_.size(); i-- > 0;)
      body = make_for(loops_[i], make_int(0, type_), factors_[i], body);
    return simplified(body);
  }

  Stmt simplified(const Stmt& s) const {
    const bool keep = step_.preserve_unit_iters;
    return simplify_bindings(s, found_.path.facts(f_, !keep), keep);
  }

  /// As many whole rounds of the inner loops as fit, then what is left in one loop.
  Outcome cut(Context& context) {
    if (open_ && *open_ != 0)
      return Refusal{
          "cut_needs_outer_open",
          fmt::format("factor {} is None, so that no round has a size of its own to cut by", *open_ + 1),
          {},
          [] { return std::string("make the first factor None, or use tail=\"guard\""); }};
    const Expr round = inner();
    if (context.decides(found_.facts, loop_.extent < round))
      return Refusal{
          "no_whole_round",
          fmt::format("the extent {} is less than one round of {}, so that nothing would be left to cut from",
                      print(loop_.extent), print(round)),
          {},
          [] { return std::string("use tail=\"guard\", or smaller factors"); }};
    // The remainder of a negative extent is not negative: what runs nothing is cut as 0.
    For counted = loop_;
    const Expr zero = make_int(0, type_);
    if (!context.decides(found_.facts, loop_.extent >= zero))
      counted.extent = found_.facts.simplify(max(loop_.extent, zero));
    if (step_.tail == "cut_rest")
      ARDEA_TRY(context.require(found_.facts, floor_div(counted.extent, round) * round < counted.extent, [&] {
        return Refusal{"nothing_is_left",
                       fmt::format("rounds of {} leave nothing of the extent {}, and tail=\"cut_rest\" asks "
                                   "for a rest",
                                   print(round), print(loop_.extent)),
                       {},
                       [] { return std::string("use tail=\"cut\", or factors that do not divide"); }};
      }));
    factors_[0] = found_.facts.simplify(floor_div(counted.extent, round));
    if (context.leaves_out(found_.facts, equals(floor_mod(counted.extent, round), zero)))
      return finished(nest(body_at(value(), {})), {});
    const std::vector<For> parts =
        arith::cut_whole_rounds(counted, round, {loop_.var.name(), loop_.var.name() + "_rest"}, found_.facts);
    const Stmt main = nest(substitute(parts[0].body, parts[0].var, value()));
    return finished(make_seq({main, simplified(parts[1])}), parts[1].var);
  }

  Outcome finished(Stmt now, const Var& rest) const {
    Applied applied{with(f_, found_.path, std::move(now))};
    for (const Var& loop : loops_) applied.results.emplace_back(LoopRef{loop});
    applied.forwarding.push_back({LoopRef{loop_.var}, applied.results});
    if (rest.defined()) applied.results.emplace_back(LoopRef{rest});
    return applied;
  }

  const Function& f_;
  const Split& step_;
  const FoundLoop found_;
  const For& loop_;
  const DataType type_;
  std::optional<std::size_t> open_;
  std::vector<Expr> factors_;
  std::vector<Var> loops_;
};

}  // namespace

Outcome apply(const Function& f, const Split& step, Context& context) {
  FoundLoop found = ARDEA_TRY(refer_to_loop(f, step.loop));
  return Splitting(f, step, std::move(found)).run(context);
}

}  // namespace ardea::schedule
