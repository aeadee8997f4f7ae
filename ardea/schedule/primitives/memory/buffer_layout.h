#pragma once

#include "ardea/arith/analyzer.h"
#include "ardea/schedule/context.h"
#include "ardea/schedule/program/index_text.h"

/// Another order of a buffer's elements in memory, and what it asks of the code that touches them.

namespace ardea::schedule {

/// Where the elements of `from` go.
struct BufferLayout {
  Buffer from;
  IndexMap map;             ///< over the dimensions of `from`
  std::vector<Expr> shape;  ///< the box around all places
  /// The other way: the element of `from` at the place `places`, one variable a new dimension. Empty where
  /// that is not found.
  std::vector<Var> places = {};
  std::vector<Expr> element = {};
  Expr is_element = {};  ///< whether a place holds one at all, else it is padding; empty where all do

  bool is_invertible() const { return !places.empty(); }
  bool is_padded() const { return !is_invertible() || is_element.defined(); }

  /// The place of an element.
  std::vector<Expr> place_of(const std::vector<Expr>& indices, const arith::Analyzer& facts) const;
};

/// Refused where the map is none of the buffer's indices (bad_index_map, rank_differs), two elements may go
/// to one place (not_injective), or a place may be negative (negative_place).
Result<BufferLayout> buffer_layout(const Buffer& buffer, const IndexText& index_map, const IndexNames& names,
                                   const arith::Analyzer& facts, Context& context);

/// s with every load and store of layout.from at its place in `to`. Blocks that declare a region of one
/// declare the region of the other that their bodies touch. `facts` hold outside s.
Stmt in_layout(const Stmt& s, const BufferLayout& layout, const Buffer& to, const arith::Analyzer& facts);

}  // namespace ardea::schedule
