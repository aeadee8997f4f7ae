#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <bit>
#include <mutex>
#include <thread>

#include "tests/functions/errors/error.h"

/// Measures the error of every function: on all float16, bfloat16 and float32 values and on many random
/// float64 numbers (and pairs of them). Prints a table; exit code 1 where a stated error is exceeded.

namespace {

using namespace ardea;
using namespace ardea::functions_test;

struct Plan {
  std::string target = "host";
  std::vector<std::string> functions;
  std::uint64_t stride = 1;
  std::int64_t random_count = 10'000'000;
  std::uint64_t seed = 1;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
};

/// The arguments of piece `index`, of many pieces.
struct Piece {
  std::vector<double> x, y;
};

constexpr std::uint64_t piece_size = 1 << 18;

std::uint64_t pieces(const Subject& subject, const Plan& plan) {
  if (subject.type().bits == 16) return 1;
  const bool every = subject.type() == float32 && subject.arity() == 1;
  const std::uint64_t total =
      every ? (std::uint64_t{1} << 32) / plan.stride : static_cast<std::uint64_t>(plan.random_count);
  return (total + piece_size - 1) / piece_size;
}

double from_bits(std::uint64_t bits, DataType type) {
  const auto array = runtime::Array::zeros({1}, type);
  array.set_bits(0, bits);
  return array.get_float(0);
}

Piece piece(const Subject& subject, const Plan& plan, std::uint64_t index) {
  Piece out;
  Random random(plan.seed * 0x9e3779b97f4a7c15ULL + index);
  const DataType type = subject.type();
  if (type.bits == 16) {
    for (std::uint64_t bits = 0; bits < 65536; ++bits) out.x.push_back(from_bits(bits, type));
  } else if (type == float32 && subject.arity() == 1) {
    for (std::uint64_t i = 0; i < piece_size; ++i) {
      const std::uint64_t bits = (index * piece_size + i) * plan.stride;
      if (bits >> 32 == 0) out.x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
  } else {
    if (index == 0) out.x = special_arguments(type, 20);
    while (out.x.size() < piece_size) out.x.push_back(random_argument(random, type));
  }
  if (subject.arity() == 2)
    for (std::size_t i = 0; i < out.x.size(); ++i)
      out.y.push_back(type.bits == 16 ? from_bits(random.next() & 0xffff, type)
                                      : random_argument(random, type));
  return out;
}

Worst measured(const Subject& subject, const Plan& plan) {
  Worst worst;
  std::atomic<std::uint64_t> next = 0;
  const std::uint64_t count = pieces(subject, plan);
  std::mutex lock;
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < plan.threads; ++i)
    workers.emplace_back([&] {
      for (std::uint64_t at = next++; at < count; at = next++) {
        const Piece part = piece(subject, plan, at);
        const Worst here = subject.measure(part.x, part.y);
        const std::lock_guard guard(lock);
        worst.meet(here);
      }
    });
  workers.clear();
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  std::vector<std::string> types = {"float16", "bfloat16", "float32", "float64"};
  CLI::App app("Measures the error of the functions in compiled code, in units in the last place");
  app.add_option("functions", plan.functions, "which ones (all)");
  app.add_option("--types", types, "of which types")->delimiter(',');
  app.add_option("--target", plan.target, "compiled for which machine, which this one must be able to run");
  app.add_option("--stride", plan.stride, "every n-th float32 value (1: all of them)");
  app.add_option("--random", plan.random_count, "how many random float64 numbers, and pairs of both types");
  app.add_option("--seed", plan.seed, "of the random numbers");
  app.add_option("--threads", plan.threads, "how many");
  CLI11_PARSE(app, argc, argv);
  if (plan.functions.empty())
    for (const Accuracy& row : accuracies()) plan.functions.emplace_back(row.function);

  const target::Target target = target::find(plan.target);
  bool good = true;
  fmt::print("{:10} {:9} {:>10} {:>8} {:>8}  {}\n", "function", "type", "values", "max ulp", "stated", "at");
  for (const std::string& function : plan.functions)
    for (const std::string& name : types) {
      const DataType type = *parse_data_type(name);
      const Subject subject(function, type, target);
      const Worst worst = measured(subject, plan);
      const double stated = error_ulp(*find_accuracy(function), type);
      good = good && worst.ulp <= stated;
      fmt::print("{:10} {:9} {:>10} {:>8.3f} {:>8}  {}\n", function, name, worst.count, worst.ulp, stated,
                 describe(subject, worst));
      std::fflush(stdout);
    }
  return good ? 0 : 1;
}
