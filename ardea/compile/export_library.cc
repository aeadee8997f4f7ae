#include "ardea/compile/export_library.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "ardea/arith/verify.h"
#include "ardea/codegen/c/codegen_c.h"
#include "ardea/codegen/llvm/codegen.h"
#include "ardea/compile/c_text.h"
#include "ardea/compile/cuda_program.h"
#include "ardea/compile/manifest.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/compile/toolchain.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/notes.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"
#include "ardea/support/staged_folder.h"
#include "ardea/support/text.h"
#include "ardea/support/whole_file.h"

namespace ardea::compile {

namespace fs = std::filesystem;

namespace {

std::string library_name(const Module& m, const ExportOptions& options) {
  if (!options.name.empty()) return options.name;
  if (!m.name.empty()) return m.name;
  require(m.functions.size() == 1,
          "{}: the program has {} functions and no name of its own; give the library one with --name",
          options.request, m.functions.size());
  return m.functions[0].name;
}

/// It becomes part of file names and of a linker option.
void check_library_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
  require(plain && name.size() <= 200 && name[0] != '.' && name[0] != '-',
          "--name {}: use letters, digits, '_', '-' and '.', a letter or digit first, 200 at most",
          in_quotes(name));
}

bool is_parallel(const std::vector<Function>& lowered) {
  bool found = false;
  for (const Function& f : lowered)
    visit_stmts(f.body, [&](const Stmt& s) {
      const auto* loop = s.as<For>();
      found = found || (loop != nullptr && loop->kind == ForKind::parallel);
    });
  return found;
}

std::string required_features(const target::Target& target) {
  std::vector<std::string> names;
  for (const std::string& feature : target.features)
    if (feature.starts_with('+') && target.has(feature.substr(1))) names.push_back(feature.substr(1));
  return join(names, " ");
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  ensure(file.good(), "{} was written and cannot be read", path.string());
  return bytes.str();
}

/// One call of export_library: what its steps share.
class Export {
 public:
  Export(const Module& m, const target::Target& target, const ExportOptions& options)
      : target_(target), options_(options), name_(library_name(m, options)) {
    check_library_name(name_);
    require(target.kind == target::Kind::cpu || on_gpu(),
            "target {}: only code for processors and GPUs can be linked, and this one is an {}", target.name,
            to_string(target.kind));
    require(!options.files.empty(), "{}: no kind of file is asked for; ask for o, so, c or h",
            options.request);
    require(!wants(LibraryFile::cuda) || (on_gpu() && options.reference && m.functions.size() == 1),
            "{}: cu is CUDA C++ that calls a program of one function, and target {} {}", options.request,
            target.name, on_gpu() ? "is asked for another" : "is no GPU");
    arith::require_valid(m, "compile");
    functions_ = c_interface(m, options.prefix, on_gpu());
    if (on_gpu()) {
      compile_kernels();
      return;
    }
    for (const CFunction& f : functions_) {
      lowered_.push_back(lower::lower(f.function, target));
      if (!options.build.note) continue;
      for (const std::string& sentence : lower::notes(lowered_.back())) options.build.note(sentence);
    }
    parallel_ = is_parallel(lowered_);
  }

  std::vector<fs::path> run() {
    if (wants(LibraryFile::object) || wants(LibraryFile::shared_library))
      compiler_ = find_c_compiler(processor().arch);
    StagedFolder staged(options_.folder, options_.request);
    try {
      write_all(staged.path());
    } catch (const Error& error) {
      // Nobody knows the folder that is not there any more when the sentence is read.
      std::string sentence = error.what();
      const std::string hidden = staged.path().string();
      if (const std::size_t at = sentence.find(hidden); at != std::string::npos)
        sentence.replace(at, hidden.size(), options_.folder.string());
      throw Error(sentence);
    }
    staged.publish(files_);
    std::vector<fs::path> paths;
    for (const std::string& file : files_) paths.push_back(options_.folder / file);
    return paths;
  }

 private:
  bool on_gpu() const { return target_.kind == target::Kind::cuda; }
  /// What runs the host's part.
  const target::Target& processor() const {
    static const target::Target here = target::host();
    return on_gpu() ? here : target_;
  }

  void compile_kernels() {
    for (const CFunction& f : functions_) {
      const CudaParts parts = cuda_parts(f.function, target_, options_.build);
      lowered_.push_back(parts.host);
      const bool needs_code =
          wants(LibraryFile::object) || wants(LibraryFile::shared_library) || wants(LibraryFile::source);
      if (needs_code)
        kernels_ += gpu_code(f, parts.kernels,
                             cubin_of(parts.source, target_.cpu, options_.build.contract).code, target_.cpu);
    }
  }

  bool wants(LibraryFile file) const {
    return std::find(options_.files.begin(), options_.files.end(), file) != options_.files.end();
  }

  void write(const fs::path& folder, const std::string& file, const std::string& text) {
    write_whole_file(folder / file, {text});
    files_.push_back(file);
  }

