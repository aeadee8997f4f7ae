#include "ardea/recipes/amx_gemm.h"
#include "ardea/recipes/chain.h"
#include "ardea/recipes/gemm.h"
#include "ardea/recipes/mmla_gemm.h"
#include "ardea/recipes/skinny.h"
#include "ardea/recipes/tables.h"
#include "ardea/recipes/vnni_gemm.h"

namespace ardea::recipes {

std::vector<Recipe> product_recipes() {
  return {{.name = "dots",
           .doc = "few rows along k: dot products in vectors of partial results",
           .serves = serves_dots,
           .apply = schedule_dots},
          {.name = "skinny",
           .doc = "few rows: the rows of B as they come out of memory, added to C in the nearest cache",
           .serves = serves_skinny,
           .apply = schedule_skinny},
          {.name = "gemm",
           .doc = "packed panels, and sums in a register tile",
           .serves = serves_gemm,
           .apply = packing_weights<schedule_gemm, Packing::in_nest>,
           .apply_prepacked = packing_weights<schedule_gemm, Packing::ahead>},
          {.name = "matmul_exp_matmul",
           .doc = "two products, the function computed where the second packs its left operand",
           .serves = serves_matmul_exp_matmul,
           .apply = schedule_matmul_exp_matmul},
          {.name = "amx_gemm",
           .doc = "packed tiles of bytes or bfloat16, and sums in tile registers",
           .serves = serves_amx_gemm,
           .apply = packing_weights<schedule_amx_gemm, Packing::in_nest>,
           .apply_prepacked = packing_weights<schedule_amx_gemm, Packing::ahead>},
          {.name = "vnni_gemm",
           .doc = "packed groups of four bytes, and sums in a register tile",
           .serves = serves_vnni_gemm,
           .apply = packing_weights<schedule_vnni_gemm, Packing::in_nest>,
           .apply_prepacked = packing_weights<schedule_vnni_gemm, Packing::ahead>},
          {.name = "mmla_gemm",
           .doc = "packed pairs of rows, and sums of pairs in a register tile",
           .serves = serves_mmla_gemm,
           .apply = packing_weights<schedule_mmla_gemm, Packing::in_nest>,
           .apply_prepacked = packing_weights<schedule_mmla_gemm, Packing::ahead>}};
}

}  // namespace ardea::recipes
