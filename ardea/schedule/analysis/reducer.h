#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/stmt.h"

namespace ardea::schedule {

/// One output of a reduction: the element that the block combines into, and with what.
struct ReducedElement {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr term;
  Expr neutral;  ///< combined with anything it changes nothing
};

/// What a block combines, by operations that are commutative and associative (for floats but for rounding).
class Reducer {
 public:
  /// Recognises the body of a block:
  ///   - stores B[i] = B[i] op t, one or several, each with its own op: + * min max & | ^ and or;
  ///   - argmax and argmin as te writes them: the better value and its index, of equal values the smaller
  ///     index, both computed before either is stored.
  static std::optional<Reducer> of(const Block& block);

  const std::vector<ReducedElement>& elements() const { return elements_; }

  /// The update with other elements, terms included, in the places of the block's own.
  Stmt update(const std::vector<ReducedElement>& elements) const;

 private:
  static std::optional<Reducer> of_stores(const Stmt& body);
  static std::optional<Reducer> of_indexed_extreme(const Stmt& body);

  std::vector<ReducedElement> elements_;
  struct Operation {
    BinaryOp op;
    bool term_first;
  };
  std::vector<Operation> operations_;  ///< one an element; none for an indexed extreme
  std::size_t index_ = 0;              ///< of an indexed extreme: which element is the index
  bool greatest_ = false;
};

}  // namespace ardea::schedule
