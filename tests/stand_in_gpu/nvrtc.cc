#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

/// README.md. Compiled with HOST_COMPILER and PRELUDE, the path of kernel_prelude.h.

namespace {

struct Program {
  std::string source, log, code;
};

enum { fine = 0, refused = 6 };

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The kernels, and beside each what calls it with the addresses of its arguments.
std::string host_source(const std::string& kernels) {
  std::string text = "#include \"" PRELUDE "\"\n" + kernels + "\n";
  const std::regex kernel(R"re(extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\()re");
  for (auto at = std::sregex_iterator(kernels.begin(), kernels.end(), kernel); at != std::sregex_iterator();
       ++at) {
    const std::string name = (*at)[1];
    text += "extern \"C\" void " + name +
            "__launch(const unsigned* grid, const unsigned* block, void** a) {\n" + "  stand_in::launch(" +
            name + ", grid, block, a);\n}\n";
    text += "extern \"C\" const int " + name + "__count = stand_in::count_of(" + name + ");\n";
  }
  return text;
}

}  // namespace

extern "C" {

int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{source, "", ""};
  return fine;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  return fine;
}
int nvrtcCompileProgram(void* handle, int, const char* const*) {
  Program& program = *static_cast<Program*>(handle);
  if (program.source.find("block (11, 1, 1)") != std::string::npos) {
    program.log = "kernels.cu(1): error: eleven threads are none that the stand-in compiles";
    return refused;
  }
  std::string pattern = (std::filesystem::temp_directory_path() / "ardea_stand_in_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    program.log = "no folder " + pattern + " can be made";
    return refused;
  }
  const std::filesystem::path folder = pattern;
  std::ofstream(folder / "kernels.cc") << host_source(program.source);
  const std::string command = HOST_COMPILER " -std=c++17 -O1 -w -fPIC -shared -o " +
                              (folder / "kernels.so").string() + " " + (folder / "kernels.cc").string() +
                              " 2> " + (folder / "log").string();
  const int status = std::system(command.c_str());
  program.log = contents(folder / "log");
  program.code = contents(folder / "kernels.so");
  std::filesystem::remove_all(folder);
  return status == 0 ? fine : refused;
}
int nvrtcGetProgramLogSize(void* program, std::size_t* size) {
  *size = static_cast<Program*>(program)->log.size() + 1;
  return fine;
}
int nvrtcGetProgramLog(void* program, char* text) {
  std::strcpy(text, static_cast<Program*>(program)->log.c_str());
  return fine;
}
int nvrtcGetCUBINSize(void* program, std::size_t* size) {
  *size = static_cast<Program*>(program)->code.size();
  return fine;
}
int nvrtcGetCUBIN(void* program, char* code) {
  const std::string& all = static_cast<Program*>(program)->code;
  std::copy(all.begin(), all.end(), code);
  return fine;
}
}
