#include "ardea/lower/strided_runs.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/memory_ages.h"

namespace ardea::lower {

using arith::Analyzer;

namespace {

/// Whether parts of e are evaluated only where something says so.
bool is_lazy(const Expr& e) {
  const auto* call = e.as<Call>();
  return e.is<Let>() || (call != nullptr && call->op->name == "if_then_else");
}

bool are_alike(const StridedLoad& a, const StridedLoad& b) {
  return a.access->buffer == b.access->buffer && a.load.type() == b.load.type() &&
         structurally_equal(a.lanes->stride, b.lanes->stride);
}

const Ramp* strided(const Load& load) {
  const auto* ramp = load.indices.at(0).as<Ramp>();
  return ramp != nullptr && !is_one(ramp->stride) ? ramp : nullptr;
}

/// The number in each lane, where numbers are all it is made of.
std::optional<std::vector<std::int64_t>> known_lanes(const Expr& e) {
  std::vector<std::int64_t> lanes;
  if (const auto* ramp = e.as<Ramp>()) {
    const auto base = constant_int(ramp->base), stride = constant_int(ramp->stride);
    if (!base || !stride) return std::nullopt;
    for (int lane = 0; lane < e.type().lanes; ++lane) lanes.push_back(*base + lane * *stride);
    return lanes;
  }
  const auto* same = e.as<Broadcast>();
  const auto value = same != nullptr ? constant_int(same->value) : std::nullopt;
  if (!value) return std::nullopt;
  return std::vector<std::int64_t>(static_cast<std::size_t>(e.type().lanes), *value);
}

/// Which lanes a mask lets run, where that is known: what comparisons of numbers say, one or several
/// together.
std::optional<std::vector<bool>> known_mask(const Expr& mask) {
  if (const auto* same = mask.as<Broadcast>(); same != nullptr && is_true(same->value))
    return std::vector<bool>(static_cast<std::size_t>(mask.type().lanes), true);
  const auto* compared = mask.as<Binary>();
  if (compared != nullptr && compared->op == BinaryOp::logical_and) {
    auto left = known_mask(compared->left);
    const auto right = known_mask(compared->right);
    if (!left || !right) return std::nullopt;
    for (std::size_t lane = 0; lane < left->size(); ++lane) (*left)[lane] = (*left)[lane] && (*right)[lane];
    return left;
  }
  if (compared == nullptr || !is_comparison(compared->op)) return std::nullopt;
  const auto left = known_lanes(compared->left), right = known_lanes(compared->right);
  if (!left || !right) return std::nullopt;
  std::vector<bool> runs;
  for (std::size_t lane = 0; lane < left->size(); ++lane)
    runs.push_back(is_true(arith::Analyzer().simplify(
        make_binary(compared->op, make_int((*left)[lane]), make_int((*right)[lane])))));
  return runs;
}

}  // namespace

Var ReadBefore::name(const std::string& name, const Expr& value) {
  values_.emplace_back(Var(name, value.type()), value);
  return values_.back().first;
}

Var ReadBefore::row(const StridedGroup& group, std::int64_t offset, std::int64_t rows,
                    const Analyzer& facts) {
  const StridedLoad& first = group.front();
  const Expr &base = first.lanes->base, &stride = first.lanes->stride;
  const Expr begin = facts.simplify(base + make_int(offset - first.offset, base.type()) +
                                    make_int(rows, stride.type()) * stride);
  const Buffer& buffer = first.access->buffer;
  const int lanes = first.load.type().lanes;
  return name(buffer->name + "_row", make_load(buffer, {make_ramp(begin, make_int(1, base.type()), lanes)}));
}

/// Stores that follow each other.
class StridedRun {
 public:
  StridedRun(const std::vector<Stmt>& stores, const Analyzer& facts, MemoryAges& ages,
             const StridedRewrite& how)
      : stores_(stores), all_(make_seq(stores)), facts_(facts), ages_(ages), how_(how) {}

