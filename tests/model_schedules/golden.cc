#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "ardea/rules/rule.h"
#include "ardea/support/text.h"
#include "ardea/support/text_file.h"
#include "ardea/support/whole_file.h"
#include "tests/model_schedules/outline.h"
#include "tests/model_schedules/workloads.h"

/// What the model chooses for machines of record: rules, ways and loops as they were when somebody looked at
/// them. Answers do not tell a good choice from a bad one; a change of the model shall be seen. Where it is
/// meant, ARDEA_UPDATE_GOLDEN=1 writes the texts anew, to be read before they are believed.

namespace ardea::test {

namespace {

/// A few for each rule: sizes at which its model decides one way or the other.
std::vector<ops::Workload> workloads_of_record() {
  const auto bytes = [](ops::Workload w) {
    w.in = {uint8, int8}, w.acc = w.out = int32;
    return w;
  };
  const auto brain_floats = [](ops::Workload w) {
    w.in = {bfloat16}, w.acc = w.out = float32;
    return w;
  };
  std::vector<ops::Workload> all;
  for (const ops::Workload& wanted : std::vector<ops::Workload>{
           {.op = "gemm", .sizes = {1024, 1024, 1024}},
           {.op = "gemm", .sizes = {97, 300, 73}},
           {.op = "gemm", .sizes = {4, 512, 1000}},
           {.op = "gemm", .sizes = {13, 2048, 1000}},
           {.op = "gemm", .sizes = {3, 2048, 500}, .transpose_b = true},
           {.op = "gemv", .sizes = {1000, 512}},
           {.op = "matmul_exp_matmul", .sizes = {331, 67, 160, 397}},
           {.op = "gemm_bias_relu", .sizes = {128, 768, 3072}},
           {.op = "conv_bn_relu", .sizes = {1, 14, 14, 64, 64, 3, 3, 1, 1, 1}},
           {.op = "attention", .sizes = {2, 128, 64}},
           bytes({.op = "gemm", .sizes = {64, 128, 64}}),
           brain_floats({.op = "gemm", .sizes = {64, 128, 64}}),
           {.op = "c2d", .sizes = {1, 14, 14, 64, 64, 3, 3, 1, 1, 1}, .layout = "nchw"},
           {.op = "c2d", .sizes = {1, 28, 28, 16, 48, 3, 3, 2, 1, 1}, .layout = "nhwc"},
           {.op = "depthwise", .sizes = {1, 28, 28, 40, 3, 3, 1, 1}, .layout = "nchw"},
           {.op = "depthwise", .sizes = {1, 28, 28, 40, 3, 3, 1, 1}, .layout = "nhwc"},
           {.op = "t2d", .sizes = {1, 14, 14, 32, 40, 4, 4, 2, 1, 1}, .layout = "nchw"},
           {.op = "softmax", .sizes = {96, 1000}},
           {.op = "reduce_sum", .sizes = {5501, 3}},
           {.op = "argmax", .sizes = {512, 1003}},
           {.op = "maxpool", .sizes = {1, 57, 113, 8, 3, 2, 1}, .layout = "nchw"},
           {.op = "avgpool", .sizes = {1, 28, 28, 8, 3, 1, 1}, .layout = "nchw"},
           {.op = "depthwise", .sizes = {1, 28, 28, 40, 3, 3, 2, 1}, .layout = "nchw"},
           {.op = "depthwise", .sizes = {1, 14, 14, 40, 5, 5, 2, 2}, .layout = "nchw"},
           {.op = "global_avgpool", .sizes = {1, 7, 7, 512}, .layout = "nchw"},
           {.op = "global_avgpool", .sizes = {4, 7, 7, 512}, .layout = "nhwc"},
           {.op = "transpose", .sizes = {1024, 1024}},
           {.op = "transpose", .sizes = {300, 500}},
           {.op = "transpose", .sizes = {3, 20000}},
           {.op = "transpose", .sizes = {1001, 3}},
           {.op = "transpose", .sizes = {1001, 13}},
           {.op = "relu", .sizes = {640, 13}},
           {.op = "relu", .sizes = {512, 400}},
           {.op = "add", .sizes = {4096, 4096}},
       })
    all.push_back(ops::make_workload(wanted));
  return all;
}

std::string choices_for(const ops::Workload& workload, const target::Target& target) {
  rules::Derivation d(ops::create_function(workload), target);
  rules::derive(d, rules::rules_for(target));
  return fmt::format("{}: {}\n{}", join(d.rules(), ", "), to_string(d.ways()), outline(d.steps().program()));
}

/// By workload: the texts between lines `# workload`.
std::map<std::string, std::string> sections(const std::string& text) {
  std::map<std::string, std::string> found;
  std::istringstream lines(text);
  std::string title;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("# "))
      title = line.substr(2);
    else if (!line.empty())
      found[title] += line + "\n";
  return found;
}

class ModelOfRecord : public testing::TestWithParam<const char*> {};

TEST_P(ModelOfRecord, chooses_what_was_read_and_approved) {
  const std::string path = fmt::format("{}/tests/fixtures/models/{}.txt", ARDEA_SOURCE_DIR, GetParam());
  const target::Target target = target::find(GetParam());
  std::map<std::string, std::string> chosen;
  std::string text;
  for (const ops::Workload& workload : workloads_of_record()) {
    const std::string name = ops::to_string(workload);
    chosen[name] = choices_for(workload, target);
    text += fmt::format("{}# {}\n{}", text.empty() ? "" : "\n", name, chosen[name]);
  }
  if (std::getenv("ARDEA_UPDATE_GOLDEN") != nullptr) {
    write_whole_file(path, {text});
    return;
  }
  std::map<std::string, std::string> kept = sections(read_text_file(path));
  for (const auto& [name, choices] : chosen) EXPECT_EQ(choices, kept[name]) << name << " of " << path;
  EXPECT_EQ(kept.size(), chosen.size()) << path << " tells of workloads that are not asked for";
}

INSTANTIATE_TEST_SUITE_P(Targets, ModelOfRecord, testing::Values("avx2", "neoverse-v1", "sapphirerapids"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace

}  // namespace ardea::test
