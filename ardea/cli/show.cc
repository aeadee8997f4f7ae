#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "ardea/arith/load.h"
#include "ardea/build/build.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/describe.h"
#include "ardea/cli/output.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/target/target.h"

namespace ardea::cli {

namespace {

std::string pass_list(const target::Target& target) {
  std::string text;
  for (const lower::Pass& pass : lower::pipeline(target))
    text += fmt::format("{:<26} {}\n", pass.name, pass.invariant);
  return text;
}

std::string shown(const ShowOptions& options, const Module& module, const target::Target& target) {
  const auto after = [&](auto&& lowered) {
    Module out = module;
    for (Function& f : out.functions) f = lowered(f);
    return print(out);
  };
  if (!options.pass.empty())
    return after([&](const Function& f) { return lower::lower_until(f, target, options.pass); });
  if (options.as == "tir") return print(module);
  if (options.as == "lowered") return after([&](const Function& f) { return lower::lower(f, target); });
  if (options.as == "llvm") return build::llvm_ir(module, target);
  if (options.as == "asm") return build::assembly(module, target);
  const std::vector<std::string> forms = {"tir", "lowered", "llvm", "asm"};
  fail("--as {}: there is no such form, use one of {}{}", options.as, join(forms, ", "),
       did_you_mean(options.as, forms));
}

}  // namespace

int show(const ShowOptions& options) {
  const target::Target target = target::find(options.target);
  if (options.list_passes) {
    write_out(pass_list(target));
    return exit_ok;
  }
  require(!options.file.empty(), "show needs the path of a program, as in: ardea show examples/gemm.tir");
  require(options.pass.empty() || options.as == "tir",
          "--pass {} shows the program as tir: leave --as {} out", options.pass, options.as);
  const Module module = arith::load_file(options.file);
  const std::string text = shown(options, module, target);
  if (!options.json) {
    write_out(text.ends_with('\n') ? text : text + "\n");
    return exit_ok;
  }
  nlohmann::json functions = nlohmann::json::array();
  for (const Function& f : module.functions)
    functions.push_back({{"name", f.name},
                         {"hash", fmt::format("{:016x}", structural_hash(f))},
                         {"parameters", parameters_json(f)}});
  const nlohmann::json answer = {{"file", options.file},   {"as", options.pass.empty() ? options.as : "tir"},
                                 {"pass", options.pass},   {"target", target.name},
                                 {"functions", functions}, {"text", text}};
  write_out(answer.dump(2) + "\n");
  return exit_ok;
}

}  // namespace ardea::cli
