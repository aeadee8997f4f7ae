#include "ardea/measure/gpu_timing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ardea/compile/nvrtc.h"
#include "ardea/measure/statistics.h"
#include "ardea/runtime/cuda/device.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

using namespace runtime::cuda;

/// A kernel that does nothing, for whatever GPU this is.
Launcher& empty_kernel() {
  static Launcher launcher(compile::cubin_of("extern \"C\" __global__ void nothing() {}",
                                             fmt::format("sm_{}", device().compute_capability), true)
                               .code,
                           {{.name = "nothing"}});
  return launcher;
}

/// Kernels that last so many cycles and twice as many: together they tell the clock without what a launch
/// takes.
constexpr std::int64_t counted_cycles = 400'000;
Launcher& counting_kernels() {
  static Launcher launcher(compile::cubin_of(fmt::format(R"(
__device__ void count(long long cycles) {{
  const long long begin = clock64();
  while (clock64() - begin < cycles) {{}}
}}
extern "C" __global__ void once() {{ count({0}); }}
extern "C" __global__ void twice() {{ count(2 * {0}); }}
)",
                                                         counted_cycles),
                                             fmt::format("sm_{}", device().compute_capability), true)
                               .code,
                           {{.name = "once"}, {.name = "twice"}});
  return launcher;
}

/// The kernel of that number, by one thread.
void enqueue_one(Launcher& kernels, std::size_t number, Stream stream) {
  const runtime::Function host("one", [number](std::string_view, std::span<const runtime::Value> values) {
    static_cast<Launcher*>(values[0].as<void*>())->launch(number, {1, 1, 1}, {});
    return runtime::Value();
  });
  kernels.call(host, {}, stream);
}

/// What is shorter than the launches around it ends with them: at least a cycle or so is its own.
double call_of(double graph_s, double empty_s, std::int64_t launches) {
  return std::max((graph_s - empty_s) / static_cast<double>(launches), 1e-9);
}

}  // namespace

