#include "ardea/rules/cpu/conv_apart.h"
#include "ardea/rules/cpu/conv_channels_first.h"
#include "ardea/rules/cpu/conv_channels_last.h"
#include "ardea/rules/cpu/elementwise.h"
#include "ardea/rules/cpu/epilogue.h"
#include "ardea/rules/cpu/packed_product.h"
#include "ardea/rules/cpu/rows.h"
#include "ardea/rules/cpu/streamed_product.h"
#include "ardea/rules/cpu/tensorized_product.h"

namespace ardea::rules {

RuleSet rules_for(const target::Target&) {
  return {
      fused_epilogue(),  // before the rules that would take what it leaves to the sum
      dot_products(),   streamed_product(),    tensorized_product(), packed_product(),
      conv_apart(),     conv_channels_first(), conv_channels_last(), rows(),
      elementwise(),
  };
}

}  // namespace ardea::rules
