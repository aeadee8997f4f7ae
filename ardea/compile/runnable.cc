#include "ardea/compile/runnable.h"

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::compile {

void require_runnable(const target::Target& target, const target::Target& machine) {
  if (target.kind != target::Kind::cpu) return;  // whether there is a backend for it is another question
  require(
      target.arch == machine.arch,
      "target {}: its code is for {} and this machine is {}; look at its assembly, or compile for \"host\"",
      target.name, to_string(target.arch), to_string(machine.arch));
  std::vector<std::string> missing;
  for (const std::string& feature : target.features) {
    const std::string name = feature.substr(1);
    if (target.has(name) && !machine.has(name)) missing.push_back(name);
  }
  require(missing.empty(), "target {}: this machine lacks {}; compile for \"host\"", target.name,
          join(missing, ", "));
}

void require_runnable(const target::Target& target) {
  static const target::Target machine = target::host();  // features do not change while the process runs
  require_runnable(target, machine);
}

}  // namespace ardea::compile
