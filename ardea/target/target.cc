#include "ardea/target/target.h"

#include <algorithm>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::target {

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::cpu: return "cpu";
    case Kind::cuda: return "cuda";
    case Kind::accelerator: return "accelerator";
  }
  throw InternalError("to_string(Kind): not a kind");
}

std::string to_string(Arch arch) {
  switch (arch) {
    case Arch::x86_64: return "x86_64";
    case Arch::aarch64: return "aarch64";
    case Arch::nvptx64: return "nvptx64";
    case Arch::vta: return "vta";
  }
  throw InternalError("to_string(Arch): not an architecture");
}

bool Target::has(std::string_view feature) const {
  return std::any_of(features.begin(), features.end(), [&](const std::string& listed) {
    return listed[0] == '+' && std::string_view(listed).substr(1) == feature;
  });
}

const Scratchpad* Accelerator::scratchpad(std::string_view scope) const {
  const auto found = std::find_if(scratchpads.begin(), scratchpads.end(),
                                  [&](const Scratchpad& one) { return one.scope == scope; });
  return found == scratchpads.end() ? nullptr : &*found;
}

std::string Target::llvm_features() const { return join(features, ","); }

const Cache* Target::cache(int level) const {
  const auto found =
      std::find_if(caches.begin(), caches.end(), [&](const Cache& cache) { return cache.level == level; });
  return found == caches.end() ? nullptr : &*found;
}

}  // namespace ardea::target
