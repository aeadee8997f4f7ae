#include "ardea/interp/observer.h"

#include <gtest/gtest.h>

#include "tests/interp/programs.h"

namespace ardea::interp {
namespace {

/// Writes down what it is told.
class Diary : public Observer {
 public:
  std::vector<std::string> lines;

  void begins(const For& loop, std::int64_t value) override {
    lines.push_back(fmt::format("{} = {}", loop.var.name(), value));
  }
  void ends(const For& loop) override { lines.push_back(loop.var.name() + " ends"); }
  void allocates(const void*, const std::string& name, const std::string& scope) override {
    lines.push_back(fmt::format("{} in {}", name, scope));
  }
  void touches(const void*, const std::string& name, std::int64_t begin_bit, std::int64_t end_bit,
               bool writes, const Stmt& statement) override {
    EXPECT_TRUE(statement.is<Store>());
    lines.push_back(fmt::format("{} {} {}:{}", writes ? "writes" : "reads", name, begin_bit, end_bit));
  }
};

TEST(Observer, is_told_of_iterations_memory_and_accesses_in_their_order) {
  const Function f = program(R"(def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int4")):
    with T.block("root"):
        C = T.alloc_buffer((1,), "int8", scope="local")
        for i in range(1, 3):
            C[0] = T.Cast("int8", A[i])
            for j in range(i - 1):
                B[i + j] = T.Cast("int4", C[0])
)");
  Diary diary;
  Options options;
  options.observer = &diary;
  run(f, {integers(int32, {1, 2, 3, 4}), integers(int4, {0, 0, 0, 0})}, options);
  EXPECT_EQ(diary.lines, (std::vector<std::string>{"C in local", "i = 1", "reads A 32:64", "writes C 0:8",
                                                   "i = 2", "reads A 64:96", "writes C 0:8", "j = 0",
                                                   "reads C 0:8", "writes B 8:12", "j ends", "i ends"}));
}

}  // namespace
}  // namespace ardea::interp
