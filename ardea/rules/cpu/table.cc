#include "ardea/rules/cpu/elementwise.h"
#include "ardea/rules/cpu/packed_product.h"
#include "ardea/rules/cpu/rows.h"
#include "ardea/rules/cpu/streamed_product.h"
#include "ardea/rules/cpu/tensorized_product.h"

namespace ardea::rules {

RuleSet rules_for(const target::Target&) {
  return {
      dot_products(), streamed_product(), tensorized_product(), packed_product(), rows(), elementwise(),
  };
}

}  // namespace ardea::rules
