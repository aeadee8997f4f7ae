#pragma once

#include "ardea/rules/cpu/padded_product.h"
#include "ardea/rules/rule.h"

namespace ardea::rules {

/// Products of matrices on tensor instructions, an instruction a way.
Rule tensorized_product();

/// One kind of instruction that multiplies matrices.
struct ProductUnit {
  /// The instruction for a product of these types; empty where the target has none.
  std::string (*instruction)(const MatrixProduct& product, const target::Target& target);
  /// How long it takes for all of the product, padded.
  double (*cycles)(const MatrixProduct& product, const std::string& instruction,
                   const target::Target& target);
  void (*apply)(Derivation& d, const ConvertedProduct& product, const std::string& instruction);
};

/// Bytes and bfloat16 in tile registers.
ProductUnit amx_unit();
/// Unsigned with signed bytes, four at a time.
ProductUnit vnni_unit();
/// Pairs of rows.
ProductUnit mmla_unit();

}  // namespace ardea::rules
