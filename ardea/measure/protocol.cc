#include "ardea/measure/trials.h"

namespace ardea::measure {

std::string protocol() { return "median-1"; }

}  // namespace ardea::measure
