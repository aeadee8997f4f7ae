#include "tests/gpu_rules/workloads.h"

#include <gtest/gtest.h>

#include <cctype>
#include <sstream>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/program_space.h"
#include "ardea/support/text_file.h"
#include "tests/rules/answers.h"

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

const target::Target& newest_gpu() { return gpus().back(); }

Function program_of(const ops::Workload& wanted) { return ops::create_function(ops::make_workload(wanted)); }

Function by_the_model(const Function& program) {
  return model_schedule(program, newest_gpu(), rules_for(newest_gpu()))->schedule.program();
}

std::string kernels_of(const Function& program) {
  const std::vector<Function> lowered = {lower::lower(by_the_model(program), newest_gpu())};
  return codegen::cuda_source(lowered, newest_gpu(), {});
}

void expect_right_samples(const Function& program, std::size_t count) {
  const Answers answers(program);
  answers.expect_of(lower::lower(by_the_model(program), newest_gpu()));
  const ProgramSpace space = program_space(program, newest_gpu(), rules_for(newest_gpu()));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  for (const Choice& choice : space.sample(count, 5).choices)
    answers.expect_of(lower::lower(space.materialise(choice).program(), newest_gpu()));
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string name_of(const GpuWorkload& workload) {
  std::string name = workload.words;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace ardea::rules
