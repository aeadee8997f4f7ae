#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/random.h"
#include "tests/lower/finished_kernels.h"
#include "thread_answers.h"
#include "thread_programs.h"

/// Random programs of threads that exchange numbers through shared memory, in nests of other lengths, in
/// loops and under conditions. What they cannot be: their indices are single threads, shifted, turned or
/// mirrored, because these are what is told apart or not; memory is of one dimension, as flat_storage leaves
/// it anyway; there is one axis of threads (the programs of thread_programs.cc have two).

namespace ardea::lower {

namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string program() {
    line(0, "@T.prim_func");
    line(0, "def random(X: T.Buffer((2, 12), \"int32\"), Y: T.Buffer((2, 12), \"int32\")):");
    line(1, "for b in T.thread_binding(2, thread=\"blockIdx.x\"):");
    for (int s = 0; s < buffers; ++s) {
      sizes_[s] = pick({5, 8, 12});
      line(2, "M{} = T.allocate([{}], \"int32\", \"shared\")", s, sizes_[s]);
      line(2, "S{0} = T.Buffer(({1},), \"int32\", data=M{0}, scope=\"shared\")", s, sizes_[s]);
    }
    line(2, "ML = T.allocate([12], \"int32\", \"local\")");
    line(2, "L = T.Buffer((12,), \"int32\", data=ML, scope=\"local\")");
    for (int s = 0; s < buffers; ++s) {
      line(2, "for t in T.thread_binding({}, thread=\"threadIdx.x\"):", sizes_[s]);
      line(3, "S{}[t] = X[b, t] + {}", s, s);
    }
    line(2, "for t in T.thread_binding(12, thread=\"threadIdx.x\"):");
    line(3, "L[t] = X[b, 11 - t]");
    line(3, "Y[b, t] = 0");
    actions(2, 3);
    line(2, "for t in T.thread_binding(12, thread=\"threadIdx.x\"):");
    line(3, "Y[b, t] = Y[b, t] + L[t] + {}", element(draw(buffers), 12));
    return text_;
  }

 private:
  static constexpr int buffers = 3;

  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    text_ += std::string(static_cast<std::size_t>(depth) * 4, ' ') +
             fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  int draw(int count) { return static_cast<int>(random_.integer(0, count - 1)); }
  int pick(const std::vector<int>& values) {
    return values[static_cast<std::size_t>(draw(static_cast<int>(values.size())))];
  }

  /// An element of a buffer for thread t of `threads`.
  std::string element(int buffer, int threads) {
    const int size = sizes_[buffer];
    switch (draw(4)) {
      case 0: return fmt::format("S{}[(t + {}) % {}]", buffer, draw(size), size);
      case 1: return fmt::format("S{}[{}]", buffer, draw(size));
      case 2:
        return threads <= size ? fmt::format("S{}[t]", buffer) : fmt::format("S{}[t % {}]", buffer, size);
      default:
        return threads <= size ? fmt::format("S{}[{} - t]", buffer, size - 1)
                               : fmt::format("S{}[{} - t % {}]", buffer, size - 1, size);
    }
  }

  int another(int buffer) { return (buffer + 1 + draw(buffers - 1)) % buffers; }

  void actions(int depth, int most_depth) {
    for (int count = 1 + draw(3); count > 0; --count) action(depth, most_depth);
  }

  void action(int depth, int most_depth) {
    const int to = draw(buffers), size = sizes_[to];
    switch (draw(depth < most_depth ? 7 : 5)) {
      case 0:  // from another buffer
      case 1:
        line(depth, "for t in T.thread_binding({}, thread=\"threadIdx.x\"):", size);
        line(depth + 1, "S{}[t] = {} * 3 + {}", to, element(another(to), size), element(another(to), size));
        break;
      case 2:  // each its own, of a part
        line(depth, "for t in T.thread_binding({}, thread=\"threadIdx.x\"):", 1 + draw(size));
        line(depth + 1, "S{0}[t] = S{0}[t] + X[b, t]", to);
        break;
      case 3: {  // one thread
        const int from = another(to);
        line(depth, "S{}[{}] = S{}[{}] + 1", to, draw(size), from, draw(sizes_[from]));
        break;
      }
      case 4:  // what each keeps
        line(depth, "for t in T.thread_binding(12, thread=\"threadIdx.x\"):");
        line(depth + 1, "L[t] = L[t] * 5 + {}", element(to, 12));
        break;
      case 5:
        line(depth, "for r{} in range({}):", names_, 2 + draw(2));
        ++names_;
        actions(depth + 1, most_depth);
        break;
      default: line(depth, "if b < {}:", draw(3)); actions(depth + 1, most_depth);
    }
  }

  Random random_;
  std::string text_;
  int sizes_[buffers] = {};
  int names_ = 0;
};

TEST(RandomThreads, exchange_what_they_would_one_after_the_other) {
  const target::Target target = target::find("a100");
  int barriers = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Program program{"random", Writer(seed).program()};
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, program.text));
    const ThreadAnswers answers(program, seed);
    const Function all = lower_until(answers.program(), target, "unify_thread_bindings"),
                   needed = lower_until(answers.program(), target, "drop_barriers");
    ASSERT_EQ(answers.fault_of(all, seed), "") << print(all);
    ASSERT_EQ(answers.fault_of(needed, seed + 1), "") << print(needed);
    ASSERT_EQ(answers.fault_of(finished(needed, "drop_barriers", target), seed + 2), "") << print(needed);
    for (int number = 0; number < barriers_in(needed); ++number, ++barriers) {
      const Function less = without_barrier(needed, number);
      // Some stand between memory that only ends up in the same bytes.
      const bool is_missed = !answers.fault_of(less, seed).empty() ||
                             !answers.fault_of(finished(less, "drop_barriers", target), seed).empty();
      missed += is_missed ? 1 : 0;
    }
  }
  // Where it is not proved that threads do not meet, a barrier stands that nobody would miss; and memory in
  // the same bytes is not told apart by elements.
  EXPECT_GT(barriers, 100);
  EXPECT_GT(missed, barriers * 3 / 4) << missed << " of " << barriers;
}

}  // namespace

}  // namespace ardea::lower
