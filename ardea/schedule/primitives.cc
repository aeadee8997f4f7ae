#include "ardea/schedule/find.h"
#include "ardea/schedule/fuse.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/primitive.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/split.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

const std::vector<Primitive>& primitives() {
  static const std::vector<Primitive> table = {
      row<GetBlock>("the block of that name"),
      row<GetLoops>("the loops around a block, outermost first"),
      row<GetChildBlocks>("the blocks directly inside a block"),
      row<GetProducers>("the blocks beside it that write what it reads"),
      row<GetConsumers>("the blocks beside it that read what it writes"),
      row<Split>("a loop becomes several, one inside the other, whose extents are the factors"),
      row<Fuse>("loops one inside the other become one"),
      row<Reorder>("loops of a chain change places"),
      row<Parallel>("a loop's iterations run on several threads"),
      row<Vectorize>("a loop's iterations become lanes of vectors"),
      row<Unroll>("a loop's body is written out for each iteration"),
      row<AnnotateLoop>("a loop gets an annotation"),
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
