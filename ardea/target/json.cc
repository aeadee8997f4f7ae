#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/target/target.h"

namespace ardea::target {
namespace {

using nlohmann::json;

/// Reads the fields of one object. A field asked for is thereby known; whatever else the object holds is
/// refused by done(), so the fields are listed once, where they are read.
class Fields {
 public:
  Fields(const json& object, std::string where, std::string path)
      : object_(object), where_(std::move(where)), path_(std::move(path)) {
    require(object.is_object(), "{}: {} must be a JSON object, not {}", where_,
            path_.empty() ? "a target" : "field \"" + path_ + "\"", object.type_name());
  }

  const json* find(const std::string& name) {
    known_.push_back(name);
    const auto field = object_.find(name);
    return field == object_.end() ? nullptr : &*field;
  }

  const json& get(const std::string& name) {
    const json* field = find(name);
    require(field != nullptr,
            "{}: field \"{}\" is missing; add it (`ardea target --json` prints a whole record)", where_,
            full(name));
    return *field;
  }

  std::string text(const std::string& name) { return as_text(get(name), name); }

  std::string as_text(const json& value, const std::string& name) const {
    if (!value.is_string()) wrong_type(name, "a string", value);
    return value.get<std::string>();
  }

  template <class Integer>
  Integer integer(const std::string& name) {
    return as_integer<Integer>(get(name), name);
  }

  template <class Integer>
  std::optional<Integer> optional_integer(const std::string& name) {
    const json* field = find(name);
    return field ? std::optional(as_integer<Integer>(*field, name)) : std::nullopt;
  }

  double number(const std::string& name) {
    const json& value = get(name);
    if (!value.is_number()) wrong_type(name, "a number", value);
    return value.get<double>();
  }

  const json& array(const std::string& name) {
    const json& value = get(name);
    if (!value.is_array()) wrong_type(name, "an array", value);
    return value;
  }

  Fields object(const std::string& name, const json& value) const { return {value, where_, full(name)}; }

  void done() const {
    for (const auto& [name, value] : object_.items())
      require(std::find(known_.begin(), known_.end(), name) != known_.end(),
              "{}: field \"{}\" is unknown; the fields here are {}{}", where_, full(name), join(known_, ", "),
              did_you_mean(name, known_));
  }

  [[noreturn]] void wrong_type(const std::string& name, std::string_view wanted, const json& value) const {
    // error_handler_t::replace: the message must not fail on a string that is not UTF-8.
    fail("{}: field \"{}\" must be {}, not {}", where_, full(name), wanted,
         value.dump(-1, ' ', false, json::error_handler_t::replace));
  }

