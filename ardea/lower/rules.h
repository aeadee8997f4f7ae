#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardea/ir/intrinsics.h"
#include "ardea/target/target.h"

/// How users say what an intrinsic becomes on a target: before any rule of ours, lower_intrinsics asks
/// theirs.

namespace ardea::lower {

/// What a call becomes. The arguments are variables (or constants), after legalise_types: float32 where the
/// program says float16 or bfloat16. The value must have the type that the call has. Intrinsics in it are
/// lowered in turn, except that the call's own name means there what it would mean without the rule.
using Rule = std::function<Expr(const std::vector<Expr>& arguments, const target::Target& target)>;

/// `target_or_kind` is the name of a target ("avx2"), or a kind ("cpu"), which gives way to a name. Error
/// where there is no such intrinsic, where it is not a function, or where a rule is there already and
/// `override_existing` is false. Any thread may register; lowering that is under way may or may not see it.
void register_rule(const std::string& target_or_kind, const std::string& intrinsic, Rule rule,
                   bool override_existing = false);

/// The user's rule for a target, or an empty one.
Rule find_rule(const target::Target& target, const std::string& intrinsic);

}  // namespace ardea::lower
