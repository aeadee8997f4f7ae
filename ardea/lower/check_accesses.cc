#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/access_checks.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/memory_ages.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// More than any machine has, and far enough from overflow that sums of a few sizes stay in int64.
constexpr double most_allocated_bytes = 0x1p+60;

/// Memory behind a data variable.
struct Memory {
  Expr elements;
  DataType type;
};

std::int64_t storage_bits(DataType type) { return type.is_bool() ? 8 : std::int64_t{type.bits} * type.lanes; }

/// e in float64, where nothing wraps: an upper end of a size shows even where its int64 has wrapped to a
/// small number.
Expr magnitude(const Expr& e) {
  if (const auto* cast = e.as<Cast>(); cast != nullptr && cast->value.type().is_integer())
    return magnitude(cast->value);
  if (const auto* binary = e.as<Binary>(); binary != nullptr && e.type().is_integer()) {
    switch (binary->op) {
      case BinaryOp::add:
      case BinaryOp::sub:
      case BinaryOp::mul:
      case BinaryOp::min:
      case BinaryOp::max: return make_binary(binary->op, magnitude(binary->left), magnitude(binary->right));
      case BinaryOp::floor_div:
        return make_call("floor", {magnitude(binary->left) / magnitude(binary->right)});
      default: break;
    }
  }
  return make_cast(float64, e);
}

/// The data variables that evaluating the check reads.
std::vector<Var> memory_read_by(const Check& check) {
  std::vector<Var> data;
  for (const Buffer& buffer : buffers_in(check.holds)) data.push_back(buffer->data);
  return data;
}

bool loads_from(const Check& check, const Buffer& buffer) {
  const std::vector<Buffer> all = buffers_in(check.holds);
  return std::find(all.begin(), all.end(), buffer) != all.end();
}

bool is_among(const std::vector<Check>& checks, const Check& check) {
  return std::any_of(checks.begin(), checks.end(),
                     [&](const Check& other) { return structurally_equal(other.holds, check.holds); });
}

bool has_assertions(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) { found = found || part.is<Assert>(); });
  return found;
}

/// Tests stand before their statement, or before the outermost loop around it of which they are the same in
/// every iteration: an index that is loaded for a row of a table is tested once, not once an element, and the
/// loop over the row becomes vectors. A test does not leave a condition, nor a loop that may change what it
/// reads, calls out or asserts.
class Checking {
 public:
  explicit Checking(const Function& f)
      : name_(f.name), is_concurrent_(f.attributes.contains("concurrent_threads")), memory_ages_(f) {
    for (const Parameter& p : f.parameters)
      if (p.buffer.defined()) memory_[p.buffer->data] = {flat_size(p.buffer), p.buffer->type};
  }

  Stmt visit(const Stmt& s, const Analyzer& facts) {
    const std::vector<Check> known = made_;
    if (s.is<For>()) forget_what(s);
    std::vector<Check> checks, here;
    const Stmt out = std::visit(
        overloaded{[&](const auto& node) { return visit_node(s, node, facts, checks); }}, s.variant());
    made_ = known;
    settle(checks, facts, here);
    if (const auto* loop = s.as<For>()) {
      std::vector<Check>& arrived = arrived_[loop->var];
      here.insert(here.end(), arrived.begin(), arrived.end());
    }
    made_.insert(made_.end(), here.begin(), here.end());
    forget_what(s);
    if (here.empty()) return out;
    std::vector<Stmt> guarded;
    for (const Check& check : here)
      guarded.push_back(fail_if(logical_not(check.holds), check.sentence, check.values));
    guarded.push_back(out);
    return make_seq(std::move(guarded));
  }

 private:
  /// What stands around a statement: a loop, a definition, or (neither) a condition, which no test leaves.
  struct Enclosing {
    const For* loop = nullptr;
    Var defined = {};
    Buffer declared = {};
    Analyzer facts = {};  ///< outside of the loop
  };

  /// Tests that were made are not made again as long as what they read is the same, whatever they say: of an
  /// element that is updated, the one before it is read stands for the one before it is written.
  bool is_made(const Check& check) const { return is_among(made_, check); }
  void forget_what(const Stmt& s) {
    std::erase_if(made_, [&](const Check& check) {
      const std::vector<Var> read = memory_read_by(check);
      return std::any_of(read.begin(), read.end(),
                         [&](const Var& data) { return memory_ages_.may_write(s, data); });
    });
  }

