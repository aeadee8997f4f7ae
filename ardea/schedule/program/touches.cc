#include "ardea/schedule/program/touches.h"

#include <algorithm>
#include <unordered_set>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"

namespace ardea::schedule {

namespace {

class Search {
 public:
  Search(const Path& scope, const Buffer& buffer) : buffer_(buffer), path_(scope) {
    names_.insert(buffer->data);
    // Blocks around may know the memory by several names.
    for (bool grown = true; grown;) {
      grown = false;
      for (const Stmt& s : scope)
        if (const auto* block = s.as<Block>())
          for (const MatchBuffer& match : block->matches)
            grown = join(match.buffer->data, match.source.buffer->data) || grown;
    }
  }

  std::vector<Touch> run() {
    const Stmt scope = path_.back();
    path_.pop_back();
    enter(scope, true);
    return std::move(found_);
  }

 private:
  bool join(const Var& a, const Var& b) {
    if (names_.contains(a) == names_.contains(b)) return false;
    names_.insert(a);
    names_.insert(b);
    return true;
  }

  void enter(const Stmt& s, bool is_scope) {
    path_.push_back(s);
    Touch touch;
    bool touched = false;
    if (const auto* store = s.as<Store>(); store != nullptr && names_.contains(store->buffer->data)) {
      touched = touch.writes = true;
      touch.plain = store->buffer == buffer_;
    }
    if (const auto* block = s.as<Block>(); block != nullptr && !is_scope)
      for (const MatchBuffer& match : block->matches)
        if (names_.contains(match.source.buffer->data)) {
          names_.insert(match.buffer->data);
          touched = true;
          touch.plain = false;
        }
    std::vector<Stmt> inside;
    for_each_child(
        s,
        [&](const Expr& e) {
          // Bindings and predicate of the scope itself are evaluated outside of it.
          if (!is_scope) touched = touches_in(e, touch) || touched;
        },
        [&](const Stmt& part) { inside.push_back(part); });
    if (touched) {
      touch.path = path_;
      found_.push_back(std::move(touch));
    }
    for (const Stmt& part : inside) enter(part, false);
    path_.pop_back();
  }

  bool touches_in(const Expr& e, Touch& touch) const {
    bool touched = false;
    visit_exprs(e, [&](const Expr& part) {
      if (const auto* load = part.as<Load>(); load != nullptr && names_.contains(load->buffer->data)) {
        touched = touch.reads = true;
        touch.plain = touch.plain && load->buffer == buffer_;
      }
      const auto* call = part.as<Call>();
      const auto* addressed =
          call != nullptr && call->op->name == "address_of" ? call->arguments[0].as<Load>() : nullptr;
      const bool given_away = (addressed != nullptr && names_.contains(addressed->buffer->data)) ||
                              (part.is<VarNode>() && part.type().is_handle() && names_.contains(Var(part)));
      if (!given_away) return;
      touched = touch.reads = touch.writes = true;
      touch.plain = false;
    });
    return touched;
  }

  Buffer buffer_;
  Path path_;
  std::unordered_set<Var> names_;
  std::vector<Touch> found_;
};

}  // namespace

std::vector<Touch> touches(const Path& scope, const Buffer& buffer) { return Search(scope, buffer).run(); }

std::vector<Buffer> loaded_buffers(const Expr& e) {
  std::vector<Buffer> found;
  visit_exprs(e, [&](const Expr& part) {
    const auto* load = part.as<Load>();
    if (load != nullptr && std::find(found.begin(), found.end(), load->buffer) == found.end())
      found.push_back(load->buffer);
  });
  return found;
}

std::optional<std::string> vector_access(const Stmt& s, const Buffer& buffer) {
  std::optional<std::string> found;
  const auto look = [&](const std::vector<Expr>& indices, const Expr& predicate, const auto& text) {
    const bool plain =
        !predicate.defined() && std::all_of(indices.begin(), indices.end(),
                                            [](const Expr& index) { return index.type().is_scalar(); });
    if (!plain) found = text();
  };
  visit_exprs(s, [&](const Expr& e) {
    if (const auto* load = e.as<Load>(); load != nullptr && load->buffer == buffer)
      look(load->indices, load->predicate, [&] { return print(e); });
  });
  visit_stmts(s, [&](const Stmt& part) {
    if (const auto* store = part.as<Store>(); store != nullptr && store->buffer == buffer)
      look(store->indices, store->predicate, [&] { return print(make_load(buffer, store->indices)); });
  });
  return found;
}

std::size_t parting(const Path& a, const Path& b) {
  std::size_t at = 0;
  while (at + 1 < a.size() && at + 1 < b.size() && a[at + 1] == b[at + 1]) ++at;
  return at;
}

bool stands_before(const Path& a, const Path& b) {
  const std::size_t at = parting(a, b);
  const auto* sequence = a[at].as<Seq>();
  if (sequence == nullptr || at + 1 >= a.size() || at + 1 >= b.size()) return false;
  const std::vector<Stmt>& all = sequence->statements;
  return std::find(all.begin(), all.end(), a[at + 1]) < std::find(all.begin(), all.end(), b[at + 1]);
}

std::optional<std::size_t> common_loop(const Path& scope, const Path& a, const Path& b) {
  for (std::size_t at = parting(a, b); at >= scope.size(); --at)
    if (a[at].is<For>()) return at;
  return std::nullopt;
}

}  // namespace ardea::schedule
