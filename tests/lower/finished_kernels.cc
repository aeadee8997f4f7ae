#include "tests/lower/finished_kernels.h"

#include <unordered_map>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

/// The launch's body with all memory of a block in one array of bytes, as the kernel has it.
Stmt in_bytes(const Kernel& kernel) {
  const Var bytes("bytes", handle_type);
  std::unordered_map<Var, std::int64_t> first_byte;
  for (const SharedBuffer& memory : kernel.shared) first_byte[memory.allocation.data] = memory.first_byte;
  std::unordered_map<Buffer, Buffer> views;
  const auto view = [&](const Buffer& b) -> Buffer {
    const auto at = first_byte.find(b->data);
    if (at == first_byte.end()) return b;
    const auto [known, is_new] = views.try_emplace(b);
    if (is_new) {
      BufferNode node = *b;
      node.data = bytes;
      node.element_offset = make_int(at->second / b->type.bytes());
      known->second = Buffer(std::move(node));
    }
    return known->second;
  };
  const Stmt moved =
      redirect(kernel.launch.body,
               {.access = [&](const Buffer& b, const std::vector<Expr>& indices) -> std::optional<Place> {
                 return Place{view(b), indices};
               }});
  const Stmt body =
      rewrite(moved, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
                const auto* declare = s.as<DeclareBuffer>();
                return declare == nullptr ? s : DeclareBuffer{view(declare->buffer), declare->body};
              }});
  return Allocate{bytes, uint8, {make_int(kernel.shared_bytes)}, "shared", body};
}

}  // namespace

Function joined(const SplitProgram& program) {
  Function out = program.host;
  out.attributes["concurrent_threads"] = Attribute{make_bool(true)};
  out.body = rewrite(out.body, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
                       const auto* evaluate = s.as<Evaluate>();
                       const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
                       if (call == nullptr || call->op->name != "call_registered") return s;
                       for (const Kernel& kernel : program.kernels) {
                         if (kernel.name != call->arguments[0].as<StringImm>()->value) continue;
                         Launch launch = kernel.launch;
                         if (!kernel.shared.empty()) launch.body = in_bytes(kernel);
                         return statement_of(launch);
                       }
                       fail("there is no kernel for {}", print(s));
                     }});
  return out;
}

Function finished(Function f, const std::string& last_pass, const target::Target& target) {
  bool is_behind = false;
  for (const Pass& pass : pipeline(target)) {
    if (is_behind) f = pass.run(f, target);
    is_behind = is_behind || pass.name == last_pass;
  }
  return joined(split_kernels(f, target));
}

}  // namespace ardea::lower
