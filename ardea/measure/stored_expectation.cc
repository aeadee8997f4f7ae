#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "ardea/measure/check.h"
#include "ardea/runtime/npy.h"
#include "ardea/support/error.h"
#include "ardea/support/text_file.h"
#include "ardea/support/whole_file.h"

/// An expectation as files: arrays as .npy, and a list of them that is written last.

namespace ardea::measure {

namespace {

constexpr auto list_name = "expectation.json";

std::filesystem::path array_file(const std::filesystem::path& folder, std::size_t output, const char* what) {
  return folder / fmt::format("{}_{}.npy", output, what);
}

}  // namespace

void Expectation::save(const std::filesystem::path& folder) const {
  nlohmann::json list = {{"reference", reference_}, {"outputs", nlohmann::json::array()}};
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    runtime::write_npy(array_file(folder, i, "expected"), output.expected);
    if (output.bounds) runtime::write_npy(array_file(folder, i, "bounds"), output.bounds);
    list["outputs"].push_back({{"name", output.name},
                               {"argument", output.argument},
                               {"type", to_string(output.expected.type())},
                               {"bounds", static_cast<bool>(output.bounds)}});
  }
  write_whole_file(folder / list_name, {list.dump()});
}

Expectation Expectation::load(const std::filesystem::path& folder) {
  const nlohmann::json list = nlohmann::json::parse(read_text_file((folder / list_name).string()));
  Expectation expectation;
  expectation.reference_ = list.at("reference");
  for (std::size_t i = 0; i < list.at("outputs").size(); ++i) {
    const nlohmann::json& entry = list["outputs"][i];
    const DataType type = parse_data_type(entry.at("type").get<std::string>()).value();
    Output output{entry.at("name"),
                  entry.at("argument"),
                  runtime::read_npy(array_file(folder, i, "expected"), type),
                  {}};
    if (entry.at("bounds").get<bool>()) output.bounds = runtime::read_npy(array_file(folder, i, "bounds"));
    expectation.outputs_.push_back(std::move(output));
  }
  return expectation;
}

}  // namespace ardea::measure
