#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "ardea/arith/load.h"
#include "ardea/compile/compile.h"
#include "ardea/runtime/array.h"
#include "ardea/support/random.h"

/// The vector functions of generated code against a loop over the C library's scalar ones: the same 4096
/// numbers, in turn, in one process.

namespace {

using namespace ardea;

constexpr std::int64_t count = 4096;

using Loop = void (*)(const void* x, const void* y, void* out);

/// A loop that calls `function` for each element, as one would write it in C.
template <class T, auto function>
void library_loop(const void* x, const void*, void* out) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = function(from[i]);
}

template <class T, auto function>
void library_pair_loop(const void* x, const void* y, void* out) {
  const T *left = static_cast<const T*>(x), *right = static_cast<const T*>(y);
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = function(left[i], right[i]);
}

float sigmoid_single(float x) { return 1 / (1 + expf(-x)); }
double sigmoid_double(double x) { return 1 / (1 + exp(-x)); }
float rsqrt_single(float x) { return 1 / sqrtf(x); }
double rsqrt_double(double x) { return 1 / sqrt(x); }

struct Row {
  const char* name;
  double low, high;  ///< of the arguments
  Loop of_single, of_double;
};

const Row rows[] = {
    {"exp", -10, 10, library_loop<float, expf>, library_loop<double, exp>},
    {"exp2", -10, 10, library_loop<float, exp2f>, library_loop<double, exp2>},
    {"exp10", -10, 10, library_loop<float, exp10f>, library_loop<double, exp10>},
    {"expm1", -10, 10, library_loop<float, expm1f>, library_loop<double, expm1>},
    {"log", 0.001, 100, library_loop<float, logf>, library_loop<double, log>},
    {"log2", 0.001, 100, library_loop<float, log2f>, library_loop<double, log2>},
    {"log10", 0.001, 100, library_loop<float, log10f>, library_loop<double, log10>},
    {"log1p", -0.9, 100, library_loop<float, log1pf>, library_loop<double, log1p>},
    {"rsqrt", 0.001, 100, library_loop<float, rsqrt_single>, library_loop<double, rsqrt_double>},
    {"tanh", -5, 5, library_loop<float, tanhf>, library_loop<double, tanh>},
    {"sigmoid", -10, 10, library_loop<float, sigmoid_single>, library_loop<double, sigmoid_double>},
    {"erf", -4, 4, library_loop<float, erff>, library_loop<double, erf>},
    {"sin", -10, 10, library_loop<float, sinf>, library_loop<double, sin>},
    {"cos", -10, 10, library_loop<float, cosf>, library_loop<double, cos>},
    {"tan", -10, 10, library_loop<float, tanf>, library_loop<double, tan>},
    {"asin", -1, 1, library_loop<float, asinf>, library_loop<double, asin>},
    {"acos", -1, 1, library_loop<float, acosf>, library_loop<double, acos>},
    {"atan", -10, 10, library_loop<float, atanf>, library_loop<double, atan>},
    {"sinh", -10, 10, library_loop<float, sinhf>, library_loop<double, sinh>},
    {"cosh", -10, 10, library_loop<float, coshf>, library_loop<double, cosh>},
    {"pow", 0.01, 10, library_pair_loop<float, powf>, library_pair_loop<double, pow>},
    {"atan2", -10, 10, library_pair_loop<float, atan2f>, library_pair_loop<double, atan2>},
};

bool is_pair(const std::string& name) { return name == "pow" || name == "atan2"; }

/// The function over all elements: `lanes` at a time, or one by one in a loop that is left to LLVM.
std::string program(const std::string& name, DataType type, std::int64_t lanes) {
  const std::string buffer = fmt::format("T.Buffer(({},), \"{}\")", count, to_string(type));
  const std::string at = lanes == 1 ? "i" : fmt::format("i * {0}:i * {0} + {0}", lanes);
  const std::string second = is_pair(name) ? fmt::format(", Y[{}]", at) : "";
  return fmt::format(
      "@T.prim_func\ndef {}(X: {}, Y: {}, Z: {}):\n    for i in range({}):\n        Z[{}] = T.{}(X[{}]{})\n",
      name, buffer, buffer, buffer, count / lanes, at, name, at, second);
}

double seconds_of(const std::function<void()>& run, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

runtime::Array numbers(DataType type, double low, double high, Random& random) {
  const auto array = runtime::Array::zeros({count}, type);
  for (std::int64_t i = 0; i < count; ++i) array.set_float(i, low + (high - low) * random.real());
  return array;
}

void measure(const Row& row, DataType type, const target::Target& target, int rounds) {
  Random random(1);
  const auto x = numbers(type, row.low, row.high, random), y = numbers(type, -5, 5, random);
  const auto out = runtime::Array::zeros({count}, type);
  const std::int64_t lanes = std::max<std::int64_t>(target.vector_bits / type.bits, 1);
  const auto compiled = [&](std::int64_t width) {
    return compile::callable(arith::load_program(program(row.name, type, width), "bench").functions.at(0),
                             target);
  };
  const runtime::Function vector = compiled(lanes), scalar = compiled(1);
  const Loop library = type == float32 ? row.of_single : row.of_double;
  const std::vector<runtime::Value> arguments = {x, y, out};
  const std::vector<std::function<void()>> ways = {[&] { library(x.data(), y.data(), out.data()); },
                                                   [&] { vector.call(arguments); },
                                                   [&] { scalar.call(arguments); }};
  std::vector<int> repeats;
  for (const auto& way : ways) {
    way();
    repeats.push_back(std::max(1, static_cast<int>(300e-6 / seconds_of(way, 3))));
  }
  std::vector<std::vector<double>> times(ways.size()), faster(ways.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i) {
      times[i].push_back(seconds_of(ways[i], repeats[i]));
      faster[i].push_back(times[0].back() / times[i].back());
    }
  const auto nanoseconds = [&](std::size_t i) { return median(times[i]) * 1e9 / count; };
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.1f} | {:.2f} | {:.1f} |\n", row.name, to_string(type),
             nanoseconds(0), nanoseconds(1), median(faster[1]), nanoseconds(2), median(faster[2]));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::string target_name = "host";
  std::vector<std::string> names;
  int rounds = 31;
  CLI::App app("Times the vector functions against the C library's scalar ones");
  app.add_option("functions", names, "which ones (all)");
  app.add_option("--target", target_name, "the machine to compile for");
  app.add_option("--rounds", rounds, "how often each way runs in turn")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const target::Target target = target::find(target_name);
  fmt::print("| function | type | C library, ns | vector, ns | times faster | loop, ns | times faster |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const DataType type : {float32, float64})
    for (const Row& row : rows)
      if (names.empty() || std::find(names.begin(), names.end(), row.name) != names.end())
        measure(row, type, target, rounds);
}
