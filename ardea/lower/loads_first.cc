#include "ardea/lower/loads_first.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "ardea/ir/accuracy.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::lower {

namespace {

/// That wait in registers; the others are for constants and what is being computed.
constexpr std::size_t most_loads = 8;

/// A store of functions of what it loads, all of it for certain.
struct Computed {
  Store store;
  std::vector<Expr> loads;  ///< vectors, each once
};

std::optional<Computed> computed(const Stmt& s) {
  const auto* store = s.as<Store>();
  if (store == nullptr || store->predicate.defined() || store->buffer->scope != "global") return std::nullopt;
  Computed found{*store, {}};
  bool functions = false, plain = true;
  visit_exprs(store->value, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) {
      const auto is_known = [&](const Expr& other) { return structurally_equal(e, other); };
      if (e.type().lanes > 1 && std::none_of(found.loads.begin(), found.loads.end(), is_known))
        found.loads.push_back(e);
      plain = plain && !load->predicate.defined() && load->buffer->scope == "global";
    } else if (const auto* call = e.as<Call>()) {
      functions = functions || find_accuracy(call->op->name) != nullptr;
      plain = plain && call->op->effect == Effect::pure && call->op->name != "if_then_else";
    } else {
      plain = plain && !e.as<Let>();
    }
  });
  if (!functions || !plain || found.loads.empty()) return std::nullopt;
  return found;
}

using Names = std::vector<std::pair<Var, Expr>>;

Expr with_names(const Expr& e, const Names& names) {
  if (e.is<Load>())
    for (const auto& [name, load] : names)
      if (structurally_equal(e, load)) return name;
  return map_children(e, Mapper{.expr = [&](const Expr& part) { return with_names(part, names); }});
}

}  // namespace

std::vector<Stmt> loads_first(const std::vector<Stmt>& statements) {
  std::vector<Computed> all;
  std::size_t loads = 0;
  for (const Stmt& s : statements) {
    auto one = computed(s);
    if (!one) return statements;
    loads += one->loads.size();
    all.push_back(std::move(*one));
  }
  if (all.size() < 2 || loads > most_loads) return statements;
  Names named;
  std::vector<Stmt> stores;
  for (const Computed& one : all) {
    Names names;
    for (const Expr& load : one.loads)
      names.emplace_back(Var(load.as<Load>()->buffer->name + "_lanes", load.type()), load);
    Store store = one.store;
    store.value = with_names(store.value, names);
    stores.emplace_back(store);
    named.insert(named.end(), names.begin(), names.end());
  }
  Stmt body = make_seq(std::move(stores));
  for (const auto& [name, load] : std::views::reverse(named)) body = LetStmt{name, load, body};
  return {body};
}

}  // namespace ardea::lower
