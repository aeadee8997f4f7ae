#include "ardea/measure/task_message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ardea/ir/equal.h"
#include "ardea/ops/registry.h"

namespace ardea::measure {
namespace {

TEST(TaskMessage, arrives_as_it_was_sent) {
  for (const char* const op : {"gemm", "softmax", "attention"}) {
    const std::string sizes = std::string(op) == "softmax" ? "5,7" : "4,5,6";
    TrialTask task{.program = ops::create_function(
                       ops::make_workload({.op = op, .sizes = ops::parse_sizes(sizes)}), "main"),
                   .target = target::find("neoverse-v1"),
                   .threads = 3,
                   .seed = 18446744073709551615U,
                   .sizes = {{"m", 7}},
                   .prepacked = "B"};
    // One core of a machine with a cache that all share.
    task.target.cores = 1;
    task.target.caches.back().shared_by_cores = 4;
    const std::string line = nlohmann::json(to_message(task, "/tmp/x")).dump();
    const ReceivedTask received = from_message(nlohmann::json::parse(line));
    EXPECT_TRUE(structurally_equal(received.task.program, task.program)) << op;
    EXPECT_EQ(received.task.target, task.target);
    EXPECT_EQ(received.task.threads, 3);
    EXPECT_EQ(received.task.seed, task.seed);
    EXPECT_EQ(received.task.sizes, task.sizes);
    EXPECT_EQ(received.task.prepacked, "B");
    EXPECT_EQ(received.folder, "/tmp/x");
  }
}

}  // namespace
}  // namespace ardea::measure