 private:
  std::string full(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

  template <class Integer>
  Integer as_integer(const json& value, const std::string& name) const {
    if (!value.is_number_integer()) wrong_type(name, "an integer", value);
    constexpr auto largest = std::numeric_limits<Integer>::max();
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(largest)
                          : value.get<std::int64_t>() >= std::numeric_limits<Integer>::min() &&
                                value.get<std::int64_t>() <= largest;
    if (!fits) wrong_type(name, fmt::format("an integer of at most {}", largest), value);
    return value.get<Integer>();
  }

  const json& object_;
  std::string where_;
  std::string path_;
  std::vector<std::string> known_;
};

template <class Enum, std::size_t N>
Enum one_of(Fields& fields, const std::string& name, const Enum (&values)[N]) {
  const json& value = fields.get(name);
  std::vector<std::string> spellings;
  for (const Enum e : values) {
    if (value == to_string(e)) return e;
    spellings.push_back(to_string(e));
  }
  fields.wrong_type(name, "one of " + join(spellings, ", "), value);
}

Cache read_cache(Fields fields) {
  Cache cache{.level = fields.integer<int>("level"),
              .bytes = fields.integer<std::int64_t>("bytes"),
              .ways = fields.optional_integer<int>("ways"),
              .line_bytes = fields.integer<int>("line_bytes"),
              .shared_by_cores = fields.integer<int>("shared_by_cores")};
  fields.done();
  return cache;
}

json write(const Cache& cache) {
  json record = {{"level", cache.level},
                 {"bytes", cache.bytes},
                 {"line_bytes", cache.line_bytes},
                 {"shared_by_cores", cache.shared_by_cores}};
  if (cache.ways) record["ways"] = *cache.ways;
  return record;
}

Core read_core(Fields fields) {
  Core core{.multiplications_per_cycle = fields.integer<int>("multiplications_per_cycle"),
            .loads_per_cycle = fields.integer<int>("loads_per_cycle"),
            .sum_cycles = fields.integer<int>("sum_cycles"),
            .page_bytes = fields.integer<int>("page_bytes")};
  fields.done();
  return core;
}

json write(const Core& core) {
  return {{"multiplications_per_cycle", core.multiplications_per_cycle},
          {"loads_per_cycle", core.loads_per_cycle},
          {"sum_cycles", core.sum_cycles},
          {"page_bytes", core.page_bytes}};
}

CopyEngine read_copy_engine(Fields fields) {
  CopyEngine engine{.name = fields.text("name"),
                    .granule_bytes = fields.integer<int>("granule_bytes"),
                    .max_rank = fields.integer<int>("max_rank"),
                    .max_extent = fields.optional_integer<int>("max_extent"),
                    .max_bytes = fields.optional_integer<int>("max_bytes"),
                    .bytes_per_cycle = fields.optional_integer<int>("bytes_per_cycle"),
                    .latency_cycles = fields.optional_integer<int>("latency_cycles")};
  fields.done();
  return engine;
}

json write(const CopyEngine& engine) {
  json record = {
      {"name", engine.name}, {"granule_bytes", engine.granule_bytes}, {"max_rank", engine.max_rank}};
  if (engine.max_extent) record["max_extent"] = *engine.max_extent;
  if (engine.max_bytes) record["max_bytes"] = *engine.max_bytes;
  if (engine.bytes_per_cycle) record["bytes_per_cycle"] = *engine.bytes_per_cycle;
  if (engine.latency_cycles) record["latency_cycles"] = *engine.latency_cycles;
  return record;
}

std::vector<CopyEngine> read_copy_engines(Fields& fields) {
  std::vector<CopyEngine> engines;
  for (const json& engine : fields.array("copy_engines"))
    engines.push_back(read_copy_engine(fields.object("copy_engines[]", engine)));
  return engines;
}

json write(const std::vector<CopyEngine>& engines) {
  json all = json::array();
  for (const CopyEngine& engine : engines) all.push_back(write(engine));
  return all;
}

Gpu read_gpu(Fields fields) {
  Gpu gpu{.shared_bytes_per_block = fields.integer<std::int64_t>("shared_bytes_per_block"),
          .shared_bytes_per_core = fields.integer<std::int64_t>("shared_bytes_per_core"),
          .shared_bytes_reserved_per_block = fields.integer<std::int64_t>("shared_bytes_reserved_per_block"),
          .shared_banks = fields.integer<int>("shared_banks"),
          .shared_bank_bytes = fields.integer<int>("shared_bank_bytes"),
          .registers_per_core = fields.integer<std::int64_t>("registers_per_core"),
          .registers_per_block = fields.integer<std::int64_t>("registers_per_block"),
          .registers_per_thread = fields.integer<int>("registers_per_thread"),
          .register_granule = fields.integer<int>("register_granule"),
          .threads_per_block = fields.integer<int>("threads_per_block"),
          .threads_per_core = fields.integer<int>("threads_per_core"),
          .blocks_per_core = fields.integer<int>("blocks_per_core"),
          .warp_threads = fields.integer<int>("warp_threads"),
          .barriers_per_block = fields.integer<int>("barriers_per_block")};
  gpu.copy_engines = read_copy_engines(fields);
  fields.done();
  return gpu;
}

json write(const Gpu& gpu) {
  return {{"shared_bytes_per_block", gpu.shared_bytes_per_block},
          {"shared_bytes_per_core", gpu.shared_bytes_per_core},
          {"shared_bytes_reserved_per_block", gpu.shared_bytes_reserved_per_block},
          {"shared_banks", gpu.shared_banks},
          {"shared_bank_bytes", gpu.shared_bank_bytes},
          {"registers_per_core", gpu.registers_per_core},
          {"registers_per_block", gpu.registers_per_block},
          {"registers_per_thread", gpu.registers_per_thread},
          {"register_granule", gpu.register_granule},
          {"threads_per_block", gpu.threads_per_block},
          {"threads_per_core", gpu.threads_per_core},
          {"blocks_per_core", gpu.blocks_per_core},
          {"warp_threads", gpu.warp_threads},
          {"barriers_per_block", gpu.barriers_per_block},
          {"copy_engines", write(gpu.copy_engines)}};
}

Accelerator read_accelerator(Fields fields) {
  Accelerator accelerator{.virtual_threads = fields.integer<int>("virtual_threads"),
                          .cycles_per_second = fields.optional_integer<std::int64_t>("cycles_per_second"),
                          .copy_engines = read_copy_engines(fields)};
  for (const json& one : fields.array("scratchpads")) {
    Fields scratchpad = fields.object("scratchpads[]", one);
    accelerator.scratchpads.push_back(
        {.scope = scratchpad.text("scope"), .bytes = scratchpad.integer<std::int64_t>("bytes")});
    scratchpad.done();
  }
  fields.done();
  return accelerator;
}

json write(const Accelerator& accelerator) {
  json scratchpads = json::array();
  for (const Scratchpad& one : accelerator.scratchpads)
    scratchpads.push_back({{"scope", one.scope}, {"bytes", one.bytes}});
  json record = {{"scratchpads", std::move(scratchpads)},
                 {"virtual_threads", accelerator.virtual_threads},
                 {"copy_engines", write(accelerator.copy_engines)}};
  if (accelerator.cycles_per_second) record["cycles_per_second"] = *accelerator.cycles_per_second;
  return record;
}

TensorShape read_tensor_shape(Fields fields) {
  TensorShape shape{.unit = fields.text("unit"),
                    .inputs = fields.text("inputs"),
                    .sums = fields.text("sums"),
                    .rows = fields.integer<int>("rows"),
                    .columns = fields.integer<int>("columns"),
                    .most_columns = fields.optional_integer<int>("most_columns"),
                    .depth = fields.integer<int>("depth")};
  fields.done();
  return shape;
}

json write(const TensorShape& shape) {
  json record = {{"unit", shape.unit}, {"inputs", shape.inputs},   {"sums", shape.sums},
                 {"rows", shape.rows}, {"columns", shape.columns}, {"depth", shape.depth}};
  if (shape.most_columns) record["most_columns"] = *shape.most_columns;
  return record;
}

std::map<std::string, double> read_peaks(Fields fields, const json& peaks) {
  std::map<std::string, double> result;
  for (const auto& [name, rate] : peaks.items()) result[name] = fields.number(name);
  return result;
}

}  // namespace

nlohmann::json to_json(const Target& target) {
  json record = {{"name", target.name},
                 {"kind", to_string(target.kind)},
                 {"arch", to_string(target.arch)},
                 {"triple", target.triple},
                 {"cpu", target.cpu},
                 {"features", target.features},
                 {"cores", target.cores},
                 {"vector_bits", target.vector_bits},
                 {"vector_registers", target.vector_registers},
                 {"caches", json::array()},
                 {"memory_bytes", target.memory_bytes}};
  for (const Cache& cache : target.caches) record["caches"].push_back(write(cache));
  if (target.kind == Kind::cpu) record["core"] = write(target.core);
  if (target.gpu) record["gpu"] = write(*target.gpu);
  if (target.accelerator) record["accelerator"] = write(*target.accelerator);
  for (const TensorShape& shape : target.tensor_shapes) record["tensor_shapes"].push_back(write(shape));
  if (!target.peak_per_second.empty()) record["peak_per_second"] = target.peak_per_second;
  return record;
}

Target from_json(const nlohmann::json& record, std::string_view where) {
  Fields fields(record, std::string(where), "");
  Target target;
  target.name = fields.text("name");
  target.kind = one_of(fields, "kind", {Kind::cpu, Kind::cuda, Kind::accelerator});
  target.arch = one_of(fields, "arch", {Arch::x86_64, Arch::aarch64, Arch::nvptx64, Arch::vta});
  target.triple = fields.text("triple");
  target.cpu = fields.text("cpu");
  for (const json& feature : fields.array("features"))
    target.features.push_back(fields.as_text(feature, "features[]"));
  target.cores = fields.integer<int>("cores");
  target.vector_bits = fields.integer<int>("vector_bits");
  target.vector_registers = fields.integer<int>("vector_registers");
  for (const json& cache : fields.array("caches"))
    target.caches.push_back(read_cache(fields.object("caches[]", cache)));
  target.memory_bytes = fields.integer<std::int64_t>("memory_bytes");
  if (target.kind == Kind::cpu) target.core = read_core(fields.object("core", fields.get("core")));
  if (const json* gpu = fields.find("gpu")) target.gpu = read_gpu(fields.object("gpu", *gpu));
  if (const json* accelerator = fields.find("accelerator"))
    target.accelerator = read_accelerator(fields.object("accelerator", *accelerator));
  if (fields.find("tensor_shapes") != nullptr)
    for (const json& shape : fields.array("tensor_shapes"))
      target.tensor_shapes.push_back(read_tensor_shape(fields.object("tensor_shapes[]", shape)));
  if (const json* peaks = fields.find("peak_per_second"))
    target.peak_per_second = read_peaks(fields.object("peak_per_second", *peaks), *peaks);
  fields.done();
  check(target, where);
  return target;
}

}  // namespace ardea::target
