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

}  // namespace

void write_cuda_code(const std::filesystem::path& path, const CudaCode& code) {
  json kernels = json::array();
  for (const runtime::cuda::KernelPlan& plan : code.kernels) {
    json arguments = json::array();
    for (const DataType type : plan.arguments) arguments.push_back(to_string(type));
    json boxes = json::array();
    for (const runtime::cuda::TensorBox& box : plan.boxes)
      boxes.push_back({{"argument", box.argument},
                       {"type", to_string(box.type)},
                       {"extents", box.extents},
                       {"box", box.box},
                       {"is_swizzled", box.is_swizzled}});
    kernels.push_back({{"name", plan.name},
                       {"block", plan.block},
                       {"shared_bytes", plan.shared_bytes},
                       {"arguments", arguments},
                       {"boxes", boxes}});
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
      for (const json& box : kernel.at("boxes"))
        plan.boxes.push_back({.argument = box.at("argument"),
                              .type = parse_data_type(box.at("type").get<std::string>()).value(),
                              .extents = box.at("extents"),
                              .box = box.at("box"),
                              .is_swizzled = box.at("is_swizzled")});
      code.kernels.push_back(std::move(plan));
    }
    return code;
  } catch (const json::exception& error) {
    fail("{}: this is no program for a GPU as Ardea writes it: {}", path.string(), error.what());
  }
}

}  // namespace ardea::compile
