#include "ardea/ir/registered_intrinsics.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "ardea/ir/parse.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

struct Entry {
  Intrinsic row;
  Meaning meaning;
};

/// Entries never leave, and a map does not move them: a Call may keep the address of its row.
struct Registry {
  std::shared_mutex mutex;
  std::map<std::string, Entry, std::less<>> entries;
};

Registry& registry() {
  static Registry all;
  return all;
}

const Entry* find_entry(std::string_view name) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  const auto at = all.entries.find(name);
  return at == all.entries.end() ? nullptr : &at->second;
}

bool is_name(const std::string& text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), fits);
}

void check_row(const Intrinsic& row) {
  require(is_name(row.name),
          "register_intrinsic({}): the name must be letters, digits and '_', no digit first",
          in_quotes(row.name));
  const std::string call = "register_intrinsic(" + row.name + ")";
  require(!is_text_word(row.name), "{}: T.{} means something else in programs; choose another name", call,
          row.name);
  require(row.effect == Effect::pure, "{}: the effect must be pure; what has one is a T.call_registered",
          call);
  require(row.result == ResultRule::same_as_first || row.result == ResultRule::boolean,
          "{}: the result must have the first argument's type, or be a bool", call);
  require(row.arity >= 1, "{}: it takes {} arguments, must take 1 or more", call, row.arity);
}

/// The registered intrinsics whose meaning is being asked for on this thread, outermost first.
std::vector<std::string>& under_way() {
  thread_local std::vector<std::string> names;
  return names;
}

class UnderWay {
 public:
  explicit UnderWay(const std::string& name) {
    std::vector<std::string>& names = under_way();
    require(std::find(names.begin(), names.end(), name) == names.end(),
            "T.{}: its meaning uses T.{} itself ({}); say it by other intrinsics", name, name,
            join(names, " uses ") + " uses " + name);
    names.push_back(name);
  }
  ~UnderWay() { under_way().pop_back(); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
};

bool is_narrow(DataType type) { return type.is_float() && type.bits == 16; }

}  // namespace

const Intrinsic* find_registered(std::string_view name) {
  const Entry* entry = find_entry(name);
  return entry == nullptr ? nullptr : &entry->row;
}

std::vector<std::string> registered_names() {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  std::vector<std::string> names;
  for (const auto& [name, entry] : all.entries) names.push_back(name);
  return names;
}

bool is_registered(const Intrinsic& op) {
  const Entry* entry = find_entry(op.name);
  return entry != nullptr && &entry->row == &op;
}

void register_intrinsic(Intrinsic row, Meaning meaning) {
  check_row(row);
  const std::string name = row.name, call = "register_intrinsic(" + name + ")";
  require(meaning != nullptr, "{}: it has no meaning", call);
  if (row.floats_only) {  // else no type is known that it must take
    const std::vector<Expr> arguments(static_cast<std::size_t>(row.arity), Var("x", float32));
    const Expr value = meaning(arguments);
    const DataType wanted = row.result == ResultRule::boolean ? boolean : float32;
    require(value.defined() && value.type() == wanted,
            "{}: its meaning gives {} for float32 arguments, must give {}", call,
            value.defined() ? to_string(value.type()) : "nothing", to_string(wanted));
  }
  bool taken = find_intrinsic(name) != nullptr;
  if (!taken) {
    Registry& all = registry();
    const std::unique_lock lock(all.mutex);
    taken = !all.entries.emplace(name, Entry{std::move(row), std::move(meaning)}).second;
  }
  require(!taken, "{}: the name is taken; choose another", call);
}

Expansion expansion_of(const Intrinsic& op, const std::vector<DataType>& types) {
  const Entry* entry = find_entry(op.name);
  ensure(entry != nullptr && &entry->row == &op, "T.{} is not a registered intrinsic", op.name);
  const UnderWay guard(op.name);
  Expansion out;
  std::vector<Expr> arguments;
  std::vector<std::pair<Var, Expr>> widened;
  for (const DataType type : types) {
    const Var& parameter = out.parameters.emplace_back("argument", type);
    arguments.emplace_back(parameter);
    if (!is_narrow(type)) continue;
    const DataType wide = float32.with_lanes(type.lanes);
    widened.emplace_back(Var("wide", wide), make_cast(wide, parameter));
    arguments.back() = widened.back().first;
  }
  Expr value = entry->meaning(arguments);
  const DataType first = arguments.at(0).type();
  const DataType wanted = op.result == ResultRule::boolean ? boolean.with_lanes(first.lanes) : first;
  require(value.defined() && value.type() == wanted, "T.{}: its meaning gives {} for {}, must give {}",
          op.name, value.defined() ? to_string(value.type()) : "nothing", to_string(first),
          to_string(wanted));
  value = expand_registered(value);
  for (std::size_t i = widened.size(); i-- > 0;) value = make_let(widened[i].first, widened[i].second, value);
  out.body = op.result == ResultRule::boolean ? value : make_cast(types.at(0), value);
  return out;
}

Expr expand_registered(const Expr& e) {
  return rewrite(e, Rewriter{.expr_after = [](const Expr& x) {
                   const auto* call = x.as<Call>();
                   if (call == nullptr || !is_registered(*call->op)) return x;
                   std::vector<DataType> types;
                   for (const Expr& argument : call->arguments) types.push_back(argument.type());
                   Expansion meaning = expansion_of(*call->op, types);
                   for (std::size_t i = meaning.parameters.size(); i-- > 0;)
                     meaning.body = make_let(meaning.parameters[i], call->arguments[i], meaning.body);
                   return meaning.body;
                 }});
}

}  // namespace ardea
