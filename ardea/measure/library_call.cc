#include "ardea/measure/library_call.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include "ardea/compile/c_interface.h"
#include "ardea/compile/toolchain.h"
#include "ardea/measure/inputs.h"
#include "ardea/support/error.h"
#include "ardea/support/temporary_folder.h"
#include "ardea/support/text.h"
#include "ardea/support/whole_file.h"
#include "ardea/target/target.h"

namespace ardea::measure {

namespace {

namespace fs = std::filesystem;

using Caller = void (*)(void (*callee)(), void* const* arrays, const std::int64_t* integers,
                        const double* numbers);

/// Open as long as somebody calls into it.
std::shared_ptr<void> open_library(const fs::path& file, const std::string& request) {
  std::error_code ignored;
  // dlopen looks for a bare name in the system's folders, and a user means the file.
  const fs::path path = file.is_absolute() ? file : fs::absolute(file, ignored);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  require(library != nullptr, "{}: it cannot be opened: {}", request, library == nullptr ? dlerror() : "");
  return {library, dlclose};
}

/// The C text of a function that calls one of f's signature.
std::string caller_text(const compile::CFunction& f) {
  std::vector<std::string> types, values;
  std::size_t arrays = 0, integers = 0, numbers = 0;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Parameter& p = f.function.parameters[i];
    types.push_back(f.parameters[i].type);
    values.push_back(p.buffer.defined()        ? fmt::format("arrays[{}]", arrays++)
                     : p.var.type().is_float() ? fmt::format("({})numbers[{}]", types.back(), numbers++)
                                               : fmt::format("({})integers[{}]", types.back(), integers++));
  }
  for (std::size_t i = 0; i < f.sizes.size(); ++i) {
    types.emplace_back("int64_t");
    values.push_back(fmt::format("integers[{}]", integers++));
  }
  return fmt::format(
      "#include <stdint.h>\n\n__attribute__((visibility(\"default\")))\nvoid ardea_call(void "
      "(*callee)(void), void* const* arrays, const int64_t* "
      "integers,\n"
      "                const double* numbers) {{\n  (void)arrays, (void)integers, (void)numbers;\n"
      "  ((void (*)({}))callee)({});\n}}\n",
      types.empty() ? "void" : join(types, ", "), join(values, ", "));
}

std::shared_ptr<void> build_caller(const compile::CFunction& f, const std::string& request) {
  const TemporaryFolder folder;
  write_whole_file(folder.path() / "call.c", {caller_text(f)});
  const compile::CCompiler compiler = compile::find_c_compiler(target::host().arch);
  compile::compile_c(compiler, folder.path(), "call.c", "call.o");
  compile::link_library(compiler, folder.path(), {"call.o"}, "call.so");
  return open_library(folder.path() / "call.so", request);
}

/// The value of a symbolic extent or stride for these arguments.
std::int64_t size_value(const Function& f, const std::vector<interp::Argument>& arguments, const Var& size,
                        const std::string& request) {
  for (const auto& [var, value] : extents_of(f, arguments))
    if (var == size) return value;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Buffer& b = f.parameters[i].buffer;
    if (!b.defined()) continue;
    for (std::size_t d = 0; d < b->strides.size(); ++d)
      if (b->strides[d] == size) return std::get<runtime::Array>(arguments[i]).strides()[d];
  }
  fail("{}: the size {} does not follow from the arguments, so that it cannot be passed on", request,
       size.name());
}

}  // namespace

struct LibraryCall::State {
  compile::CFunction signature;
  std::string request;
  std::shared_ptr<void> library, caller_library;
  void (*callee)() = nullptr;
  Caller caller = nullptr;
};

LibraryCall::LibraryCall(const Function& f, const fs::path& file, const std::string& symbol) {
  const std::string request = fmt::format("--library {} --symbol {}", file.string(), symbol);
  auto state = std::make_shared<State>();
  state->signature = compile::c_interface(Module{{}, {f}}, "ardea_")[0];
  state->request = request;
  for (const Parameter& p : f.parameters)
    require(p.buffer.defined() || !p.var.type().is_handle(),
            "{}: {} takes a handle, {}, which nothing here can give", request, f.name, p.var.name());
  state->library = open_library(file, request);
  state->callee = reinterpret_cast<void (*)()>(dlsym(state->library.get(), symbol.c_str()));
  require(
      state->callee != nullptr,
      "{}: the library has no such function; it must be exported under this name, in C++ as extern \"C\": {}",
      request, state->signature.declaration());
  state->caller_library = build_caller(state->signature, request);
  state->caller = reinterpret_cast<Caller>(dlsym(state->caller_library.get(), "ardea_call"));
  ensure(state->caller != nullptr, "the caller that was built is not there");
  state_ = std::move(state);
}

std::function<void()> LibraryCall::on(const std::vector<interp::Argument>& arguments) const {
  std::vector<void*> arrays;
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  const Function& f = state_->signature.function;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto* array = std::get_if<runtime::Array>(&arguments[i])) {
      arrays.push_back(array->data());
      continue;
    }
    const bool is_float = f.parameters[i].var.type().is_float();
    const auto* integer = std::get_if<std::int64_t>(&arguments[i]);
    const double number = integer != nullptr ? static_cast<double>(*integer) : std::get<double>(arguments[i]);
    if (is_float)
      numbers.push_back(number);
    else
      integers.push_back(integer != nullptr ? *integer : static_cast<std::int64_t>(number));
  }
  for (const Var& size : state_->signature.sizes)
    integers.push_back(size_value(f, arguments, size, state_->request));
  return [state = state_, arguments, arrays, integers, numbers] {
    state->caller(state->callee, arrays.data(), integers.data(), numbers.data());
  };
}

}  // namespace ardea::measure
