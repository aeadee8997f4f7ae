#include "ardea/ir/traverse.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

Stmt with_serial_kinds(const Stmt& s, bool inside_parallel) {
  const auto* loop = s.as<For>();
  const bool stays = loop != nullptr && loop->kind == ForKind::parallel && !inside_parallel;
  const Stmt inner = map_children(s, Mapper{.stmt = [&](const Stmt& child) {
                                    return with_serial_kinds(child, inside_parallel || stays);
                                  }});
  loop = inner.as<For>();
  if (loop == nullptr || stays || loop->kind == ForKind::serial || loop->kind == ForKind::unrolled)
    return inner;
  For serial = *loop;
  serial.kind = ForKind::serial;
  serial.thread.clear();
  return serial;
}

}  // namespace

Function serial_kinds(const Function& f, const target::Target& target) {
  require(!f.attributes.contains("concurrent_threads"),
          "lower {}: its threads run concurrently, which target {} cannot; lower the block form for it",
          f.name, target.name);
  Function out = f;
  out.body = with_serial_kinds(f.body, false);
  return out;
}

}  // namespace ardea::lower