  std::vector<Stmt> rewritten() {
    for (const Stmt& s : stores_) collect(s.as<Store>()->value);
    for (StridedGroup& group : groups_) {
      std::stable_sort(group.begin(), group.end(),
                       [](const StridedLoad& a, const StridedLoad& b) { return a.offset < b.offset; });
      how_.rewrite(group, facts_, read_);
    }
    if (read_.names_.empty()) return stores_;
    const std::unordered_map<Expr, Var> names(read_.names_.begin(), read_.names_.end());
    std::vector<Stmt> stores;
    for (const Stmt& s : stores_) {
      Store store = *s.as<Store>();
      store.value = with_names(store.value, names);
      stores.emplace_back(store);
    }
    Stmt body = make_seq(std::move(stores));
    for (const auto& [name, value] : std::views::reverse(read_.values_)) body = LetStmt{name, value, body};
    return {body};
  }

 private:
  void collect(const Expr& e) {
    if (is_lazy(e) || !visited_.emplace(e, true).second) return;
    const auto* load = e.as<Load>();
    const Ramp* ramp = load != nullptr ? strided(*load) : nullptr;
    if (ramp == nullptr || reads_memory(ramp->base) || load->buffer->scope != "global")
      return for_each_child(e, [&](const Expr& part) { collect(part); });
    StridedLoad found{e, load, ramp};
    if (load->predicate.defined()) {
      auto runs = known_mask(load->predicate);
      if (!runs) return;
      found.runs = std::move(*runs);
    }
    if (how_.accepts(found) && !ages_.may_write(all_, load->buffer->data)) add(found);
  }

  void add(StridedLoad load) {
    for (StridedGroup& group : groups_) {
      if (!are_alike(group.front(), load)) continue;
      const auto offset = constant_int(facts_.simplify(load.lanes->base - group.front().lanes->base));
      if (!offset) continue;
      load.offset = *offset;
      group.push_back(std::move(load));
      return;
    }
    groups_.push_back({std::move(load)});
  }

  static Expr with_names(const Expr& e, const std::unordered_map<Expr, Var>& names) {
    if (is_lazy(e)) return e;
    if (const auto found = names.find(e); found != names.end()) return found->second;
    return map_children(e, Mapper{.expr = [&](const Expr& part) { return with_names(part, names); }});
  }

  const std::vector<Stmt>& stores_;
  const Stmt all_;
  const Analyzer& facts_;
  MemoryAges& ages_;
  const StridedRewrite& how_;
  std::vector<StridedGroup> groups_;
  std::unordered_map<Expr, bool> visited_;
  ReadBefore read_;
};

namespace {

class RunWalk {
 public:
  RunWalk(const Function& f, const StridedRewrite& how) : ages_(f), how_(how) {}

  Stmt visit(const Stmt& s, const Analyzer& facts) {
    const Stmt inner =
        map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) { return visit(part, known); });
    const auto* seq = inner.as<Seq>();
    if (seq == nullptr) return inner;
    std::vector<Stmt> parts, run;
    const auto flush = [&] {
      if (run.empty()) return;
      for (const Stmt& part : StridedRun(run, facts, ages_, how_).rewritten()) parts.push_back(part);
      run.clear();
    };
    for (const Stmt& part : seq->statements) {
      if (part.is<Store>()) {
        run.push_back(part);
        continue;
      }
      flush();
      parts.push_back(part);
    }
    flush();
    return parts == seq->statements ? inner : make_seq(std::move(parts));
  }

 private:
  MemoryAges ages_;
  const StridedRewrite& how_;
};

bool has_strided_loads(const Function& f) {
  bool found = false;
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    found = found || (load != nullptr && strided(*load) != nullptr);
  });
  return found;
}

}  // namespace

Function rewrite_strided_runs(const Function& f, const StridedRewrite& how) {
  if (!has_strided_loads(f)) return f;
  Function out = f;
  out.body = RunWalk(f, how).visit(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
