#include "ardea/schedule/primitives/find/as_template.h"

#include "ardea/schedule/context.h"

namespace ardea::schedule {

Outcome apply(const Function& f, const AsTemplate&, Context& context) {
  context.keep_template_structure();
  return Applied{f};
}

}  // namespace ardea::schedule
