#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/storage_alignment.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/aligned_strides.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/lower/filled_first.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

Stmt with_aligned_strides(const Stmt& s) {
  const Stmt out = map_children(s, Mapper{.stmt = with_aligned_strides});
  const auto* allocate = out.as<Allocate>();
  if (allocate == nullptr) return out;
  const std::vector<StorageAlignment> alignments = storage_alignments(allocate->annotations);
  if (alignments.empty()) return out;
  Allocate padded = *allocate;
  padded.annotations.erase(storage_alignment_key);
  // Slots of registers have no strides, and other views count on the ones that are.
  const Buffer buffer = allocate->scope == "register" ? Buffer() : whole_view(*allocate, Addresses::of_units);
  if (!buffer.defined()) return padded;
  BufferNode node = *buffer;
  node.strides = limits::aligned_strides(buffer->shape, alignments);
  const std::vector<Expr> dense = limits::aligned_strides(buffer->shape, {});
  const bool has_gaps = !std::equal(dense.begin(), dense.end(), node.strides.begin(),
                                    [](const Expr& a, const Expr& b) { return structurally_equal(a, b); });
  if (!has_gaps) return padded;
  const Buffer apart(std::move(node));
  // An instruction may want the rows where they are.
  const std::optional<Stmt> body =
      limits::with_strides(allocate->body.as<DeclareBuffer>()->body, buffer, apart, arith::Analyzer());
  if (!body) return padded;
  // Nothing fills what now lies between rows. Lanes that nobody needs would be computed from it: harmless,
  // but on numbers below the normal ones a processor may take a hundred times as long.
  padded.annotations.erase(std::string(filled_first_key));
  const Redirection same_indices = {
      .access = [&](const Buffer& b, const std::vector<Expr>& indices) -> std::optional<Place> {
        if (b != buffer) return std::nullopt;
        return Place{apart, indices};
      }};
  padded.extents = {flat_size(apart)};
  padded.body = DeclareBuffer{apart, redirect(*body, same_indices)};
  return padded;
}

}  // namespace

Function align_strides(const Function& f, const target::Target&) {
  Function out = f;
  out.body = with_aligned_strides(f.body);
  return out;
}

}  // namespace ardea::lower