class GpuStopwatch::Graph {
 public:
  Graph(const OwnStream& stream, std::int64_t launches, const Enqueue& enqueue) {
    const Driver& d = driver();
    require_success(d.begin_capture(stream.get(), 2 /* this thread's own calls are no concern of others */),
                    "graph");
    try {
      for (std::int64_t i = 0; i < launches; ++i) enqueue(static_cast<std::size_t>(i), stream.get());
    } catch (...) {
      d.end_capture(stream.get(), &graph_);
      if (graph_ != nullptr) d.destroy_graph(graph_);
      throw;
    }
    require_success(d.end_capture(stream.get(), &graph_), "graph");
    require_success(d.instantiate(&exec_, graph_, 0), "graph");
  }
  ~Graph() {
    driver().destroy_exec(exec_);
    driver().destroy_graph(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(const OwnStream& stream) const {
    require_success(driver().launch_graph(exec_, stream.get()), "graph");
  }

 private:
  runtime::cuda::Graph graph_ = nullptr;
  GraphExec exec_ = nullptr;
};

struct GpuStopwatch::Parts {
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

  std::int64_t flushed_bytes = 2 * device().l2_bytes;
  OwnStream stream;
  Moment begin, end;
  std::shared_ptr<void> other = allocate(flushed_bytes, "filling the second cache");
  std::unique_ptr<const Graph> nothing;

  double timed(const std::function<void()>& launch) const {
    require_success(driver().fill_bytes(reinterpret_cast<DevicePointer>(other.get()), 0,
                                        static_cast<std::size_t>(flushed_bytes), stream.get()),
                    "filling the second cache");
    begin.record(stream);
    launch();
    end.record(stream);
    return end.seconds_since(begin);
  }
};

GpuStopwatch::GpuStopwatch(std::int64_t launches) : launches_(launches), parts_(std::make_unique<Parts>()) {
  require(launches >= 1, "GpuStopwatch: {} launches, there is at least one", launches);
  const auto nothing = [](std::size_t, Stream stream) { enqueue_one(empty_kernel(), 0, stream); };
  parts_->nothing = std::make_unique<const Graph>(parts_->stream, launches, nothing);
  clock_mhz();  // its first launches load its kernels, which takes longer than they count
}

GpuStopwatch::~GpuStopwatch() = default;

std::shared_ptr<const GpuStopwatch::Graph> GpuStopwatch::graph_of(const Enqueue& enqueue) const {
  enqueue(0, parts_->stream.get());  // takes memory between kernels, which no graph may
  parts_->stream.wait("the first call");
  return std::make_shared<const Graph>(parts_->stream, launches_, enqueue);
}

double GpuStopwatch::graph_s(const Graph& graph) const {
  return parts_->timed([&] { graph.launch(parts_->stream); });
}

double GpuStopwatch::empty_graph_s() const { return graph_s(*parts_->nothing); }

double GpuStopwatch::call_s(const Graph& graph) {
  constexpr std::size_t remembered = 11;
  empty_s_.push_back(empty_graph_s());
  if (empty_s_.size() > remembered) empty_s_.pop_front();
  return call_of(graph_s(graph), median({empty_s_.begin(), empty_s_.end()}), launches_);
}

double GpuStopwatch::single_call_s(const Enqueue& enqueue) const {
  return parts_->timed([&] { enqueue(0, parts_->stream.get()); });
}

double GpuStopwatch::clock_mhz() const {
  const auto counting_s = [&](std::size_t kernel) {
    return parts_->timed([&] { enqueue_one(counting_kernels(), kernel, parts_->stream.get()); });
  };
  const double once_s = counting_s(0), twice_s = counting_s(1);
  return static_cast<double>(counted_cycles) / std::max(twice_s - once_s, 1e-9) * 1e-6;
}

void GpuStopwatch::warm_up(const Graph& graph, double least_s) const {
  constexpr double between_looks_s = 0.05, steady = 0.01;
  const double begin = runtime::steady_seconds();
  const auto passed_s = [&] { return runtime::steady_seconds() - begin; };
  double clock = clock_mhz(), looked_s = passed_s();
  for (bool is_steady = false; passed_s() < least_s || (!is_steady && passed_s() < 5 * least_s);) {
    graph_s(graph);
    if (passed_s() - looked_s < std::min(between_looks_s, least_s / 2)) continue;
    const double before = std::exchange(clock, clock_mhz());
    is_steady = std::abs(clock - before) <= steady * before;
    looked_s = passed_s();
  }
}

Stream GpuStopwatch::stream() const { return parts_->stream.get(); }

void GpuStopwatch::wait(const std::string& call) const { parts_->stream.wait(call); }

std::vector<std::vector<runtime::Value>> argument_sets(std::span<const runtime::Value> arguments,
                                                       std::int64_t launches) {
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
  return sets;
}

runtime::Timing GpuTimer::operator()(const Enqueue& enqueue) const {
  require(repeat >= 1, "GpuTimer: {} repeats, there is at least one", repeat);
  const GpuStopwatch stopwatch(launches);
  const auto work = stopwatch.graph_of(enqueue);
  stopwatch.warm_up(*work, warmup_s);
  std::vector<double> without, samples;
  for (std::int64_t i = 0; i < repeat; ++i) {
    without.push_back(stopwatch.empty_graph_s());
    samples.push_back(stopwatch.graph_s(*work));
  }
  const double launching = median(without);
  for (double& one : samples) one = call_of(one, launching, launches);
  return runtime::summarize(samples, launches);
}

runtime::Timing GpuTimer::operator()(const compile::CudaProgram& program,
                                     std::span<const runtime::Value> arguments) const {
  const std::vector<std::vector<runtime::Value>> sets = argument_sets(arguments, launches);
  return (*this)([&](std::size_t set, Stream stream) { program.launch(sets[set % sets.size()], stream); });
}

}  // namespace ardea::measure
