#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

const std::string prefetch_key = "pragma_prefetch";

/// Element e + distance of this memory is asked for where element e of the first of the wishes is touched.
struct Wish {
  Buffer buffer;
  std::int64_t distance = 0;
  bool to_write = false;  ///< the loop stores there; a hint to read leaves the line to other threads too
};

/// The first of the elements that an index names, where they lie side by side.
std::optional<Expr> first_element(const Expr& index) {
  if (index.type().is_scalar()) return index;
  const auto* row = index.as<Ramp>();
  return row != nullptr && constant_int(row->stride) == 1 ? std::optional(row->base) : std::nullopt;
}

bool stores_to(const Var& data, const Stmt& body) {
  bool found = false;
  visit_stmts(body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    found = found || (store != nullptr && store->buffer->data == data);
  });
  return found;
}

class Prefetching {
 public:
  explicit Prefetching(const Function& f) : f_(f), buffers_(buffers_in(f.body)) {}

  Stmt visit(const Stmt& s, const std::vector<Wish>& wishes) const {
    const auto* loop = s.as<For>();
    if (loop != nullptr && loop->annotations.contains(prefetch_key)) {
      For out = *loop;
      out.annotations.erase(prefetch_key);
      out.body = visit(loop->body, wishes_of(*loop));
      return out;
    }
    const Stmt inner = map_children(s, Mapper{.stmt = [&](const Stmt& part) { return visit(part, wishes); }});
    if (wishes.empty() || !(s.is<Store>() || s.is<LetStmt>())) return inner;
    std::vector<Stmt> statements = hints(s, wishes);
    statements.push_back(inner);
    return make_seq(std::move(statements));
  }

 private:
  std::vector<Wish> wishes_of(const For& loop) const {
    const auto* list = std::get_if<std::vector<Attribute>>(&loop.annotations.at(prefetch_key).value);
    std::vector<Wish> wishes;
    for (std::size_t i = 0; list != nullptr && i + 1 < list->size(); i += 2) {
      const auto* name = std::get_if<Expr>(&(*list)[i].value);
      const auto* distance = std::get_if<Expr>(&(*list)[i + 1].value);
      const auto* text = name == nullptr ? nullptr : name->as<StringImm>();
      const auto elements = distance == nullptr ? std::nullopt : constant_int(*distance);
      if (text == nullptr || !elements) return refuse();
      const Buffer memory = memory_of(text->value);
      wishes.push_back({memory, *elements, stores_to(memory->data, loop.body)});
    }
    return wishes.empty() || list->size() % 2 != 0 ? refuse() : wishes;
  }

  [[noreturn]] std::vector<Wish> refuse() const {
    fail(
        "{}: the pragma prefetch takes a list of names of buffers, each with a number of elements after it, "
        "such as [\"x\", 1024]",
        f_.name);
  }

  /// The flat view of the parameter, or of the memory that the program allocates, of that name.
  Buffer memory_of(const std::string& name) const {
    const auto flat = [&](const auto& accepts) {
      return std::find_if(buffers_.begin(), buffers_.end(),
                          [&](const Buffer& b) { return b->shape.size() == 1 && accepts(b); });
    };
    for (const Parameter& parameter : f_.parameters) {
      if (!parameter.buffer.defined() || parameter.buffer->name != name) continue;
      const auto view = flat([&](const Buffer& b) { return b->data == parameter.buffer->data; });
      if (view != buffers_.end()) return *view;
    }
    const auto own = flat([&](const Buffer& b) { return b->name == name || b->data.name() == name; });
    if (own != buffers_.end()) return *own;
    fail("{}: the pragma prefetch names {}, which is no memory that the program uses", f_.name, name);
  }

  std::vector<Stmt> hints(const Stmt& s, const std::vector<Wish>& wishes) const {
    std::vector<Expr> places;
    const auto note = [&](const Buffer& buffer, const Expr& index) {
      if (!(buffer->data == wishes[0].buffer->data)) return;
      const auto element = first_element(index);
      if (element && std::none_of(places.begin(), places.end(),
                                  [&](const Expr& known) { return structurally_equal(known, *element); }))
        places.push_back(*element);
    };
    for_each_child(
        s,
        [&](const Expr& part) {
          visit_exprs(part, [&](const Expr& e) {
            if (const auto* load = e.as<Load>()) note(load->buffer, load->indices.at(0));
          });
        },
        [](const Stmt&) {});
    if (const auto* store = s.as<Store>()) note(store->buffer, store->indices.at(0));
    std::vector<Stmt> calls;
    for (const Expr& place : places)
      for (const Wish& wish : wishes) calls.push_back(hint(wish, place));
    return calls;
  }

  Stmt hint(const Wish& wish, const Expr& place) const {
    const Expr index = make_cast(int64, place) + make_int(wish.distance);
    return Evaluate{make_call("prefetch", {make_call("address_of", {make_load(wish.buffer, {index})}),
                                           make_int(wish.to_write ? 1 : 0, int32)})};
  }

  const Function& f_;
  const std::vector<Buffer> buffers_;
};

}  // namespace

Function insert_prefetches(const Function& f, const target::Target&) {
  Function out = f;
  out.body = Prefetching(f).visit(f.body, {});
  return out;
}

}  // namespace ardea::lower
