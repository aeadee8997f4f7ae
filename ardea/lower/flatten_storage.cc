#include "ardea/arith/analyzer.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

class Flattening {
 public:
  explicit Flattening(const Function& f) : f_(f) {}

  Stmt run() {
    std::vector<Buffer> parameters;
    for (const Parameter& p : f_.parameters)
      if (p.buffer.defined() && flat(p.buffer) != p.buffer) parameters.push_back(p.buffer);
    const auto place = [&](const Buffer& b, const std::vector<Expr>& indices) {
      return Place{flat(b), {flat_index(b, indices)}};
    };
    Stmt body = redirect(flat_declarations(f_.body), {.access = place});
    for (std::size_t i = parameters.size(); i-- > 0;) body = DeclareBuffer{flat(parameters[i]), body};
    return body;
  }

 private:
  /// One flat buffer for each; what is flat already stays itself.
  Buffer flat(const Buffer& b) {
    if (is_compact(b) && b->shape.size() == 1) return b;
    const auto [at, added] = flat_.try_emplace(b);
    if (added) at->second = flat_view(b);
    return at->second;
  }

  Stmt flat_declarations(const Stmt& s) {
    return rewrite(s, Rewriter{.stmt_after = [&](const Stmt& x) -> Stmt {
                     if (const auto* declare = x.as<DeclareBuffer>())
                       return DeclareBuffer{flat(declare->buffer), declare->body};
                     const auto* allocate = x.as<Allocate>();
                     if (allocate == nullptr || allocate->extents.size() == 1) return x;
                     Allocate out = *allocate;
                     Expr size = make_int(1);
                     for (const Expr& extent : allocate->extents) size = multiply_index(size, extent);
                     out.extents = {size};
                     return out;
                   }});
  }

  const Function& f_;
  std::unordered_map<Buffer, Buffer> flat_;
};

}  // namespace

Function flatten_storage(const Function& f, const target::Target&) {
  Function out = f;
  out.body = arith::simplify(Flattening(f).run(), arith::facts_of(f), /*drop_unit_loops=*/true);
  return out;
}

}  // namespace ardea::lower
