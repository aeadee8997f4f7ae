#include "ardea/compile/cuda_code_file.h"

#include <nlohmann/json.hpp>

#include "ardea/support/error.h"
#include "ardea/support/text_file.h"
#include "ardea/support/whole_file.h"

namespace ardea::compile {

namespace {

using nlohmann::json;

json bytes_of(const std::string& text) {
  return json::binary(std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string text_of(const json& bytes) {
  const json::binary_t& all = bytes.get_binary();
  return {all.begin(), all.end()};
}

json to_json(const runtime::cuda::TensorBox& box) {
  json all = {{"argument", box.argument},
              {"type", to_string(box.type)},
              {"extents", box.extents},
              {"box", box.box},
              {"is_swizzled", box.is_swizzled}};
  if (box.windows)
    all["windows"] = {
        {"lower", box.windows->lower}, {"upper", box.windows->upper}, {"steps", box.windows->steps}};
  return all;
}

runtime::cuda::TensorBox box_from(const json& all) {
  runtime::cuda::TensorBox box{.argument = all.at("argument"),
                               .type = parse_data_type(all.at("type").get<std::string>()).value(),
                               .extents = all.at("extents"),
                               .box = all.at("box"),
                               .is_swizzled = all.at("is_swizzled")};
  if (const auto windows = all.find("windows"); windows != all.end())
    box.windows = runtime::cuda::TensorWindows{
        .lower = windows->at("lower"), .upper = windows->at("upper"), .steps = windows->at("steps")};
  return box;
}

}  // namespace

void write_cuda_code(const std::filesystem::path& path, const CudaCode& code) {
  json kernels = json::array();
  for (const runtime::cuda::KernelPlan& plan : code.kernels) {
    json arguments = json::array();
    for (const DataType type : plan.arguments) arguments.push_back(to_string(type));
    json boxes = json::array();
    for (const runtime::cuda::TensorBox& box : plan.boxes) boxes.push_back(to_json(box));
    kernels.push_back({{"name", plan.name},
                       {"block", plan.block},
                       {"shared_bytes", plan.shared_bytes},
                       {"arguments", arguments},
                       {"boxes", boxes},
                       {"begins_early", plan.begins_early}});
  }
  const std::vector<std::uint8_t> all = json::to_cbor({{"name", code.name},
                                                       {"kernels", kernels},
                                                       {"arguments", code.arguments},
                                                       {"wrong_count", code.wrong_count},
                                                       {"cubin", bytes_of(code.cubin)},
                                                       {"host_object", bytes_of(code.host_object)}});
  write_whole_file(path, {{reinterpret_cast<const char*>(all.data()), all.size()}});
}

CudaCode read_cuda_code(const std::filesystem::path& path) {
  try {
    const json all = json::from_cbor(read_text_file(path.string()));
    CudaCode code{.name = all.at("name"),
                  .source = {},
                  .cubin = text_of(all.at("cubin")),
                  .kernels = {},
                  .host_object = text_of(all.at("host_object")),
                  .arguments = all.at("arguments"),
                  .wrong_count = all.at("wrong_count")};
    for (const json& kernel : all.at("kernels")) {
      runtime::cuda::KernelPlan plan{
          .name = kernel.at("name"), .block = kernel.at("block"), .shared_bytes = kernel.at("shared_bytes")};
      for (const json& type : kernel.at("arguments"))
        plan.arguments.push_back(parse_data_type(type.get<std::string>()).value());
      for (const json& box : kernel.at("boxes")) plan.boxes.push_back(box_from(box));
      plan.begins_early = kernel.at("begins_early");
      code.kernels.push_back(std::move(plan));
    }
    return code;
  } catch (const json::exception& error) {
    fail("{}: this is no program for a GPU as Ardea writes it: {}", path.string(), error.what());
  }
}

}  // namespace ardea::compile
