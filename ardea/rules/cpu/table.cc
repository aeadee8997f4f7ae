#include "ardea/rules/cpu/table.h"

#include "ardea/rules/cpu/always_inline.h"
#include "ardea/rules/cpu/channel_lanes.h"
#include "ardea/rules/cpu/column_sums.h"
#include "ardea/rules/cpu/conv_apart.h"
#include "ardea/rules/cpu/conv_channels_first.h"
#include "ardea/rules/cpu/conv_channels_last.h"
#include "ardea/rules/cpu/elementwise.h"
#include "ardea/rules/cpu/epilogue.h"
#include "ardea/rules/cpu/packed_product.h"
#include "ardea/rules/cpu/row_panels.h"
#include "ardea/rules/cpu/rows.h"
#include "ardea/rules/cpu/streamed_product.h"
#include "ardea/rules/cpu/tensorized_product.h"
#include "ardea/rules/cpu/transposition.h"

namespace ardea::rules {

// What is special before what is general: a rule that finishes a stage leaves nothing to those after it.
RuleSet cpu_rules() {
  return {
      fused_epilogue(),  // before the rules that would take what it leaves to the sum
      dot_products(),   streamed_product(),    row_panels(),         tensorized_product(), packed_product(),
      conv_apart(),     conv_channels_first(), conv_channels_last(), channel_lanes(),      rows(),
      always_inline(),  // after rows, which place what is made of a row's sums themselves
      column_sums(),    transposition(),       elementwise(),
  };
}

}  // namespace ardea::rules
