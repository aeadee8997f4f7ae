#include "ardea/schedule/primitive.h"
#include "ardea/schedule/table.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

const std::vector<Primitive>& primitives() {
#define ARDEA_ROW(method, Step) row<Step>(),
  static const std::vector<Primitive> table = {ARDEA_PRIMITIVES(ARDEA_ROW)};
#undef ARDEA_ROW
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
