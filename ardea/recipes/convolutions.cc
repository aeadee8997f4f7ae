#include "ardea/recipes/conv_channels_first.h"
#include "ardea/recipes/conv_channels_last.h"
#include "ardea/recipes/depthwise.h"
#include "ardea/recipes/tables.h"

namespace ardea::recipes {

std::vector<Recipe> convolution_recipes() {
  return {{.name = "conv_channels_first",
           .doc = "pixels as lanes, output channels as rows of a register tile, weights read in place",
           .serves = serves_conv_channels_first,
           .apply = schedule_conv_channels_first},
          {.name = "conv_channels_last",
           .doc = "output channels as lanes, pixels as rows of a register tile, weights in panels",
           .serves = serves_conv_channels_last,
           .apply = packing_weights<schedule_conv_channels_last, Packing::in_nest>,
           .apply_prepacked = packing_weights<schedule_conv_channels_last, Packing::ahead>},
          {.name = "depthwise",
           .doc = "columns or channels as lanes, and several neighbours summed together",
           .serves = serves_depthwise,
           .apply = schedule_depthwise}};
}

}  // namespace ardea::recipes
