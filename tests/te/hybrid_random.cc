#include <gtest/gtest.h>

#include "ardea/support/random.h"
#include "ardea/te/hybrid.h"
#include "tests/te/both_ways.h"

namespace ardea::te {
namespace {

/// Writes functions of an int64 matrix a of n × 3 numbers and of n that fill c, 7 numbers. Every store is
/// taken modulo 97, so that no product of a few of them leaves 64 bits, every index modulo its extent.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string function() {
    line("def f(a, n):");
    depth_ = 1;
    line("c = output_tensor((7,), a.dtype)");
    line("for i in range(7): c[i] = i");
    statements(3, static_cast<int>(random_.integer(3, 6)));
    line("return c");
    return text_;
  }

 private:
  void line(const std::string& words) {
    text_ += std::string(4 * static_cast<std::size_t>(depth_), ' ') + words + "\n";
  }

  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }

  std::string leaf() {
    switch (random_.integer(0, 5)) {
      case 0: return std::to_string(random_.integer(0, 9));
      case 1: return readable_.empty() ? "n" : random_.pick(readable_);
      case 2: return readable_.empty() ? "a.shape[0]" : random_.pick(readable_);
      case 3: return "c[" + index("7") + "]";
      case 4: {
        const std::string row = index("n");
        return "a[" + row + ", " + index("3") + "] % 97";
      }
      default: {
        if (arrays_.empty()) return "-3";
        const std::string array = random_.pick(arrays_);
        return array + "[" + index("4") + "]";
      }
    }
  }

  std::string index(const std::string& extent) {
    return (readable_.empty() ? std::to_string(random_.integer(0, 9)) : random_.pick(readable_)) + " % " +
           extent;
  }

  std::string value(int depth) {
    if (depth == 0) return leaf();
    const std::string x = value(depth - 1), y = value(depth - 1);
    switch (random_.integer(0, 8)) {
      case 0: return "(" + x + " + " + y + ")";
      case 1: return "(" + x + " - " + y + ")";
      case 2: return "(" + x + ") * (" + y + ")";
      case 3: return "(" + x + ") // " + std::to_string(random_.integer(1, 5));
      case 4: return "(" + x + ") % -" + std::to_string(random_.integer(1, 5));
      case 5: return "min(" + x + ", " + y + ", 50)";
      case 6: return "(" + x + " if " + condition() + " else " + y + ")";
      case 7: return "((" + x + ") ^ (" + y + ")) % 97";
      default: return "-(" + x + ")";
    }
  }

  std::string condition() {
    const std::string x = leaf(), y = leaf(), z = leaf();
    switch (random_.integer(0, 3)) {
      case 0: return x + " < " + y + " <= " + z;
      case 1: return "not " + x + " == " + y;
      case 2: return "(" + x + " > " + y + " or " + y + " != " + z + ")";
      default: return x + " >= " + y + " and " + z + " < 40";
    }
  }

  std::string stored() { return "(" + value(static_cast<int>(random_.integer(0, 2))) + ") % 97"; }

  void statements(int levels, int count) {
    const std::size_t readable = readable_.size(), writable = writable_.size(), arrays = arrays_.size();
    for (int i = 0; i < count; ++i) statement(levels);
    readable_.resize(readable);
    writable_.resize(writable);
    arrays_.resize(arrays);
  }

  void suite(const std::string& head, int levels) {
    line(head + ":");
    ++depth_;
    statements(levels - 1, static_cast<int>(random_.integer(1, 3)));
    --depth_;
  }

  void statement(int levels) {
    switch (random_.integer(levels > 0 ? 0 : 4, 9)) {
      case 0:
      case 1: loop(levels); break;
      case 2:
        suite("if " + condition(), levels);
        if (random_.chance(0.5)) suite("elif " + condition(), levels);
        if (random_.chance(0.5)) suite("else", levels);
        break;
      case 3: {
        const std::string name = fresh("t");
        line(name + " = allocate((4,), \"int64\", \"local\")");
        line("for k in unroll(4): " + name + "[k] = " + stored());
        arrays_.push_back(name);
        break;
      }
      case 4:
      case 5: {
        const std::string name = fresh("x");
        line(name + " = " + stored());
        readable_.push_back(name);
        writable_.push_back(name);
        break;
      }
      case 6:
      case 7:
        if (!writable_.empty()) {
          const std::string name = random_.pick(writable_);
          line(name + " = " + stored());
          break;
        }
        [[fallthrough]];
      case 8: {
        const std::string place = index("7");
        line("c[" + place + "] = " + stored());
        break;
      }
      default: line("assert 0 <= c[" + index("7") + "] < 97");
    }
  }

  void loop(int levels) {
    const std::string name = fresh("i");
    const std::vector<std::string> heads = {"range(n)",  "range(2, n + 1)",       "const_range(3)",
                                            "unroll(3)", "const_range(5, 0, -2)", "vectorize(4)",
                                            "serial(2)", "bind(\"vthread\", 2)"};
    readable_.push_back(name);
    suite("for " + name + " in " + random_.pick(heads), levels);
    readable_.pop_back();
  }

  Random random_;
  std::string text_;
  int depth_ = 0, names_ = 0;
  std::vector<std::string> readable_, writable_, arrays_;
};

TEST(HybridRandom, functions_give_the_same_answers_interpreted_and_compiled) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::string source = Writer(seed).function();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + source);
    const Var n = size("n");
    const Tensor a = placeholder("a", {n, 3}, int64);
    const Tensor c = hybrid(source, {a, n})[0];
    test::run_both_ways(create_prim_func({a, c}), seed, {{"n", static_cast<std::int64_t>(seed % 5 + 1)}});
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace ardea::te
