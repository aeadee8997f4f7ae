#include "ardea/measure/gpu_timing.h"

#include <algorithm>

#include "ardea/compile/nvrtc.h"
#include "ardea/runtime/cuda/device.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

using namespace runtime::cuda;

class CapturedGraph {
 public:
  CapturedGraph(const OwnStream& stream, const std::function<void()>& enqueue) : stream_(stream) {
    const Driver& d = driver();
    require_success(d.begin_capture(stream.get(), 2 /* this thread's own calls are no concern of others */),
                    "graph");
    try {
      enqueue();
    } catch (...) {
      d.end_capture(stream.get(), &graph_);
      if (graph_ != nullptr) d.destroy_graph(graph_);
      throw;
    }
    require_success(d.end_capture(stream.get(), &graph_), "graph");
    require_success(d.instantiate(&exec_, graph_, 0), "graph");
  }
  ~CapturedGraph() {
    driver().destroy_exec(exec_);
    driver().destroy_graph(graph_);
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  void launch() const { require_success(driver().launch_graph(exec_, stream_.get()), "graph"); }

 private:
  const OwnStream& stream_;
  Graph graph_ = nullptr;
  GraphExec exec_ = nullptr;
};

class Moment {
 public:
  Moment() { require_success(driver().create_event(&event_, 0), "event"); }
  ~Moment() { driver().destroy_event(event_); }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

  void record(const OwnStream& stream) const {
    require_success(driver().record_event(event_, stream.get()), "event");
  }
  double seconds_since(const Moment& begin) const {
    require_success(driver().wait_for_event(event_), "timed calls");
    float ms = 0;
    require_success(driver().elapsed_ms(&ms, begin.event_, event_), "event");
    return static_cast<double>(ms) * 1e-3;
  }

 private:
  Event event_ = nullptr;
};

/// A kernel that does nothing, for whatever GPU this is.
Launcher& empty_kernel() {
  static Launcher launcher(compile::cubin_of("extern \"C\" __global__ void nothing() {}",
                                             fmt::format("sm_{}", device().compute_capability), true),
                           {{.name = "nothing"}});
  return launcher;
}

}  // namespace

runtime::Timing GpuTimer::operator()(const Enqueue& enqueue) const {
  require(launches >= 1 && repeat >= 1, "GpuTimer: {} launches and {} repeats, there is at least one of each",
          launches, repeat);
  const Device& here = device();
  const OwnStream stream;
  const auto count = static_cast<std::size_t>(launches);
  enqueue(0, stream.get());  // takes memory between kernels, which no graph may
  stream.wait("the first call");
  const CapturedGraph work(stream, [&] {
    for (std::size_t i = 0; i < count; ++i) enqueue(i, stream.get());
  });
  const runtime::Function empty_host("nothing", [](std::string_view, std::span<const runtime::Value> values) {
    static_cast<Launcher*>(values[0].as<void*>())->launch(0, {1, 1, 1}, {});
    return runtime::Value();
  });
  Launcher& empty = empty_kernel();
  const CapturedGraph nothing(stream, [&] {
    for (std::size_t i = 0; i < count; ++i) empty.call(empty_host, {}, stream.get());
  });
  const std::int64_t flushed = 2 * here.l2_bytes;
  const std::shared_ptr<void> other = allocate(flushed, "filling the second cache");
  const Moment begin, end;
  const auto timed = [&](const CapturedGraph& graph) {
    require_success(driver().fill_bytes(reinterpret_cast<DevicePointer>(other.get()), 0,
                                        static_cast<std::size_t>(flushed), stream.get()),
                    "filling the second cache");
    begin.record(stream);
    graph.launch();
    end.record(stream);
    return end.seconds_since(begin);
  };
  const double start = runtime::steady_seconds();
  while (runtime::steady_seconds() - start < warmup_s) timed(work);
  std::vector<double> without, samples;
  for (std::int64_t i = 0; i < repeat; ++i) {
    without.push_back(timed(nothing));
    samples.push_back(timed(work));
  }
  const double launching = runtime::summarize(without, launches).median_s;
  // What is shorter than the launches around it ends with them: at least a cycle or so is its own.
  for (double& one : samples) one = std::max((one - launching) / static_cast<double>(launches), 1e-9);
  return runtime::summarize(samples, launches);
}

runtime::Timing GpuTimer::operator()(const compile::CudaProgram& program,
                                     std::span<const runtime::Value> arguments) const {
  std::int64_t bytes = 0;
  for (const runtime::Value& value : arguments)
    if (const auto* array = std::get_if<runtime::Array>(&value.storage())) bytes += array->byte_size();
  const std::int64_t wanted = ceil_div(2 * device().l2_bytes, std::max<std::int64_t>(bytes, 1));
  std::vector<std::vector<runtime::Value>> sets;
  for (std::int64_t i = 0; i < std::clamp<std::int64_t>(wanted, 1, launches); ++i) {
    std::vector<runtime::Value> set(arguments.begin(), arguments.end());
    for (runtime::Value& value : set)
      if (const auto* array = std::get_if<runtime::Array>(&value.storage())) value = to_device(*array);
    sets.push_back(std::move(set));
  }
  return (*this)([&](std::size_t set, Stream stream) { program.launch(sets[set % sets.size()], stream); });
}

}  // namespace ardea::measure
