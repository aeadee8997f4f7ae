#include "ardea/codegen/options.h"
#include "ardea/compile/c_extent.h"
#include "ardea/compile/c_text.h"
#include "ardea/compile/standalone.h"
#include "ardea/ir/wrong_arguments.h"
#include "ardea/runtime/abi.h"
#include "ardea/runtime/dlpack.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::compile {

namespace {

static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, dtype) == 20 && offsetof(DLTensor, shape) == 24 &&
                  offsetof(DLTensor, byte_offset) == 40,
              "the struct below is DLPack's");

const char* const tensor_struct =
    "/* ---- The functions of the header. Each describes its arguments and calls the kernel, which checks "
    "them. ---- "
    "*/\n\n"
    "/* DLPack's DLTensor. */\n"
    "typedef struct ArdeaArgumentTensor {\n"
    "  void* data;\n"
    "  int32_t device_type, device_id;\n"
    "  int32_t rank;\n"
    "  struct {\n"
    "    uint8_t code, bits;\n"
    "    uint16_t lanes;\n"
    "  } type;\n"
    "  int64_t *shape, *strides;\n"
    "  uint64_t byte_offset;\n"
    "} ArdeaArgumentTensor;\n\n";

/// The body of one wrapper, line by line.
class Wrapper {
 public:
  explicit Wrapper(const CFunction& f) : f_(f) {
    for (std::size_t i = 0; i < f.parameters.size(); ++i)
      if (!f.function.parameters[i].buffer.defined())
        names_[f.function.parameters[i].var] = f.parameters[i].name;
    for (std::size_t i = 0; i < f.sizes.size(); ++i) names_[f.sizes[i]] = f.size_parameters[i].name;
  }

  std::string run() {
    const std::size_t count = f_.parameters.size();
    for (std::size_t i = 0; i < count; ++i)
      f_.function.parameters[i].buffer.defined() ? add_tensor(i) : add_scalar(i);
    std::string text = fmt::format("ARDEA_EXPORTED {} {{\n", f_.declaration());
    text += before_;
    if (f_.stream) return text + called_on_gpu() + error_function();
    if (count > 0)
      text += fmt::format(
          "  const ArdeaValue ardea_arguments[] = {{{}}};\n  const int32_t ardea_codes[] = {{{}}};\n",
          join(values_, ", "), join(codes_, ", "));
    const char* arrays = count > 0 ? "ardea_arguments, ardea_codes" : "NULL, NULL";
    text += "  ArdeaValue ardea_result = {0};\n  int32_t ardea_result_code = ARDEA_NULL;\n";
    text += fmt::format("  return {}({}, {}, &ardea_result, &ardea_result_code);\n}}\n",
                        codegen::entry_symbol(f_.name()), arrays, count);
    return text + error_function();
  }

 private:
  std::string error_function() const {
    return fmt::format("ARDEA_EXPORTED const char* {}(void) {{ return ardea_last_error(); }}\n\n",
                       f_.error_name());
  }

  std::string called_on_gpu() {
    values_.emplace_back("{.as_pointer = &ardea_call}");
    codes_.emplace_back("ARDEA_HANDLE");
    return fmt::format(
        "  ArdeaGpuCall ardea_call = {{.code = &{}, .stream = {}}};\n"
        "  const ArdeaValue ardea_arguments[] = {{{}}};\n  const int32_t ardea_codes[] = {{{}}};\n"
        "  return ardea_gpu_run(&ardea_call, {}, ardea_arguments, ardea_codes, {});\n}}\n",
        gpu_code_name(f_), f_.stream->name, join(values_, ", "), join(codes_, ", "),
        codegen::entry_symbol(f_.name()), values_.size());
  }

  std::string list(const std::vector<Expr>& extents) const {
    std::vector<std::string> texts;
    for (const Expr& extent : extents) texts.push_back(c_extent(extent, names_, f_.program_name));
    return join(texts, ", ");
  }

  void add_tensor(std::size_t i) {
    const Buffer& b = f_.function.parameters[i].buffer;
    std::string shape = "NULL", strides = "NULL";
    if (!b->shape.empty()) {
      shape = fmt::format("ardea_shape_{}", i);
      before_ += fmt::format("  int64_t {}[] = {{{}}};\n", shape, list(b->shape));
    }
    if (!b->strides.empty()) {
      strides = fmt::format("ardea_strides_{}", i);
      before_ += fmt::format("  int64_t {}[] = {{{}}};\n", strides, list(b->strides));
    }
    const DLDataType type = runtime::to_dl_type(b->type);
    before_ += fmt::format(
        "  ArdeaArgumentTensor ardea_tensor_{} = {{(void*){}, {}, 0, {}, {{{}, {}, {}}}, {}, {}, 0}};\n", i,
        f_.parameters[i].name, static_cast<int>(f_.stream ? kDLCUDA : kDLCPU), b->shape.size(), type.code,
        type.bits, type.lanes, shape, strides);
    values_.push_back(fmt::format("{{.as_pointer = &ardea_tensor_{}}}", i));
    codes_.emplace_back("ARDEA_TENSOR");
  }

