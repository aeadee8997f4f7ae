#include "ardea/compile/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "ardea/support/error.h"
#include "ardea/support/timings.h"

namespace ardea::compile {

namespace {

using Program = void*;

struct Nvrtc {
  int (*create)(Program*, const char* source, const char* name, int headers, const char* const* texts,
                const char* const* names) = nullptr;
  int (*compile)(Program, int count, const char* const* options) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  std::string headers;  ///< the folder of cuda_fp16.h; empty where none was found
  std::string fault;    ///< why there is none
};

/// Where CUDA may be installed, the user's own words first.
std::vector<std::string> roots() {
  std::vector<std::string> all;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0') all.emplace_back(home);
  all.emplace_back("/usr/local/cuda");
  // Versions side by side, without the link that usually names one of them.
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/local", none))
    if (entry.path().filename().string().starts_with("cuda-")) all.push_back(entry.path());
  all.emplace_back("/usr");
  return all;
}

Nvrtc load() {
  Nvrtc nvrtc;
  void* library = nullptr;
  for (const std::string& root : roots()) {
    for (const char* folder : {"/lib64/", "/lib/"}) {
      if (library == nullptr)
        library = dlopen((root + folder + "libnvrtc.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (nvrtc.headers.empty() && std::filesystem::exists(root + "/include/cuda_fp16.h"))
      nvrtc.headers = root + "/include";
  }
  for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"})
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    nvrtc.fault = "libnvrtc.so is neither in CUDA_HOME, nor where the linker looks, nor in /usr/local/cuda";
    return nvrtc;
  }
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr) nvrtc.fault = fmt::format("libnvrtc.so has no {}: it is too old", symbol);
  };
  find(nvrtc.create, "nvrtcCreateProgram");
  find(nvrtc.compile, "nvrtcCompileProgram");
  find(nvrtc.log_size, "nvrtcGetProgramLogSize");
  find(nvrtc.log, "nvrtcGetProgramLog");
  find(nvrtc.cubin_size, "nvrtcGetCUBINSize");
  find(nvrtc.cubin, "nvrtcGetCUBIN");
  find(nvrtc.destroy, "nvrtcDestroyProgram");
  return nvrtc;
}

const Nvrtc& loaded() {
  static const Nvrtc nvrtc = load();
  return nvrtc;
}

/// Of the numbers that stand right before the words in what the assembler says, the largest; 0 of none.
std::int64_t most_before(const std::string& log, const std::string& words) {
  std::int64_t most = 0;
  for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && log[begin - 1] >= '0' && log[begin - 1] <= '9') --begin;
    most = std::max<std::int64_t>(most, std::strtoll(log.c_str() + begin, nullptr, 10));
  }
  return most;
}

/// The text whose kernels say that one block at a time on a multiprocessor is enough.
std::string with_one_block(std::string source) {
  const std::string bounds = "__launch_bounds__(";
  for (std::size_t at = source.find(bounds); at != std::string::npos; at = source.find(bounds, at + 1)) {
    const std::size_t end = source.find_first_of(",)", at + bounds.size());
    if (end != std::string::npos && source[end] == ')') source.insert(end, ", 1");
  }
  return source;
}

Cubin compiled(const Nvrtc& nvrtc, const std::string& source, const std::string& architecture,
               bool contract) {
  Program program = nullptr;
  ensure(nvrtc.create(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr) == 0,
         "NVRTC makes no program");
  struct Destroyed {
    const Nvrtc& nvrtc;
    Program* program;
    ~Destroyed() { nvrtc.destroy(program); }
  } const destroyed{nvrtc, &program};
  const std::string machine = "--gpu-architecture=" + architecture, include = "-I" + nvrtc.headers;
  std::vector<const char*> options = {machine.c_str(), "-std=c++17", "--ptxas-options=-v"};
  if (!contract) options.push_back("-fmad=false");
  if (!nvrtc.headers.empty()) options.push_back(include.c_str());
  const int result = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  std::size_t size = 0;
  nvrtc.log_size(program, &size);
  std::string log(size, '\0');
  nvrtc.log(program, log.data());
  if (result != 0) fail("CUDA: NVRTC refuses the kernels for {}: {}", architecture, log.c_str());
  ensure(nvrtc.cubin_size(program, &size) == 0 && size > 0, "NVRTC made no code for {}", architecture);
  Cubin made{
      .code = std::string(size, '\0'),
      .registers = most_before(log, " registers"),
      .spilled_bytes = most_before(log, " bytes spill stores") + most_before(log, " bytes spill loads")};
  nvrtc.cubin(program, made.code.data());
  return made;
}

}  // namespace

std::string why_no_nvrtc() { return loaded().fault; }

Cubin cubin_of(const std::string& source, const std::string& architecture, bool contract) {
  const Nvrtc& nvrtc = loaded();
  require(nvrtc.fault.empty(),
          "CUDA: kernels cannot be compiled: {}; install NVIDIA's CUDA toolkit 12 or later, or set CUDA_HOME",
          nvrtc.fault);
  const TimedSection timed("cuda", "nvrtc");
  Cubin made = compiled(nvrtc, source, architecture, contract);
  if (made.spilled_bytes == 0) return made;
  // With fewer registers a thread one block more fits on a multiprocessor, for which the assembler spills a
  // little: a softmax of 512 threads has 40 registers and 24 bytes spilled, and by itself takes 48. Told that
  // one block is enough, it keeps to what a block may have.
  Cubin roomy = compiled(nvrtc, with_one_block(source), architecture, contract);
  return roomy.spilled_bytes < made.spilled_bytes ? std::move(roomy) : std::move(made);
}

}  // namespace ardea::compile