  /// The tests of one statement to their places. One that loads what another has to show safe stays behind
  /// that one.
  void settle(const std::vector<Check>& checks, const Analyzer& facts, std::vector<Check>& here) {
    std::size_t furthest = 0;  // the level that all so far have reached
    for (Check check : checks) {
      std::vector<Check> needed;
      add_load_checks(name_, check.holds, facts, needed);
      const std::size_t level = climb(check, needed.empty() ? 0 : furthest);
      furthest = std::max(furthest, level);
      if (is_made(check)) continue;
      std::vector<Check>& place = level == around_.size() ? here : arrived_[around_[level].loop->var];
      if (!is_among(place, check)) place.push_back(check);
    }
  }

  /// The position among what is around of the loop before which the test may stand, at least `limit`; their
  /// number where it stays. What it asks where a loop does not run is left out.
  std::size_t climb(Check& check, std::size_t limit) {
    std::size_t level = around_.size();
    std::vector<Var> used = free_variables(check.holds);
    const std::vector<Var> read = memory_read_by(check);
    for (const Expr& value : check.values)
      for (const Var& var : free_variables(value)) used.push_back(var);
    const auto uses_var = [&](const Var& var) {
      return std::find(used.begin(), used.end(), var) != used.end() ||
             std::find(read.begin(), read.end(), var) != read.end();
    };
    Check moved = check;
    for (std::size_t k = around_.size(); k-- > limit;) {
      const Enclosing& place = around_[k];
      if (place.loop == nullptr) {
        const bool defines = place.defined.defined() || place.declared.defined();
        if (!defines || (place.defined.defined() && uses_var(place.defined)) ||
            (place.declared.defined() && loads_from(check, place.declared)))
          break;
        continue;
      }
      const For& loop = *place.loop;
      // Outside of a launch there are no threads to test anything, and its loops are one nest.
      if (is_concurrent_ && is_launch_loop(loop)) break;
      const auto changes = [&](const Var& data) { return memory_ages_.may_write(loop.body, data); };
      if (uses_var(loop.var) || std::any_of(read.begin(), read.end(), changes) ||
          memory_ages_.calls_out(loop.body) || has_assertions(loop.body) || reads_memory(loop.extent))
        break;
      const Expr runs = loop.extent >= make_int(1, loop.extent.type());
      if (!place.facts.proves(runs)) {
        moved.holds = make_call("if_then_else", {runs, moved.holds, make_bool(true)});
        for (const Var& var : free_variables(runs)) used.push_back(var);
      }
      level = k;
      check = moved;
    }
    return level;
  }

  /// A body or a branch, inside of something.
  Stmt visit_inside(const Stmt& s, const Analyzer& facts, Enclosing place) {
    around_.push_back(std::move(place));
    Stmt out = visit(s, facts);
    around_.pop_back();
    return out;
  }

  void loads(const Expr& e, const Analyzer& facts, std::vector<Check>& checks) {
    if (e.defined()) add_load_checks(name_, e, facts, checks);
  }

  /// Where a call can change memory between the check and the access, the check would prove nothing.
  void refuse_call_beside_checks(const Stmt& s, const std::vector<Check>& checks) {
    bool calls = false, depends_on_memory = false;
    for_each_child(s, [&](const Expr& e) { calls = calls || has_effect(e); }, [](const Stmt&) {});
    for (const Check& check : checks)
      depends_on_memory = depends_on_memory || !buffers_in(check.holds).empty();
    require(!calls || !depends_on_memory,
            "{}: one statement calls out and accesses an index that it loads; bind what the call answers to "
            "a variable "
            "in a statement before",
            name_);
  }

