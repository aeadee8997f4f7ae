#include "ardea/schedule/outcome.h"

namespace ardea::schedule {

std::string Refusal::message(const std::string& call) const {
  std::string text = call + ": " + fact;
  if (way_out) {
    if (const std::string way = way_out(); !way.empty()) text += "; " + way;
  }
  if (!part.empty()) text += "\n" + part;
  return text;
}

}  // namespace ardea::schedule
