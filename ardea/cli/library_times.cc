#include "ardea/cli/library_times.h"

#include <algorithm>
#include <memory>

#include "ardea/cli/backends.h"
#include "ardea/measure/inputs.h"
#include "ardea/support/error.h"

namespace ardea::cli {

namespace {

struct Contestant {
  std::string name;
  std::vector<interp::Argument> arguments;
  std::function<void()> call;
};

/// All ways of all libraries; yardsticks and other people's loops are no libraries.
std::vector<Contestant> libraries_for(const ops::Workload& workload, const measure::Problem& problem,
                                      int threads, bool prepacked) {
  std::vector<Contestant> all;
  std::error_code none;
  const std::filesystem::path folder = default_peers_folder();
  if (!std::filesystem::is_directory(folder, none)) return all;
  for (const std::string& name : measure::peer_names(folder)) {
    try {
      const measure::Peer peer(folder, name);
      if (peer.kind() != ARDEA_PEER_LIBRARY) continue;
      for (const measure::PeerCall& call : peer.prepare(workload, threads).calls) {
        if (!prepacked && call.label().find(measure::prepacked_label) != std::string::npos) continue;
        Contestant made{name, measure::copy_arguments(problem.arguments), {}};
        std::vector<void*> pointers;
        for (const interp::Argument& argument : made.arguments)
          pointers.push_back(std::get<runtime::Array>(argument).data());
        made.call = [call, pointers] { call.run(pointers.data()); };
        all.push_back(std::move(made));
      }
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
      // A plug-in whose library is not installed here takes no part.
    }
  }
  return all;
}

}  // namespace

std::filesystem::path default_peers_folder(bool on_gpu) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  require(!error, "the folder of the peers cannot be found from this program's own: {}; give it with --peers",
          error.message());
  return program.parent_path().parent_path() / "lib" / (on_gpu ? "gpu_peers" : "peers");
}

LibraryTimes library_times(const ops::Workload& workload, int threads, double seconds, bool prepacked,
                           const std::optional<measure::Compiled>& program) {
  const measure::Problem problem = measure::problem_of(workload, 0);
  std::vector<Contestant> all;
  if (program) {
    Contestant own{"ardea", measure::copy_arguments(problem.arguments), {}};
    if (program->weights) own.arguments = measure::with_packed(*program->weights, std::move(own.arguments));
    own.call = [call = std::make_shared<runtime::PreparedCall>(program->main, values_of(own.arguments))] {
      call->run();
    };
    all.push_back(std::move(own));
  }
  for (Contestant& library : libraries_for(workload, problem, threads, prepacked))
    all.push_back(std::move(library));
  LibraryTimes times;
  if (all.size() == (program ? 1U : 0U)) return times;
  std::vector<measure::Turn> turns;
  for (const Contestant& contestant : all)
    turns.emplace_back([call = contestant.call](std::int64_t calls) {
      for (std::int64_t i = 0; i < calls; ++i) call();
    });
  const measure::Rotation rotation =
      measure::rotate(turns, {.budget_s = seconds, .pause_s = threads > 1 ? 3e-3 : 0});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double median = measure::median(rotation.seconds[i]);
    if (program && i == 0) {
      times.own_s = median;
      continue;
    }
    LibraryTime time{all[i].name, median, {}};
    if (program)
      time.ratio = measure::median_interval(measure::ratios(rotation.seconds[i], rotation.seconds[0]));
    const auto same = std::find_if(times.libraries.begin(), times.libraries.end(),
                                   [&](const LibraryTime& t) { return t.name == time.name; });
    if (same == times.libraries.end())
      times.libraries.push_back(time);
    else if (time.seconds < same->seconds)
      *same = time;
  }
  std::stable_sort(times.libraries.begin(), times.libraries.end(),
                   [](const LibraryTime& a, const LibraryTime& b) { return a.seconds < b.seconds; });
  return times;
}

}  // namespace ardea::cli
