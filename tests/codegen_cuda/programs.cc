#include "tests/codegen_cuda/programs.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "ardea/arith/load.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ops/registry.h"
#include "ardea/schedule/parse_script.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/text_file.h"

namespace ardea::codegen {

const target::Target& gpu() {
  static const target::Target h200 = target::find("h200");
  return h200;
}

namespace {

Function scheduled(const std::string& op, const std::vector<std::int64_t>& sizes, const std::string& steps) {
  schedule::Schedule schedule(ops::create_function(ops::make_workload({.op = op, .sizes = sizes}), op));
  schedule.replay(schedule::parse_script(steps, op));
  return schedule.program();
}

/// The steps of examples/gemm_threads.py.
std::string product_steps() {
  return read_text_file(std::string(ARDEA_SOURCE_DIR) + "/examples/gemm_threads.py");
}

}  // namespace

Function scheduled_product() {
  Function f = scheduled("gemm", {128, 128, 64}, product_steps());
  for (const char* array : {"A", "B", "C"}) f = promise_alignment(f, array, 16, "test");
  return f;
}

Function pipelined_product() {
  Function f = scheduled("gemm", {64, 64, 64},
                         product_steps() +
                             "sch.annotate(a, \"first_cache\", 1)\n"
                             "sch.software_pipeline(k_out, [0, 0, 1], [0, 1, 2])\n");
  f.name = "pipelined";
  return f;
}

namespace {

const char* const softmax_steps = R"(
out = sch.get_block("softmax")
row, column = sch.get_loops(out)
scale = sch.get_block("softmax_scale")
total = sch.get_block("softmax_sum")
power = sch.get_block("softmax_exp")
largest = sch.get_block("softmax_max")
sch.set_scope(scale, 0, "shared")
sch.set_scope(total, 0, "shared")
sch.set_scope(power, 0, "shared")
sch.set_scope(largest, 0, "shared")
sch.compute_at(scale, row)
sch.compute_at(total, row)
sch.compute_at(power, row)
sch.compute_at(largest, row)
sch.bind(row, "blockIdx.x")
rounds, thread = sch.split(column, [None, 32])
sch.bind(thread, "threadIdx.x")
row, column = sch.get_loops(power)
rounds, thread = sch.split(column, [None, 16])
sch.bind(thread, "threadIdx.x")
)";

const char* const sum_steps = R"(
total = sch.get_block("sum")
row, column = sch.get_loops(total)
rounds, thread = sch.split(column, [None, 32])
parts = sch.rfactor(thread, 1)
sch.set_scope(parts, 0, "shared")
row, column = sch.get_loops(total)
sch.compute_at(parts, row)
sch.bind(row, "blockIdx.x")
row, thread, rounds = sch.get_loops(parts)
sch.bind(thread, "threadIdx.x")
)";

const char* const sum_by_threads_steps = R"(
total = sch.get_block("sum")
row, column = sch.get_loops(total)
block, y = sch.split(row, [None, 2])
rounds, thread = sch.split(column, [None, 32])
sch.bind(block, "blockIdx.x")
sch.bind(y, "threadIdx.y")
sch.bind(thread, "threadIdx.x")
)";

/// As many threads as make no whole warps.
const char* const largest_by_threads_steps = R"(
largest = sch.get_block("max")
row, column = sch.get_loops(largest)
rounds, thread = sch.split(column, [None, 100])
sch.bind(row, "blockIdx.x")
sch.bind(thread, "threadIdx.x")
)";

const char* const transpose_steps = R"(
out = sch.get_block("transpose")
row, column = sch.get_loops(out)
block_y, y = sch.split(row, [None, 16])
block_x, x = sch.split(column, [None, 16])
sch.reorder(block_y, block_x, y, x)
tile = sch.cache_read(out, 0, "shared")
sch.compute_at(tile, block_x)
sch.bind(block_y, "blockIdx.y")
sch.bind(block_x, "blockIdx.x")
sch.bind(y, "threadIdx.y")
sch.bind(x, "threadIdx.x")
y, x = sch.get_loops(tile)[2:4]
sch.bind(y, "threadIdx.y")
sch.bind(x, "threadIdx.x")
)";

}  // namespace

std::vector<Function> scheduled_rows() {
  Function by_warps = scheduled("reduce_sum", {5, 67}, sum_by_threads_steps);
  by_warps.name = "sum_by_warps";
  return {scheduled("softmax", {7, 101}, softmax_steps), scheduled("reduce_sum", {5, 131}, sum_steps),
          scheduled("transpose", {33, 19}, transpose_steps), by_warps,
          scheduled("reduce_max", {3, 131}, largest_by_threads_steps)};
}

Function types_program() {
  const std::vector<std::string> types = {
      "bool",   "int8",    "int16",    "int32",   "int64",   "uint8", "uint16",      "uint32",
      "uint64", "float16", "bfloat16", "float32", "float64", "int4",  "float8_e4m3", "float8_e5m2"};
  std::string head = "@T.prim_func\ndef types(", body;
  for (const std::string& type : types) {
    head += fmt::format("X_{0}: T.Buffer((64,), \"{0}\"), ", type);
    if (type != "int4") head += fmt::format("Y_{0}: T.Buffer((64,), \"{0}\"), ", type);
  }
  head += "S: T.Buffer((64,), \"int32\")):\n    for t in T.thread_binding(64, thread=\"threadIdx.x\"):\n";
  const auto is_plain = [](const std::string& type) {
    return type != "bool" && type != "int4" && !type.starts_with("float8");
  };
  for (const std::string& to : types) {
    if (to == "int4") continue;
    std::string value = fmt::format("X_{}[t]", to);
    if (is_plain(to)) {
      const bool is_float = to.find("float") != std::string::npos;
      value = is_float
                  ? fmt::format("T.max({0} / X_{1}[63 - t], T.min(-{0}, T.exp({0}) - {0} * {0}))", value, to)
                  : fmt::format(
                        "T.max({0} // ({2}) + {0} % ({2}), T.min({0} << X_{1}[0], T.truncdiv({0}, {2}) + "
                        "T.truncmod({0}, {2}) - {0} * (X_{1}[2] >> {0})))",
                        value, to, fmt::format("X_{0}[63 - t] | T.Cast(\"{0}\", 1)", to));
      for (const std::string& from : types)
        if (from != to) value += fmt::format(" + T.Cast(\"{}\", X_{}[t])", to, from);
    }
    body += fmt::format("        Y_{}[t] = {}\n", to, value);
  }
  body += "        S[t] = T.popcount(X_int32[t]) + T.clz(X_int32[t]) + T.abs(X_int32[t])\n";
  return arith::load_program(head + body, "types").functions.at(0);
}

}  // namespace ardea::codegen
