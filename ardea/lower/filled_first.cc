#include "ardea/lower/filled_first.h"

#include <algorithm>

#include "ardea/arith/regions.h"
#include "ardea/lower/facts.h"

namespace ardea::lower {

namespace {

const arith::Touched* touched_of(const std::vector<arith::Touched>& boxes, const Buffer& buffer) {
  const auto at = std::find_if(boxes.begin(), boxes.end(), [&](const arith::Touched& touched) {
    return touched.region.buffer->data == buffer->data;
  });
  return at == boxes.end() ? nullptr : &*at;
}

}  // namespace

bool is_filled_first(const Buffer& buffer, const Stmt& body, const arith::Analyzer& facts) {
  if (const auto* declare = body.as<DeclareBuffer>()) return is_filled_first(buffer, declare->body, facts);
  if (const auto* allocate = body.as<Allocate>()) return is_filled_first(buffer, allocate->body, facts);
  if (const auto* let = body.as<LetStmt>()) return is_filled_first(buffer, let->body, inside(facts, *let));
  const auto* steps = body.as<Seq>();
  if (steps == nullptr) return false;
  bool is_filled = false;
  for (const Stmt& step : steps->statements) {
    const arith::Accesses accesses = arith::accesses_of(buffer, step, facts);
    const arith::Touched* written = touched_of(accesses.writes, buffer);
    if (is_filled && written != nullptr) return false;
    if (is_filled || (written == nullptr && touched_of(accesses.reads, buffer) == nullptr)) continue;
    if (written == nullptr || touched_of(accesses.reads, buffer) != nullptr || !written->exact) return false;
    if (arith::contains(written->region, whole_region(buffer), facts) != arith::Proof::proved) return false;
    is_filled = true;
  }
  return is_filled;
}

}  // namespace ardea::lower
