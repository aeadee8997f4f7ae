#include "ardea/lower/layout.h"

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"

namespace ardea::lower {

Stmt redirect(const Stmt& s, const Redirection& redirection) {
  const auto move_region = [&](BufferRegion& region) {
    if (!redirection.region) return;
    if (std::optional<BufferRegion> moved = redirection.region(region)) region = *moved;
  };
  return rewrite(
      s, Rewriter{.expr_after =
                      [&](const Expr& e) {
                        const auto* load = e.as<Load>();
                        if (load == nullptr) return e;
                        std::optional<Place> place = redirection.access(load->buffer, load->indices);
                        return place ? make_load(place->buffer, place->indices, load->predicate) : e;
                      },
                  .stmt_after = [&](const Stmt& x) -> Stmt {
                    if (const auto* store = x.as<Store>()) {
                      std::optional<Place> place = redirection.access(store->buffer, store->indices);
                      if (!place) return x;
                      return make_store(place->buffer, place->indices, store->value, store->predicate);
                    }
                    const auto* block = x.as<Block>();
                    if (block == nullptr) return x;
                    Block moved = *block;
                    if (moved.reads)
                      for (BufferRegion& region : *moved.reads) move_region(region);
                    if (moved.writes)
                      for (BufferRegion& region : *moved.writes) move_region(region);
                    for (MatchBuffer& match : moved.matches) move_region(match.source);
                    return moved;
                  }});
}

Stmt fail_with(const std::string& sentence, const std::vector<Expr>& values) {
  std::vector<Expr> arguments = {make_string(sentence)};
  for (const Expr& value : values) arguments.push_back(as_index(value));
  return Evaluate{make_call("fail", std::move(arguments))};
}

Stmt fail_if(const Expr& condition, const std::string& sentence, const std::vector<Expr>& values) {
  return make_if(condition, fail_with(sentence, values));
}

}  // namespace ardea::lower
