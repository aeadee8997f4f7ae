#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "ardea/cli/commands.h"
#include "ardea/cli/output.h"
#include "ardea/cli/program.h"
#include "ardea/cli/records.h"
#include "ardea/compile/export_library.h"
#include "ardea/measure/error_bounds.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::cli {

namespace fs = std::filesystem;

namespace {

/// "o,so,c,h,cu"
std::vector<compile::LibraryFile> chosen_files(const std::string& list) {
  using compile::LibraryFile;
  const std::vector<std::pair<std::string, LibraryFile>> kinds = {{"o", LibraryFile::object},
                                                                  {"so", LibraryFile::shared_library},
                                                                  {"c", LibraryFile::source},
                                                                  {"h", LibraryFile::header},
                                                                  {"cu", LibraryFile::cuda}};
  std::vector<LibraryFile> files;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string word = list.substr(begin, end - begin);
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == word; });
    require(kind != kinds.end(),
            "--only {}: {} is no kind of file; list some of o, so, c, h, cu with commas between", list,
            in_quotes(word));
    files.push_back(kind->second);
    begin = end + 1;
  }
  return files;
}

/// What NAME.cu compares with.
compile::HostReference reference_of(const Function& written) {
  measure::BoundedProgram bounded = measure::with_error_bounds(written);
  compile::HostReference reference{.program = std::move(bounded.function), .places = {}};
  reference.program.name += "_reference";
  for (const measure::BoundedParameter& p : bounded.parameters)
    reference.places.push_back({p.value, p.bound});
  return reference;
}

}  // namespace

int compile(const CompileOptions& options) {
  require(!options.folder.empty(),
          "compile needs a folder to write to, as in: ardea compile examples/gemm.tir -o out");
  const target::Target target = target::find(options.target);
  // An operator's function is called as the operator; C reserves the name main.
  const Program program = load_program(options.program, target, options.program.program);
  const Module& module = program.module;
  compile::ExportOptions asked{.name = options.name,
                               .folder = options.folder,
                               .prefix = options.prefix,
                               .build = {.note = write_note},
                               .request = "-o " + options.folder};
  if (!options.only.empty()) asked.files = chosen_files(options.only);
  const bool wants_check = std::count(asked.files.begin(), asked.files.end(), compile::LibraryFile::cuda) > 0;
  if (wants_check && module.functions.size() == 1)
    asked.reference = reference_of(program.meaning_of(module.functions[0]));
  // Several functions without a common name are called after their file.
  if (asked.name.empty() && module.name.empty() && module.functions.size() > 1)
    asked.name = fs::path(program.title).stem().string();
  const std::vector<fs::path> written = compile::export_library(module, target, asked);
  std::string text;
  nlohmann::json files = nlohmann::json::array();
  for (const fs::path& path : written) {
    text += path.string() + "\n";
    files.push_back(path.string());
  }
  nlohmann::json answer = {{"program", program.title},
                           {"target", target.name},
                           {"manifest", written.back().string()},
                           {"files", files}};
  if (program.record) answer["record"] = record_json(*program.record);
  write_out(options.json ? answer.dump(2) + "\n" : text);
  return exit_ok;
}

}  // namespace ardea::cli
