#include "ardea/lower/rules.h"

#include <map>
#include <mutex>
#include <shared_mutex>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::lower {

namespace {

struct Rules {
  std::shared_mutex mutex;
  std::map<std::pair<std::string, std::string>, Rule> by_place;  ///< target or kind, intrinsic
};

Rules& rules() {
  static Rules all;
  return all;
}

void check_intrinsic(const std::string& call, const std::string& name) {
  const Intrinsic* op = find_intrinsic(name);
  if (op == nullptr) {
    std::vector<std::string> names;
    for (const Intrinsic& row : intrinsics()) names.push_back(row.name);
    fail("{}: there is no such intrinsic{}", call, did_you_mean(name, names));
  }
  const bool function = op->effect == Effect::pure &&
                        (op->result == ResultRule::same_as_first || op->result == ResultRule::boolean);
  require(function, "{}: T.{} is not a function of its arguments' values, which rules are for", call, name);
}

}  // namespace

void register_rule(const std::string& target_or_kind, const std::string& intrinsic, Rule rule,
                   bool override_existing) {
  const std::string call = fmt::format("register_rule({}, {})", target_or_kind, intrinsic);
  require(!target_or_kind.empty(), "{}: name a target, or a kind such as cpu", call);
  require(rule != nullptr, "{}: the rule is empty", call);
  check_intrinsic(call, intrinsic);
  Rules& all = rules();
  const std::unique_lock lock(all.mutex);
  Rule& place = all.by_place[{target_or_kind, intrinsic}];
  require(place == nullptr || override_existing,
          "{}: there is a rule already; pass override_existing to replace it", call);
  place = std::move(rule);
}

Rule find_rule(const target::Target& target, const std::string& intrinsic) {
  Rules& all = rules();
  const std::shared_lock lock(all.mutex);
  for (const std::string& place : {target.name, target::to_string(target.kind)})
    if (const auto at = all.by_place.find({place, intrinsic}); at != all.by_place.end()) return at->second;
  return {};
}

}  // namespace ardea::lower
