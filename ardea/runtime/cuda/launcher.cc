#include "ardea/runtime/cuda/launcher.h"

#include <cstring>

#include "ardea/runtime/registry.h"
#include "ardea/support/error.h"

namespace ardea::runtime::cuda {

namespace {

Launcher& launcher_of(const Value& handle) { return *static_cast<Launcher*>(handle.as<void*>()); }

void register_functions() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_function(launch_function,
                      {launch_function, [](std::string_view, std::span<const Value> values) {
                         const std::array<std::int64_t, 3> grid = {values[2].as<std::int64_t>(),
                                                                   values[3].as<std::int64_t>(),
                                                                   values[4].as<std::int64_t>()};
                         launcher_of(values[0]).launch(static_cast<std::size_t>(values[1].as<std::int64_t>()),
                                                       grid, values.subspan(5));
                         return Value(std::int64_t{0});
                       }});
    register_function(workspace_function,
                      {workspace_function, [](std::string_view, std::span<const Value> values) {
                         return Value(launcher_of(values[0]).workspace(values[1].as<std::int64_t>()));
                       }});
  });
}

/// The bytes of a number as a kernel takes it.
std::uint64_t bits_of_number(const Value& value, DataType type) {
  std::uint64_t bits = 0;
  if (type == float32) {
    const auto number = static_cast<float>(value.as<double>());
    std::memcpy(&bits, &number, sizeof(number));
  } else if (type == float64) {
    const double number = value.as<double>();
    std::memcpy(&bits, &number, sizeof(number));
  } else {
    ensure(type.is_integer() || type.is_bool(), "a kernel takes a number of type {}", to_string(type));
    bits = static_cast<std::uint64_t>(value.as<std::int64_t>());
  }
  return bits;
}

}  // namespace

Launcher::Launcher(const std::string& cubin, std::vector<KernelPlan> kernels) {
  register_functions();
  const Device& here = device();
  const Driver& d = driver();
  require_success(d.load_module(&module_, cubin.data()), "CUDA: loading kernels on " + here.name);
  for (KernelPlan& plan : kernels) {
    Loaded loaded{std::move(plan)};
    require_success(d.find_kernel(&loaded.kernel, module_, loaded.plan.name.c_str()), loaded.plan.name);
    require_success(
        d.set_kernel_attribute(loaded.kernel, most_dynamic_shared_bytes,
                               static_cast<int>(loaded.plan.shared_bytes)),
        fmt::format("{}: {} bytes of shared memory a block", loaded.plan.name, loaded.plan.shared_bytes));
    kernels_.push_back(std::move(loaded));
  }
}

Launcher::~Launcher() { driver().unload_module(module_); }

void Launcher::call(const Function& host, std::span<const Value> arguments, Stream stream) {
  const std::lock_guard lock(calls_);
  device();
  stream_ = stream;
  requested_ = 0;
  has_launched_ = false;
  std::vector<Value> all(arguments.begin(), arguments.end());
  all.emplace_back(static_cast<void*>(this));
  host.call(all);
}

std::vector<KernelResources> Launcher::resources() const {
  std::vector<KernelResources> all;
  for (const Loaded& one : kernels_) {
    KernelResources found{one.plan.name};
    require_success(driver().kernel_attribute(&found.registers, registers, one.kernel), one.plan.name);
    require_success(driver().kernel_attribute(&found.local_bytes, local_bytes, one.kernel), one.plan.name);
    all.push_back(found);
  }
  return all;
}

void Launcher::launch(std::size_t kernel, const std::array<std::int64_t, 3>& grid,
                      std::span<const Value> arguments) {
  const Loaded& one = kernels_.at(kernel);
  const KernelPlan& plan = one.plan;
  ensure(arguments.size() == plan.arguments.size(), "{} takes {} arguments, {} are given", plan.name,
         plan.arguments.size(), arguments.size());
  for (const std::int64_t blocks : grid)
    if (blocks <= 0) return;  // CUDA has no empty grid
  std::vector<std::uint64_t> held(arguments.size());
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    held[i] = plan.arguments[i].is_handle() ? reinterpret_cast<std::uint64_t>(arguments[i].as<void*>())
                                            : bits_of_number(arguments[i], plan.arguments[i]);
    addresses.push_back(&held[i]);
  }
  std::vector<EncodedBox> boxes;
  boxes.reserve(plan.boxes.size());
  for (const TensorBox& box : plan.boxes) boxes.push_back(encoded(box, held.at(box.argument), plan.name));
  for (EncodedBox& box : boxes) addresses.push_back(&box);
  const auto number = [](std::int64_t x) { return static_cast<unsigned>(x); };
  // What a call launches first waits for all that the stream does: who used the arrays before it, this
  // function or another, has ended. That first one may be any, since those without blocks are not launched.
  Result result = 0;
  if (plan.begins_early && has_launched_ && driver().launch_as_planned != nullptr) {
    LaunchAttribute early{.id = LaunchAttribute::programmatic_stream_serialization, .number = 1};
    const LaunchPlan all{.grid = {number(grid[0]), number(grid[1]), number(grid[2])},
                         .block = {number(plan.block[0]), number(plan.block[1]), number(plan.block[2])},
                         .shared_bytes = number(plan.shared_bytes),
                         .stream = stream_,
                         .attributes = &early,
                         .attribute_count = 1};
    result = driver().launch_as_planned(&all, one.kernel, addresses.data(), nullptr);
  } else {
    result = driver().launch(one.kernel, number(grid[0]), number(grid[1]), number(grid[2]),
                             number(plan.block[0]), number(plan.block[1]), number(plan.block[2]),
                             number(plan.shared_bytes), stream_, addresses.data(), nullptr);
  }
  require_success(result, fmt::format("{}: grid ({}, {}, {})", plan.name, grid[0], grid[1], grid[2]));
  has_launched_ = true;
}

void* Launcher::workspace(std::int64_t bytes) {
  if (requested_ == workspaces_.size()) workspaces_.emplace_back();
  Workspace& space = workspaces_[requested_++];
  if (space.memory == nullptr || space.bytes < bytes) {
    space.memory.reset();
    space.memory = allocate(bytes, "memory between kernels");
    space.bytes = bytes;
  }
  return space.memory.get();
}

}  // namespace ardea::runtime::cuda
