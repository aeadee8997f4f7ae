#include "ardea/compile/compile_by_c.h"

#include "ardea/compile/export_library.h"
#include "ardea/compile/runnable.h"
#include "ardea/compile/toolchain.h"
#include "ardea/runtime/load_module.h"
#include "ardea/support/temporary_folder.h"

namespace ardea::compile {

std::vector<std::string> machine_flags(const target::Target& target) {
  std::vector<std::string> flags;
  if (target.arch == target::Arch::x86_64) {
    for (const char* feature :
         {"sse4.2", "popcnt", "avx", "avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "avx512f", "avx512bw",
          "avx512dq", "avx512vl", "avx512vnni", "amx-tile", "amx-int8", "amx-bf16"})
      if (target.has(feature)) flags.push_back(std::string("-m") + feature);
    return flags;
  }
  std::string march = target.has("dotprod") || target.has("fullfp16") ? "-march=armv8.2-a" : "-march=armv8-a";
  if (target.has("fullfp16")) march += "+fp16";
  for (const char* feature : {"dotprod", "bf16", "i8mm"})
    if (target.has(feature)) march += std::string("+") + feature;
  return {march};
}

runtime::Module compile_by_c(const Module& m, const target::Target& target, const Options& options) {
  require_runnable(target);
  const TemporaryFolder folder;
  export_library(m, target,
                 {.name = "program",
                  .folder = folder.path() / "source",
                  .files = {LibraryFile::source},
                  .build = options});
  std::vector<std::string> flags = machine_flags(target);
  flags.insert(flags.end(),
               {"-fno-math-errno", options.contract ? "-ffp-contract=fast" : "-ffp-contract=off"});
  const CCompiler compiler = find_c_compiler(target.arch);
  compile_c(compiler, folder.path() / "source", "program.c", "program.o",
            {.flags = flags, .level = options.optimization_level, .note = options.note});
  link_library(compiler, folder.path() / "source", {"program.o"}, "program.so");
  return runtime::load_module(folder.path() / "source" / "program.so");
}

runtime::Function compile_by_c(const Function& f, const target::Target& target, const Options& options) {
  return compile_by_c(Module{{}, {f}}, target, options).get_function(f.name);
}

}  // namespace ardea::compile
