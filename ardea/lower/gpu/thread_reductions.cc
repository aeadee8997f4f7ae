#include "ardea/lower/gpu/thread_reductions.h"

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::lower {

namespace {

const std::string combined_axes_key = "combined_axes";

}  // namespace

For combining_loop(For loop, const std::vector<std::string>& axes) {
  std::vector<Attribute> names;
  for (const std::string& axis : axes) names.push_back({make_string(axis)});
  loop.annotations[combined_axes_key] = Attribute{std::move(names)};
  return loop;
}

std::vector<std::string> combined_axes(const For& loop) {
  const auto found = loop.annotations.find(combined_axes_key);
  if (found == loop.annotations.end()) return {};
  std::vector<std::string> axes;
  for (const Attribute& name : std::get<std::vector<Attribute>>(found->second.value))
    axes.push_back(std::get<Expr>(name.value).as<StringImm>()->value);
  return axes;
}

bool holds_combining_loop(const Stmt& s) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) {
    const auto* loop = part.as<For>();
    found = found || (loop != nullptr && !combined_axes(*loop).empty());
  });
  return found;
}

bool holds_shuffle(const Stmt& s) {
  return any_expr(s, [](const Expr& e) {
    const auto* call = e.as<Call>();
    return call != nullptr && call->op->name == "shuffle_down";
  });
}

}  // namespace ardea::lower