  Stmt visit_node(const Stmt& s, const Store& store, const Analyzer& facts, std::vector<Check>& checks) {
    for (const Expr& index : store.indices) loads(index, facts, checks);
    loads(store.value, facts, checks);
    loads(store.predicate, facts, checks);
    add_store_checks(name_, store, facts, checks);
    refuse_call_beside_checks(s, checks);
    return s;
  }
  Stmt visit_node(const Stmt& s, const Evaluate& evaluate, const Analyzer& facts,
                  std::vector<Check>& checks) {
    loads(evaluate.value, facts, checks);
    refuse_call_beside_checks(s, checks);
    return s;
  }
  Stmt visit_node(const Stmt& s, const Assert& assertion, const Analyzer& facts, std::vector<Check>& checks) {
    loads(assertion.condition, facts, checks);
    refuse_call_beside_checks(s, checks);
    return s;
  }
  Stmt visit_node(const Stmt&, const LetStmt& let, const Analyzer& facts, std::vector<Check>& checks) {
    loads(let.value, facts, checks);
    return LetStmt{let.var, let.value, visit_inside(let.body, inside(facts, let), {nullptr, let.var})};
  }
  Stmt visit_node(const Stmt&, const For& loop, const Analyzer& facts, std::vector<Check>& checks) {
    loads(loop.min, facts, checks);
    loads(loop.extent, facts, checks);
    For out = loop;
    out.body = visit_inside(loop.body, inside(facts, loop), {&loop, {}, {}, facts});
    return out;
  }
  Stmt visit_node(const Stmt&, const If& branch, const Analyzer& facts, std::vector<Check>& checks) {
    loads(branch.condition, facts, checks);
    const Analyzer holds = where(facts, branch.condition),
                   fails = where(facts, logical_not(branch.condition));
    return If{branch.condition, visit_inside(branch.then_case, holds, {}),
              branch.else_case.defined() ? visit_inside(branch.else_case, fails, {}) : Stmt{}};
  }
  Stmt visit_node(const Stmt&, const Seq& seq, const Analyzer& facts, std::vector<Check>&) {
    std::vector<Stmt> parts;
    for (const Stmt& part : seq.statements) parts.push_back(visit(part, facts));
    return make_seq(std::move(parts));
  }
  Stmt visit_node(const Stmt&, const Allocate& allocate, const Analyzer& facts, std::vector<Check>& checks) {
    Expr elements = make_int(1);
    for (const Expr& extent : allocate.extents) {
      loads(extent, facts, checks);
      elements = multiply_index(elements, extent);
    }
    if (!elements.is<IntImm>()) check_size(allocate, facts, checks);
    memory_[allocate.data] = {elements, allocate.type};
    Allocate out = allocate;
    out.body = visit_inside(allocate.body, facts, {nullptr, allocate.data});
    return out;
  }
  Stmt visit_node(const Stmt&, const DeclareBuffer& declare, const Analyzer& facts,
                  std::vector<Check>& checks) {
    check_view(declare.buffer, facts, checks);
    return DeclareBuffer{declare.buffer, visit_inside(declare.body, facts, {nullptr, {}, declare.buffer})};
  }
  Stmt visit_node(const Stmt&, const Block& block, const Analyzer&, std::vector<Check>&) {
    throw InternalError("check_accesses: block " + block.name + " is still there");
  }

  void check_size(const Allocate& allocate, const Analyzer& facts, std::vector<Check>& checks) {
    const double element_bytes = static_cast<double>(storage_bits(allocate.type)) / 8;
    Expr bytes = make_float(element_bytes, float64);
    double at_most = element_bytes;
    for (std::size_t d = 0; d < allocate.extents.size(); ++d) {
      const Expr extent = as_index(allocate.extents[d]);
      bytes = bytes * magnitude(extent);
      at_most *= static_cast<double>(facts.constant_bounds(extent).high.value_or(INT64_MAX));
      if (!facts.proves(extent >= make_int(1)))
        checks.push_back({extent >= make_int(1),
                          fmt::format("{}: extent {} of {} is {{}}, must be at least 1", name_, d + 1,
                                      allocate.data.name()),
                          {extent}});
    }
    if (at_most <= most_allocated_bytes) return;
    checks.push_back({bytes <= make_float(most_allocated_bytes, float64),
                      fmt::format("{}: {} would have more than 2^60 bytes", name_, allocate.data.name()),
                      {}});
  }

  void check_view(const Buffer& view, const Analyzer& facts, std::vector<Check>& checks) {
    const auto found = memory_.find(view->data);
    if (found == memory_.end()) return;  // an opaque handle: what is behind it is its giver's business
    const Expr needed = multiply_index(flat_size(view), make_int(storage_bits(view->type)));
    const Expr given = multiply_index(found->second.elements, make_int(storage_bits(found->second.type)));
    if (!facts.proves(needed <= given))
      checks.push_back({needed <= given,
                        fmt::format("{}: {} needs {{}} bits of a memory of {{}}", name_, view->name),
                        {needed, given}});
    std::vector<Expr> steps = view->strides;
    if (view->element_offset.defined()) steps.push_back(view->element_offset);
    for (const Expr& step : steps)
      if (!facts.proves(as_index(step) >= make_int(0)))
        checks.push_back(
            {as_index(step) >= make_int(0),
             fmt::format("{}: a stride or the offset of {} is {{}}, must not be negative", name_, view->name),
             {step}});
  }

  const std::string name_;
  const bool is_concurrent_;
  std::unordered_map<Var, Memory> memory_;
  MemoryAges memory_ages_;
  std::vector<Enclosing> around_;                        // from the outside in
  std::unordered_map<Var, std::vector<Check>> arrived_;  // tests that go before the loop of that variable
  std::vector<Check> made_;                              // tests that hold here
};

}  // namespace

Function check_accesses(const Function& f, const target::Target&) {
  Function out = f;
  out.body = Checking(f).visit(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
