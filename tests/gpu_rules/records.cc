#include <gtest/gtest.h>

#include <fstream>

#include "ardea/codegen/cuda/codegen_cuda.h"
#include "ardea/compile/nvrtc.h"
#include "ardea/db/exchange.h"
#include "ardea/ir/parse.h"
#include "ardea/lower/pipeline.h"
#include "ardea/schedule/replay_trace.h"
#include "tests/support/folder.h"
#include "tests/support/sampled.h"

namespace ardea::rules {

namespace {

// What was tuned on a GPU makes kernels where there is none.
TEST(RecordsOfTheH200, still_fit_their_programs_and_compile) {
  const test::Folder folder;
  db::Database database = db::Database::create(folder.path() / "h200.db");
  std::ifstream lines(std::string(ARDEA_SOURCE_DIR) + "/records/h200.jsonl");
  const db::Imported imported = db::import_lines(database, lines);
  EXPECT_TRUE(imported.refused.empty()) << imported.refused.front();
  const target::Target h200 = target::find("h200");
  const std::vector<db::KeptTask> tasks = database.tasks().sound;
  EXPECT_GE(tasks.size(), 2U);
  std::vector<Function> kernels;
  for (const db::KeptTask& entry : test::sampled(5, tasks)) {  // two seconds each
    SCOPED_TRACE(entry.task.workload);
    const auto best = database.best(entry.id);
    ASSERT_TRUE(best);
    Function made = schedule::replay_trace(parse_function(entry.task.program), best->trace).program();
    made.name = "tuned_" + std::to_string(entry.id);
    kernels.push_back(lower::lower(made, h200));
  }
  const std::string source = codegen::cuda_source(kernels, h200, {});
  if (const std::string why = compile::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_NO_THROW(compile::cubin_of(source, h200.cpu, true));
}

}  // namespace

}  // namespace ardea::rules
