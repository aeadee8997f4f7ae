#include "ardea/measure/worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ardea/measure/worker_kinds.h"
#include "ardea/support/error.h"

namespace ardea::measure {

namespace {

using nlohmann::json;

/// Lines of JSON, on ends that nobody else in this process writes to.
class Conversation {
 public:
  Conversation() {
    const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    require(in >= 0 && out >= 0, "worker: it needs a standard input and output; the tuner starts workers");
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    in_ = fdopen(in, "r");
    out_ = out;
  }
  ~Conversation() {
    std::fclose(in_);
    close(out_);
    std::free(line_);  // NOLINT(cppcoreguidelines-no-malloc): getline's
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  std::optional<json> next() {
    const ssize_t length = getline(&line_, &capacity_, in_);
    if (length < 0) return std::nullopt;
    json request = json::parse(line_, line_ + length, nullptr, false);
    require(!request.is_discarded() && request.is_object(), "worker: a request is no object in JSON");
    return request;
  }

  void answer(const json& message) const {
    const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t count = write(out_, line.data() + done, line.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) std::exit(0);  // nobody listens any more
      done += static_cast<std::size_t>(count);
    }
  }

 private:
  std::FILE* in_ = nullptr;
  int out_ = -1;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

json failed(const json& id, TrialOutcome outcome, const std::string& sentence) {
  return {{"id", id}, {"failed", to_string(outcome)}, {"message", sentence}};
}

json answered(const Answer& work, const json& request, TrialOutcome usual) {
  const json& id = request.at("id");
  try {
    json answer = work(request);
    answer["id"] = id;
    return answer;
  } catch (const TrialFailure& failure) {
    return failed(id, failure.outcome, failure.what());
  } catch (const std::bad_alloc&) {
    return failed(id, usual, out_of_memory);
  } catch (const Error& error) {
    return failed(id, usual, error.what());
  } catch (const std::exception& error) {
    return failed(id, usual, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace

std::filesystem::path reference_folder(const std::filesystem::path& shared) { return shared / "reference"; }

int serve(const MakeWorker& make, TrialOutcome usual) {
  // Whatever a worker is busy with, it ends with the process that started it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A file that grows too large is an error of the one who writes it.
  std::signal(SIGXFSZ, SIG_IGN);
  Conversation conversation;
  Answer work;
  while (const auto request = conversation.next()) {
    if (work) {
      conversation.answer(answered(work, *request, usual));
      continue;
    }
    try {
      require(request->contains("task"), "worker: the first request has no task; the tuner starts workers");
      work = make(from_message(request->at("task")));
      conversation.answer({{"ready", true}});
    } catch (const json::exception& error) {
      conversation.answer(
          {{"error", fmt::format("worker: the task is not as the tuner writes it: {}", error.what())}});
      return 2;
    } catch (const std::exception& error) {
      conversation.answer({{"error", error.what()}});
      return 2;
    }
  }
  return 0;
}

int work_as(const std::string& kind) {
  if (kind == "build") return serve(build_worker, TrialOutcome::compile_failed);
  if (kind == "run") return serve(run_worker, TrialOutcome::launch_failed);
  if (kind == "reference") return serve(reference_worker, TrialOutcome::launch_failed);
  fail("worker {}: there is no such worker, only build, run and reference", kind);
}

}  // namespace ardea::measure
