#include "ardea/rules/model/threads.h"

namespace ardea::rules {

bool worth_threads(std::int64_t bytes, const target::Target& target) {
  const target::Cache* nearest = target.cache(1);
  return target.cores > 1 && nearest != nullptr && bytes > nearest->bytes;
}

}  // namespace ardea::rules
