#include "tests/gpu_rules/workloads.h"

#include <cctype>
#include <sstream>

#include "ardea/ops/registry.h"
#include "ardea/support/text_file.h"

namespace ardea::rules {

namespace {

std::vector<std::int64_t> sizes_of(const std::string& words) {
  std::vector<std::int64_t> sizes;
  std::istringstream in(words);
  for (std::string size; std::getline(in, size, ',');) sizes.push_back(std::stoll(size));
  return sizes;
}

GpuWorkload read(const std::string& line) {
  std::istringstream in(line);
  std::string op, sizes, option, value;
  in >> op >> sizes >> option >> value;
  ops::Workload wanted{.op = op, .sizes = sizes_of(sizes)};
  if (option == "--layout") wanted.layout = value;
  return {line, ops::create_function(ops::make_workload(wanted))};
}

}  // namespace

const std::vector<GpuWorkload>& gpu_workloads() {
  static const std::vector<GpuWorkload> all = [] {
    std::vector<GpuWorkload> found;
    std::istringstream in(read_text_file(std::string(ARDEA_SOURCE_DIR) + "/tests/samples.txt"));
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#' && line[0] != '@') found.push_back(read(line));
    return found;
  }();
  return all;
}

const std::vector<target::Target>& gpus() {
  static const std::vector<target::Target> all = {target::find("v100"), target::find("t4"),
                                                  target::find("a100"), target::find("h100"),
                                                  target::find("h200")};
  return all;
}

std::string name_of(const GpuWorkload& workload) {
  std::string name = workload.words;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace ardea::rules
