#include "ardea/schedule/compute_at.h"
#include "ardea/schedule/compute_root.h"
#include "ardea/schedule/find.h"
#include "ardea/schedule/fuse.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/primitive.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/reverse_compute_at.h"
#include "ardea/schedule/split.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

const std::vector<Primitive>& primitives() {
  static const std::vector<Primitive> table = {
      row<GetBlock>(),     row<GetLoops>(),         row<GetChildBlocks>(),
      row<GetProducers>(), row<GetConsumers>(),     row<Split>(),
      row<Fuse>(),         row<Reorder>(),          row<Parallel>(),
      row<Vectorize>(),    row<Unroll>(),           row<AnnotateLoop>(),
      row<ComputeAt>(),    row<ReverseComputeAt>(), row<ComputeRoot>(),
  };
  return table;
}

const Primitive& find_primitive(const std::string& name) {
  std::vector<std::string> names;
  for (const Primitive& primitive : primitives()) {
    if (primitive.name == name) return primitive;
    names.push_back(primitive.name);
  }
  fail("there is no primitive {}{}; `ardea primitives` lists them", in_quotes(name),
       did_you_mean(name, names));
}

}  // namespace ardea::schedule
