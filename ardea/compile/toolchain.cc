#include "ardea/compile/toolchain.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "ardea/support/error.h"
#include "ardea/support/subprocess.h"
#include "ardea/support/text.h"

namespace ardea::compile {

namespace {

constexpr double time_limit_s = 300;

#if defined(__aarch64__)
constexpr const char* own_architecture = "aarch64";
#else
constexpr const char* own_architecture = "x86_64";
#endif

ProcessResult run_compiler(const CCompiler& compiler, const std::vector<std::string>& arguments,
                           const std::filesystem::path& folder = {}) {
  Command command{.program = compiler.program,
                  .arguments = compiler.arguments,
                  .folder = folder,
                  .environment = {{"LC_ALL", "C"}},  // complaints are read
                  .time_limit_s = time_limit_s};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return run_process(command);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The line that says what is wrong: what stands before it is only where the compiler was, and the compiler's
/// own last word only that its linker failed.
std::string first_complaint(const ProcessResult& result) {
  std::istringstream lines(result.error);
  std::string line, first;
  while (std::getline(lines, line)) {
    if (line.starts_with("collect2:") || line.find("linker command failed") != std::string::npos) continue;
    if (line.find("error:") != std::string::npos || line.find("undefined reference") != std::string::npos)
      return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "it " + result.description() : first;
}

/// What the system says where the files find no place, in whatever sentence a tool wraps it.
std::string lack_of_space(const std::string& complaints) {
  for (const char* reason : {"No space left on device", "File too large", "Disk quota exceeded"})
    if (complaints.find(reason) != std::string::npos) return reason;
  return "";
}

/// A fault of the compiler, not of what it was given.
bool failed_itself(const ProcessResult& result) {
  if (result.succeeded() || result.end == ProcessResult::End::timed_out) return false;
  for (const char* sign : {"internal compiler error", "PLEASE submit a bug report"})
    if (result.error.find(sign) != std::string::npos) return true;
  return false;
}

/// Error where the compiler did not succeed.
void check(const CCompiler& compiler, const std::filesystem::path& folder, const ProcessResult& result,
           const std::string& what) {
  if (result.succeeded()) return;
  if (result.end != ProcessResult::End::exited)
    fail("{}: the C compiler {} {}; check it, or choose another by ARDEA_CC", what, compiler.text(),
         result.description());
  if (const std::string reason = lack_of_space(result.error); !reason.empty())
    fail("{} cannot be written: {}; free some space or choose another folder",
         in_quotes((folder / what).string()), reason);
  fail("{}: the C compiler {} refuses: {}", what, compiler.text(), first_complaint(result));
}

void run_or_fail(const CCompiler& compiler, const std::filesystem::path& folder,
                 const std::vector<std::string>& arguments, const std::string& what) {
  check(compiler, folder, run_compiler(compiler, arguments, folder), what);
}

/// "x86_64" of "x86_64-linux-gnu"; empty where it is no compiler.
std::string architecture_of(const CCompiler& compiler) {
  const ProcessResult result = run_compiler(compiler, {"-dumpmachine"});
  if (!result.succeeded()) return "";
  const std::string triple = first_line(result.out);
  return triple.substr(0, triple.find('-'));
}

/// clang answers for every architecture, but has its libraries only for those that are installed.
bool links(const CCompiler& compiler) {
  const std::filesystem::path out =
      std::filesystem::temp_directory_path() / fmt::format("ardea-probe-{}.so", getpid());
  const ProcessResult result = run_compiler(compiler, {"-shared", "-fPIC", "-x", "c", "-include", "pthread.h",
                                                       "/dev/null", "-o", out.string(), "-lpthread", "-lm"});
  std::error_code ignored;
  std::filesystem::remove(out, ignored);
  return result.succeeded();
}

std::optional<CCompiler> from_environment(const std::string& arch) {
  const char* setting = std::getenv("ARDEA_CC");
  if (setting == nullptr || *setting == '\0') return std::nullopt;
  std::istringstream words(setting);
  CCompiler compiler;
  words >> compiler.program;
  for (std::string word; words >> word;) compiler.arguments.push_back(word);
  require(!compiler.program.empty(), "ARDEA_CC is {}; give it a C compiler such as gcc, or unset it",
          in_quotes(setting));
  const std::string makes = architecture_of(compiler);
  require(!makes.empty(),
          "ARDEA_CC is {}, which is no C compiler that runs; give it one such as gcc, or unset it",
          in_quotes(setting));
  require(makes == arch,
          "ARDEA_CC is {}, which compiles for {}, and the target is {}; unset it or give a compiler "
          "for {}",
          in_quotes(setting), makes, arch, arch);
  return compiler;
}

CCompiler search(const std::string& arch) {
  const std::string triple = arch + "-linux-gnu";
  for (const char* program : {"cc", "gcc", "clang"})
    if (const CCompiler compiler{program}; architecture_of(compiler) == arch) return compiler;
  if (const CCompiler cross{triple + "-gcc"}; architecture_of(cross) == arch) return cross;
  for (const char* linker : {"", "-fuse-ld=lld"}) {
    CCompiler cross{"clang", {"--target=" + triple}};
    if (*linker != 0) cross.arguments.emplace_back(linker);
    if (links(cross)) return cross;
  }
  std::string package = "gcc";
  if (arch != own_architecture) package = arch == "x86_64" ? "gcc-x86-64-linux-gnu" : "gcc-" + triple;
  fail(
      "there is no C compiler for {}, which libraries need; install one (Debian: {}), name one by ARDEA_CC, "
      "or ask for "
      "c and h only",
      arch, package);
}

}  // namespace

std::string CCompiler::text() const {
  std::string line = program;
  for (const std::string& argument : arguments) line += " " + argument;
  return line;
}

CCompiler find_c_compiler(target::Arch arch) {
  const std::string name = to_string(arch);
  if (const std::optional<CCompiler> chosen = from_environment(name)) return *chosen;
  // Asking compilers takes longer than compiling a small kernel.
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, CCompiler> found;
  const char* path = std::getenv("PATH");
  const std::lock_guard lock(mutex);
  const auto key = std::pair(name, std::string(path != nullptr ? path : ""));
  if (const auto known = found.find(key); known != found.end()) return known->second;
  return found[key] = search(name);
}

void compile_c(const CCompiler& compiler, const std::filesystem::path& folder, const std::string& source,
               const std::string& object, const CompileC& options) {
  for (int level = options.level;; --level) {
    std::vector<std::string> arguments = {"-std=c11", fmt::format("-O{}", level), "-fPIC",
                                          "-fvisibility=hidden"};
    arguments.insert(arguments.end(), options.flags.begin(), options.flags.end());
    arguments.insert(arguments.end(), {"-c", source, "-o", object});
    const ProcessResult result = run_compiler(compiler, arguments, folder);
    if (level == 0 || !failed_itself(result)) return check(compiler, folder, result, object);
    if (options.note)
      options.note(fmt::format("{}: the C compiler {} fails on it at -O{} ({}); it is compiled at -O{}",
                               object, compiler.text(), level, first_complaint(result), level - 1));
  }
}

void combine_objects(const CCompiler& compiler, const std::filesystem::path& folder,
                     const std::vector<std::string>& objects, const std::string& combined) {
  std::vector<std::string> arguments = {"-r", "-nostdlib", "-o", combined};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  run_or_fail(compiler, folder, arguments, combined);
}

void link_library(const CCompiler& compiler, const std::filesystem::path& folder,
                  const std::vector<std::string>& objects, const std::string& library,
                  const std::vector<std::string>& libraries) {
  std::vector<std::string> arguments = {"-shared", "-Wl,-soname," + library, "-Wl,--no-undefined", "-o",
                                        library};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  arguments.insert(arguments.end(), libraries.begin(), libraries.end());
  run_or_fail(compiler, folder, arguments, library);
}

}  // namespace ardea::compile