  void add_scalar(std::size_t i) {
    const DataType type = f_.function.parameters[i].var.type();
    const std::string& name = f_.parameters[i].name;
    if (type.is_handle()) {
      values_.push_back(fmt::format("{{.as_pointer = {}}}", name));
      codes_.push_back(name + " != NULL ? ARDEA_HANDLE : ARDEA_NULL");
    } else if (type.is_float()) {
      values_.push_back(fmt::format("{{.as_float = (double){}}}", name));
      codes_.emplace_back("ARDEA_FLOAT");
    } else {
      values_.push_back(fmt::format("{{.as_int = (int64_t){}{}}}", name, type.is_bool() ? " != 0" : ""));
      codes_.emplace_back("ARDEA_INT");
    }
  }

  const CFunction& f_;
  std::unordered_map<Expr, std::string> names_;
  std::string before_;
  std::vector<std::string> values_, codes_;
};

std::string packed_name(const CFunction& f) { return f.name() + "_packed"; }

/// For load_module: what takes the program's own arguments, and runs in the default stream.
std::string packed_on_gpu(const CFunction& f) {
  const std::size_t count = f.parameters.size();
  return fmt::format(
      "static int32_t {0}(const ArdeaValue* arguments, const int32_t* type_codes, int32_t count, ArdeaValue* "
      "result,\n    int32_t* result_code) {{\n"
      "  ArdeaGpuCall call = {{.code = &{1}, .stream = NULL}};\n"
      "  const int64_t given = count;\n"
      "  ArdeaValue all[{2} + 1];\n  int32_t codes[{2} + 1];\n"
      "  (void)result, (void)result_code;\n"
      "  if (count != {2}) {{\n    ardea_set_error_format({3}, &given, 1);\n    return 1;\n  }}\n"
      "  for (int32_t i = 0; i < count; ++i) {{\n    all[i] = arguments[i];\n    codes[i] = "
      "type_codes[i];\n  }}\n"
      "  all[count].as_pointer = &call;\n  codes[count] = ARDEA_HANDLE;\n"
      "  return ardea_gpu_run(&call, {4}, all, codes, count + 1);\n}}\n\n",
      packed_name(f), gpu_code_name(f), count, in_quotes(WrongArguments(f.function).count("{}")),
      codegen::entry_symbol(f.name()));
}

}  // namespace

std::string c_declarations(const std::vector<CFunction>& functions) {
  std::string text(standalone::preamble);
  text += "\n#pragma GCC visibility push(hidden)\n\n";
  text += standalone::abi;
  text += "\nvoid ardea_set_host(const ArdeaHost* host);\nconst ArdeaHost* ardea_host(void);\n";
  for (const CFunction& f : functions)
    text += fmt::format(
        "int32_t {}(const ArdeaValue* arguments, const int32_t* type_codes, int32_t count, ArdeaValue* "
        "result,\n"
        "    int32_t* result_code);\n",
        codegen::entry_symbol(f.name()));
  return text + "\n#pragma GCC visibility pop\n\n";
}

std::string c_runtime(bool parallel) {
  std::string text = "\n" + std::string(standalone::runtime);
  text += "\n" + std::string(standalone::workspace);
  if (parallel) text += "\n" + std::string(standalone::thread_pool);
  return text;
}

std::string c_wrapper(const std::string& library, const std::vector<CFunction>& functions) {
  std::string wrappers, table;
  for (const CFunction& f : functions) {
    wrappers += Wrapper(f).run();
    if (f.stream) wrappers += packed_on_gpu(f);
    table += fmt::format("    {{{}, {}}},\n", in_quotes(f.program_name),
                         f.stream ? packed_name(f) : codegen::entry_symbol(f.name()));
  }
  return tensor_struct + c_extent_helpers(wrappers) + wrappers +
         fmt::format(
             "/* For ardea::runtime::load_module. */\n"
             "static const ArdeaLibraryFunction ardea_library_functions[] = {{\n{}}};\n"
             "extern ARDEA_EXPORTED_WEAK const ArdeaLibrary ardea_library;\n"
             "const ArdeaLibrary ardea_library = {{ARDEA_ABI_VERSION, {}, {}, ardea_library_functions, "
             "ardea_set_host}};\n",
             table, functions.size(), in_quotes(library));
}

}  // namespace ardea::compile
