#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "ardea/arith/load.h"
#include "ardea/compile/compile.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/measure/worker.h"
#include "ardea/measure/worker_kinds.h"
#include "ardea/runtime/registry.h"
#include "ardea/support/error.h"
#include "ardea/support/whole_file.h"

// What a segmentation fault is, is not theirs to say.
#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __asan_default_options() { return "handle_segv=0"; }
#elif defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_options() { return "handle_segv=0"; }
#endif

/// A worker for tests: Ardea's own, but a trace "fault:NAME" is built as a program that does what the name
/// says, or does it while it is built; and ARDEA_TEST_WORKER=KIND:FAULT makes one kind of worker fail itself,
/// as long as the file ARDEA_TEST_WORKER_ONCE is there, which it removes first.

namespace {

using namespace ardea;
using nlohmann::json;

void segfault() {
  *reinterpret_cast<volatile int*>(16) = 1;  // NOLINT(performance-no-int-to-ptr): where nothing is
}

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Says who it is where that is asked for.
void loop_for_ever() {
  const std::string file = setting("ARDEA_TEST_WORKER_PID");
  if (!file.empty()) write_whole_file(file, {std::to_string(getpid())});
  for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void allocate_everything() {
  constexpr std::size_t piece = std::size_t{64} << 20U;
  for (;;) {
    volatile char* const memory = new char[piece];  // never freed: that is the point
    for (std::size_t i = 0; i < piece; i += 1024) memory[i] = 1;
  }
}

void fail_with_a_sentence() { fail("this kernel has no time"); }
void do_nothing() {}

using Fault = void (*)();
const std::map<std::string, Fault> faults = {{"segfault", segfault},
                                             {"loop", loop_for_ever},
                                             {"allocate", allocate_everything},
                                             {"fail", fail_with_a_sentence},
                                             {"nothing", do_nothing}};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ensure(at != std::string::npos, "the test's program has no {}", from);
  return text.replace(at, from.size(), to);
}

/// The task's program with something else in its place.
Function faulty(const Function& program, const std::string& name) {
  if (name == "difference")
    return arith::load_program(replaced(print(program), "] + ", "] - "), "difference").functions[0];
  Function f = program;
  f.body = Evaluate{make_call("call_registered", int64, {make_string("test." + name)})};
  return f;
}

measure::Answer faulty_builder(const measure::ReceivedTask& received) {
  return [received, build = measure::build_worker(received)](const json& request) -> json {
    const std::string trace = request.at("trace");
    const std::string object = request.at("object");
    if (trace.starts_with("fault:")) {
      const Function f = faulty(received.task.program, trace.substr(6));
      write_whole_file(object, {compile::object_code(Module{{}, {f}}, received.task.target)});
      return {{"seconds", 0}};
    }
    if (trace.starts_with("build:")) {
      if (trace == "build:file")
        write_whole_file(object, {std::string(std::size_t{8} << 20U, 'x')});
      else
        faults.at(trace.substr(6))();
      return {{"seconds", 0}};
    }
    return build(request);
  };
}

/// The worker's own faults, when it is asked something.
void misbehave(const std::string& how) {
  if (how == "silent") loop_for_ever();
  if (how == "killed") std::raise(SIGKILL);
  if (how == "leaves") std::exit(3);
  if (how == "closes") {
    for (int end = 3; end < 64; ++end) close(end);
    loop_for_ever();
  }
}

/// Says hello as it should and then answers as it should not: no worker of Ardea's writes such things.
int answer_rubbish(const std::string& how) {
  std::string line;
  std::getline(std::cin, line);
  std::cout << R"({"ready": true})" << std::endl;
  while (std::getline(std::cin, line)) {
    if (how == "rubbish") std::cout << "Segmentation fault (not really)\n";
    if (how == "other-id") std::cout << R"({"id": -7, "time": [1, 1, 1], "raced": false})" << "\n";
    if (how == "no-time") std::cout << R"({"id": )" << json::parse(line).at("id") << "}\n";
    if (how == "endless")
      for (const std::string chunk(65536, 'x');;) std::cout << chunk;
    std::cout.flush();
  }
  return 0;
}

/// Answers about candidates that nobody ran, on a machine whose canary is as ARDEA_TEST_CANARIES has it, one
/// reading a request; what it was asked goes to the file ARDEA_TEST_REQUESTS.
int answer_by_script() {
  std::istringstream canaries(setting("ARDEA_TEST_CANARIES"));
  std::ofstream requests(setting("ARDEA_TEST_REQUESTS"), std::ios::app);
  std::string line;
  std::getline(std::cin, line);
  std::cout << R"({"ready": true})" << std::endl;
  double call_s = 1;
  while (std::getline(std::cin, line)) {
    const json request = json::parse(line);
    requests << std::filesystem::path(request.at("object").get<std::string>()).stem().string() << " "
             << request.at("incumbent").dump() << std::endl;
    double canary = 1;
    canaries >> canary;
    call_s += 1;  // the first stays the fastest
    std::cout << json{{"id", request["id"]},
                      {"time", {call_s, call_s, call_s}},
                      {"raced", false},
                      {"canary", {canary, canary}}}
                     .dump()
              << std::endl;
  }
  return 0;
}

/// Writes when work begins and ends, and on which processors it may be, to the file ARDEA_TEST_LOG.
measure::MakeWorker logging(const measure::MakeWorker& make, const std::string& kind,
                            const std::string& file) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  sched_getaffinity(0, sizeof(processors), &processors);
  std::string numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &processors)) numbers += " " + std::to_string(i);
  return [=](const measure::ReceivedTask& task) -> measure::Answer {
    return [=, work = make(task)](const json& request) {
      const auto log = [&](const char* what) {
        std::ofstream(file, std::ios::app) << what << " " + kind + numbers + "\n" << std::flush;
      };
      log("begin");
      json answer = work(request);
      log("end");
      return answer;
    };
  };
}

measure::MakeWorker misbehaving(const measure::MakeWorker& make, const std::string& how,
                                const std::string& once) {
  return [=](const measure::ReceivedTask& task) -> measure::Answer {
    return [how, once, work = make(task)](const json& request) {
      std::error_code ignored;
      if (once.empty() || std::filesystem::remove(once, ignored)) misbehave(how);
      return work(request);
    };
  };
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[2] : "";
  for (const auto& [name, fault] : faults)
    runtime::register_function("test." + name, runtime::Function([fault = fault] {
                                 fault();
                                 return std::int64_t{0};
                               }));
  const std::string wish = setting("ARDEA_TEST_WORKER");
  const std::string how = wish.starts_with(kind + ":") ? wish.substr(kind.size() + 1) : "";
  if (how == "exits") return 5;
  if (how == "deaf") loop_for_ever();
  if (how == "script") return answer_by_script();
  if (how == "rubbish" || how == "other-id" || how == "endless" || how == "no-time")
    return answer_rubbish(how);
  measure::MakeWorker make = kind == "build" ? measure::MakeWorker(faulty_builder)
                             : kind == "run" ? measure::MakeWorker(measure::run_worker)
                                             : measure::MakeWorker(measure::reference_worker);
  if (!setting("ARDEA_TEST_LOG").empty()) make = logging(make, kind, setting("ARDEA_TEST_LOG"));
  if (!how.empty()) make = misbehaving(make, how, setting("ARDEA_TEST_WORKER_ONCE"));
  return measure::serve(make, kind == "build" ? TrialOutcome::compile_failed : TrialOutcome::launch_failed);
}