  void write_all(const fs::path& folder) {
    if (compiler_) build_code(folder);
    if (wants(LibraryFile::source)) write(folder, name_ + ".c", source());
    if (wants(LibraryFile::header)) write(folder, name_ + ".h", c_header(banner(), functions_));
    if (wants(LibraryFile::cuda))
      write(folder, name_ + ".cu",
            cuda_file(functions_[0].function, *options_.reference, target_, options_.build));
    write(folder, name_ + ".json", manifest(folder));
  }

  void build_code(const fs::path& folder) {
    const std::string kernels = name_ + ".kernels.o", around = name_ + ".around", object = name_ + ".o";
    if (on_gpu()) {
      write_whole_file(folder / (around + ".c"), {source()});
      compile_c(*compiler_, folder, around + ".c", object, {.note = options_.build.note});
    } else {
      write_whole_file(folder / kernels, {codegen::object_code(lowered_, target_, codegen_options())});
      write_whole_file(folder / (around + ".c"),
                       {c_declarations(functions_) + c_wrapper(name_, functions_) + c_runtime(parallel_)});
      compile_c(*compiler_, folder, around + ".c", around + ".o", {.note = options_.build.note});
      combine_objects(*compiler_, folder, {kernels, around + ".o"}, object);
    }
    if (wants(LibraryFile::object)) files_.push_back(object);
    if (!wants(LibraryFile::shared_library)) return;
    if (on_gpu())
      link_library(*compiler_, folder, {object}, name_ + ".so", {"-lpthread", "-lm", "-ldl"});
    else
      link_library(*compiler_, folder, {object}, name_ + ".so");
    files_.push_back(name_ + ".so");
  }

  std::string source() const {
    if (on_gpu()) return gpu_source();
    const std::string head = fmt::format(
        "/* {0}.c, written by Ardea {1}; {0}.h says how to call it. Needs nothing but a C library with "
        "threads:\n"
        " *   cc -std=c11 -O2 {2} -c {0}.c                                   to link with -lm -lpthread\n"
        " *   cc -std=c11 -O2 {2} -fPIC -shared {0}.c -o {0}.so -lm -lpthread\n"
        " * Add -march=native, or your processor's name, for speed. */\n",
        name_, ARDEA_VERSION, options_.build.contract ? "-ffp-contract=fast" : "-ffp-contract=off");
    return head + c_declarations(functions_) + codegen::c_source(lowered_, target_, codegen_options()) +
           "\n" + c_wrapper(name_, functions_) + c_runtime(parallel_);
  }

  /// The kernels' code as numbers, and all that launches it as C.
  std::string gpu_source() const {
    const std::string head = fmt::format(
        "/* {0}.c, written by Ardea {1} for {2} ({3}); {0}.h says how to call it. Needs nothing but a C "
        "library "
        "with\n"
        " * threads, and NVIDIA's driver when it is called:\n"
        " *   cc -std=c11 -O2 -c {0}.c                                   to link with -lm -lpthread -ldl\n"
        " *   cc -std=c11 -O2 -fPIC -shared {0}.c -o {0}.so -lm -lpthread -ldl */\n",
        name_, ARDEA_VERSION, target_.name, target_.cpu);
    return head + c_declarations(functions_) + gpu_runtime() + kernels_ +
           "#define ardea_call_registered ardea_gpu_call_registered\n" +
           codegen::c_source(lowered_, processor(), codegen_options()) +
           "\n#undef ardea_call_registered\n\n" + c_wrapper(name_, functions_) + c_runtime(false);
  }

  std::string manifest(const fs::path& folder) const {
    std::vector<WrittenFile> written;
    for (const std::string& file : files_) written.push_back({file, contents(folder / file)});
    return manifest_json(name_, functions_, target_, options_, compiler_ ? compiler_->text() : "", written)
               .dump(2) +
           "\n";
  }

  Banner banner() const {
    if (on_gpu()) return {name_, fmt::format("{} ({})", target_.name, target_.cpu), "", true};
    return {name_, fmt::format("{} ({})", target_.name, to_string(target_.arch)), required_features(target_)};
  }

  codegen::Options codegen_options() const {
    return {.contract = options_.build.contract, .optimization_level = options_.build.optimization_level};
  }

  const target::Target& target_;
  const ExportOptions& options_;
  std::string name_;
  std::vector<CFunction> functions_;
  std::vector<Function> lowered_;  ///< on a GPU the host's parts
  std::string kernels_;            ///< the GPU's, as C
  bool parallel_ = false;
  std::optional<CCompiler> compiler_;
  std::vector<std::string> files_;  ///< written so far
};

}  // namespace

std::vector<fs::path> export_library(const Module& m, const target::Target& target,
                                     const ExportOptions& options) {
  ExportOptions asked = options;
  if (asked.request.empty())
    asked.request = fmt::format("export_library to {}", in_quotes(options.folder.string()));
  require(!m.functions.empty(), "{}: the program has no functions", asked.request);
  return Export(m, target, asked).run();
}

}  // namespace ardea::compile
