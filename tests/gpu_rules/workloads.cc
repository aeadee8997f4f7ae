#include "tests/gpu_rules/workloads.h"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <sstream>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/lower/pipeline.h"
#include "ardea/rules/program_space.h"
#include "ardea/support/text_file.h"
#include "tests/rules/answers.h"
#include "tests/support/sampled.h"

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
  std::string op, sizes;
  in >> op >> sizes;
  ops::Workload wanted{.op = op, .sizes = sizes_of(sizes)};
  for (std::string option, value; in >> option >> value;) {
    if (option == "--layout") wanted.layout = value;
    if (option == "--in") wanted.in = ops::parse_types(value);
    if (option == "--out") wanted.out = ops::parse_types(value)[0];
    if (option == "--tb") wanted.transpose_b = value == "yes";
  }
  return {line, ops::create_function(ops::make_workload(wanted))};
}

/// What tensor instructions multiply: sizes that tiles divide and others, and every way in which factors lie.
constexpr std::array tensor_products = {
    "gemm 33,50,34 --in float16 --out float16",
    "gemm 64,64,64 --in float16 --out float16",
    "gemm 48,40,64 --in bfloat16 --out bfloat16 --tb yes",
    "gemm 40,33,32 --in int8 --out int32",
    "bmm 3,33,32,17 --in float16 --out float32",
    "gemm_bias_relu 33,40,32 --in float16 --out float16",
    "gemm 17,512,16 --in float16 --out float16",
    "c2d 1,9,7,12,20,3,3,1,1,2 --in float16 --out float16",
    "conv_bn_relu 1,9,7,16,24,3,3,2,1,1 --layout nhwc --in float16 --out float16",
    "t2d 1,5,4,16,16,3,3,2,1,1,1 --layout nhwc --in float16 --out float16",
    "t2d 2,4,3,16,16,1,1,2,0,1,0 --layout nhwc --in float16 --out float16",
    "t2d 1,5,5,16,17,2,5,3,1,2,0 --in float16 --out float32",
    "t1d 1,19,16,16,3,2,3,4,1 --layout nwc --in float16 --out float16",
    "grouped 1,5,4,16,32,3,3,1,1,1,2 --layout nhwc --in float16 --out float16",
};

/// What threads multiply without them on every GPU: types, sizes that tiles divide and others, and ways in
/// which factors and results lie.
constexpr std::array thread_products = {
    "bmm 2,33,5,34",
    "c2d 1,3,6,2,18,3,3,1,1,1",
    "gemm 17,9,19 --in float64 --out float64 --tb yes",
    "gemm 32,8,32 --in int32 --out int32",
    "gemm_bias_relu 19,8,37",
    "conv_bn_relu 1,7,9,2,24,3,3,2,1,1 --layout nhwc",
    "t2d 1,5,4,5,17,3,3,2,1,1,0 --layout nhwc",
    "t1d 2,11,5,17,5,3,2,2,1",
    "t1d 1,19,4,16,4,4,1,6,2 --layout nwc",
    "grouped 1,9,5,6,34,3,3,2,1,1,2",
};

}  // namespace

const std::vector<GpuWorkload>& gpu_workloads() {
  static const std::vector<GpuWorkload> all = [] {
    std::vector<GpuWorkload> found;
    std::istringstream in(read_text_file(std::string(ARDEA_SOURCE_DIR) + "/tests/samples.txt"));
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#' && line[0] != '@') found.push_back(read(line));
    for (const char* line : tensor_products) found.push_back(read(line));
    for (const char* line : thread_products) found.push_back(read(line));
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

Function aligned(const ops::Workload& wanted) {
  Function program = program_of(wanted);
  for (const Parameter& p : std::vector(program.parameters))
    program = promise_alignment(program, p.buffer->name, 16, "test");
  return program;
}

Function by_the_model(const Function& program, const target::Target& target) {
  return model_schedule(program, target, rules_for(target))->schedule.program();
}

std::string kernels_of(const Function& program, const target::Target& target) {
  const std::vector<Function> lowered = {lower::lower(by_the_model(program, target), target)};
  return codegen::cuda_source(lowered, target, {});
}

void expect_right_samples(const Function& program, std::size_t count, const target::Target& target) {
  const Answers answers(program);
  answers.expect_of(lower::lower(by_the_model(program, target), target));
  const ProgramSpace space = program_space(program, target, rules_for(target));
  for (const LeftOut& out : space.left_out) ADD_FAILURE() << to_string(out.ways) << ": " << out.reason;
  for (const Choice& choice : space.sample(test::sampled_count(2, count), 5).choices)
    answers.expect_of(lower::lower(space.materialise(choice).program(), target));
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
