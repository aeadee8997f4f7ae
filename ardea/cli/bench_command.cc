#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "ardea/cli/backends.h"
#include "ardea/cli/bench_report.h"
#include "ardea/cli/commands.h"
#include "ardea/cli/interrupt.h"
#include "ardea/cli/library_times.h"
#include "ardea/cli/output.h"
#include "ardea/cli/records.h"
#include "ardea/compile/compile.h"
#include "ardea/compile/cuda_program.h"
#include "ardea/measure/gpu_bench.h"
#include "ardea/measure/inputs.h"
#include "ardea/runtime/cuda/driver.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/support/text_file.h"
#include "ardea/tune/task.h"

namespace ardea::cli {

namespace fs = std::filesystem;

namespace {

/// The parts between commas.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    require(!parts.back().empty(), "{}: a name is missing before or after a comma", text);
    begin = end + 1;
  }
  return parts;
}

struct Peers {
  std::vector<measure::Peer> open;
  std::vector<measure::LeftOut> closed;  ///< those there are that nobody asked for and that cannot be opened
};

bool is_gpu(const BenchOptions& options) { return target::find(options.target).kind == target::Kind::cuda; }

Peers open_peers(const BenchOptions& options) {
  const fs::path folder =
      options.peers.empty() ? default_peers_folder(is_gpu(options)) : fs::path(options.peers);
  Peers peers;
  for (const std::string& name : listed(options.against)) peers.open.emplace_back(folder, name);
  if (!options.against.empty()) return peers;
  for (const std::string& name : measure::peer_names(folder)) {
    try {
      peers.open.emplace_back(folder, name);
    } catch (const Error& e) {
      peers.closed.push_back({name, e.what()});
    }
  }
  require(!peers.open.empty() || !options.rivals.empty() || !options.library.empty(),
          "there are no peers in {}; `make bench-peers` builds them, --rivals none,other.py needs none",
          folder.string());
  return peers;
}

/// What Ardea's program was made by, for the reader.
std::string schedule_name(const Program& program, const ProgramOptions& options) {
  const std::string made_by = !program.recipe.empty() ? "recipe " + program.recipe
                              : program.record        ? "tuned, " + tune::describe(*program.record)
                              : program.trace         ? options.schedule
                                                      : "as written";
  return program.packed_parameter ? fmt::format("{}, weights {}", made_by, measure::prepacked_label)
                                  : made_by;
}

measure::BenchOptions measure_options(const BenchOptions& options) {
  return {.threads = *options.threads,
          .seed = options.seed,
          .rotation = {.rounds = options.rounds, .pause_s = *options.threads > 1 ? 3e-3 : 0}};
}

/// The program for so many threads.
struct Loaded {
  Program program;
  measure::Compiled compiled;
};
Loaded load(const ProgramOptions& wanted, int threads) {
  ProgramOptions asked = wanted;
  asked.threads = threads;
  const target::Target target = tune::on_threads(target::host(), threads);
  Program program = load_program(asked, target);
  require(program.module.functions.size() == 1 || program.packed_parameter,
          "bench {}: it has {} functions; put the one to be timed into a file of its own", wanted.program,
          program.module.functions.size());
  runtime::Function compiled = compile::callable(program.module.functions[0], target, {.note = write_note});
  auto weights = packed_weights(program, "llvm");
  return {std::move(program), {std::move(compiled), std::move(weights)}};
}

/// The same program under the schedules of --rivals.
std::vector<measure::Rival> load_rivals(const BenchOptions& options, const ProgramOptions& wanted) {
  std::vector<measure::Rival> rivals;
  for (const std::string& schedule : listed(options.rivals)) {
    ProgramOptions other = wanted;
    other.schedule = schedule;
    other.records = ProgramOptions::Records::never;
    rivals.push_back({schedule, load(other, *options.threads).compiled});
  }
  return rivals;
}

bool uses_record(const BenchOptions& options) {
  const std::vector<std::string> rivals = listed(options.rivals);
  return options.program.records == ProgramOptions::Records::only || options.program.schedule == "best" ||
         std::find(rivals.begin(), rivals.end(), "best") != rivals.end();
}

/// One, unless what is timed was tuned for more.
int usual_threads(const BenchOptions& options) {
  return options.set.empty() && uses_record(options) ? recorded_threads(options.program, target::host(), 1)
                                                     : 1;
}

/// The function of --library, to be called as the program is.
std::vector<measure::Outsider> load_outsiders(const BenchOptions& options, const Function& meaning) {
  require(options.library.empty() == options.symbol.empty(),
          "{} alone: --library FILE.so and --symbol NAME belong together",
          options.library.empty() ? "--symbol " + options.symbol : "--library " + options.library);
  if (options.library.empty()) return {};
  return {{options.symbol, "of " + options.library,
           measure::LibraryCall(meaning, options.library, options.symbol)}};
}

/// A program from a file, or an operator with open sizes, against its rivals and an outsider.
Benched bench_file(const BenchOptions& options, const ProgramOptions& wanted) {
  require(
      options.against.empty(),
      "--against {}: a program from a file, or with sizes that only a call knows, has no peers, which know "
      "only operators of given sizes; give other schedules with --rivals none,other.py, or a function of "
      "your own with --library FILE.so --symbol NAME",
      options.against);
  require(
      !options.rivals.empty() || !options.library.empty(),
      "bench {}: there is nobody to compare it with; give other schedules with --rivals none,other.py, or a "
      "function of your own with --library FILE.so --symbol NAME (`ardea run` times it alone)",
      wanted.shape.empty() ? wanted.program : wanted.program + " " + wanted.shape);
  const Loaded loaded = load(wanted, *options.threads);
  const Function& meaning = loaded.program.meaning_of(loaded.program.module.functions[0]);
  const measure::Problem problem{
      meaning, measure::make_arguments(meaning, {.seed = options.seed, .sizes = options.sizes})};
  std::vector<std::string> sizes;
  for (const auto& [size, value] : measure::extents_of(meaning, problem.arguments))
    sizes.push_back(fmt::format("{}={}", size.name(), value));
  Benched benched{.title = loaded.program.title + (sizes.empty() ? "" : " with " + join(sizes, ", ")),
                  .workload = {},
                  .work = work_of(loaded.program, meaning, problem.arguments),
                  .schedule = schedule_name(loaded.program, wanted),
                  .threads = *options.threads,
                  .report = measure::bench(problem, loaded.compiled, measure_options(options),
                                           load_rivals(options, wanted), load_outsiders(options, meaning)),
                  .libraries = {},
                  .share = {}};
  const measure::Contender& ours = benched.report.contenders[0];
  if (benched.work)
    benched.share = peak_share(loaded.program, *benched.work, ours.min_s, ours.threads, std::nullopt);
  return benched;
}

void name_peers(Benched& benched, const Peers& peers) {
  benched.report.left_out.insert(benched.report.left_out.end(), peers.closed.begin(), peers.closed.end());
  for (const measure::Peer& peer : peers.open)
    if (benched.report.fastest_of(peer.name()) != nullptr)
      benched.libraries.push_back(peer.name() + ": " + peer.description());
}

/// On the GPU of this machine.
Benched bench_one_on_gpu(const BenchOptions& options, const ProgramOptions& wanted, const Peers& peers) {
  const target::Target gpu = target::find(options.target);
  const auto on_gpu = [&](const Program& program) {
    return compile::CudaProgram(compile::cuda_code(program.module.functions[0], gpu, {.note = write_note}),
                                gpu);
  };
  const Program program = load_program(wanted, gpu);
  std::vector<measure::GpuContender> rivals;
  for (const std::string& schedule : listed(options.rivals)) {
    ProgramOptions other = wanted;
    other.schedule = schedule;
    other.records = ProgramOptions::Records::never;
    rivals.push_back({schedule, on_gpu(load_program(other, gpu))});
  }
  const ops::Workload& workload = *program.workload;
  Benched benched{.title = ops::to_string(workload),
                  .workload = workload,
                  .work = work_of(program, program.module.functions[0], {}),
                  .schedule = schedule_name(program, wanted),
                  .threads = gpu.cores,
                  .gpu = gpu.name,
                  .report = measure::bench_on_gpu(workload, on_gpu(program), peers.open, rivals,
                                                  {.seed = options.seed, .rounds = options.rounds}),
                  .libraries = {},
                  .share = {}};
  name_peers(benched, peers);
  return benched;
}

Benched bench_one(const BenchOptions& options, const ProgramOptions& wanted, const Peers& peers) {
  if (is_gpu(options)) return bench_one_on_gpu(options, wanted, peers);
  const Loaded loaded = load(wanted, *options.threads);
  const std::vector<measure::Rival> rivals = load_rivals(options, wanted);
  const ops::Workload& workload = *loaded.program.workload;
  Benched benched{.title = ops::to_string(workload),
                  .workload = workload,
                  .work = work_of(loaded.program, loaded.program.module.functions[0], {}),
                  .schedule = schedule_name(loaded.program, wanted),
                  .threads = *options.threads,
                  .report = measure::bench(workload, loaded.compiled, peers.open, measure_options(options),
                                           rivals, load_outsiders(options, ops::create_function(workload))),
                  .libraries = {},
                  .share = {}};
  name_peers(benched, peers);
  const measure::Contender* const copy = benched.report.fastest_of("copy");
  const measure::Contender& ours = benched.report.contenders[0];
  benched.share = peak_share(loaded.program, *benched.work, ours.min_s, ours.threads,
                             copy != nullptr ? std::optional(copy->min_s) : std::nullopt);
  return benched;
}

/// The operator's layout that has its channels where `wanted` has them (of c1d, nwc for nhwc); none where it
/// has no choice.
std::string layout_like(const std::string& wanted, const std::string& op) {
  const std::vector<std::string>& all = ops::find(op).layouts;
  const auto alike = std::find_if(all.begin(), all.end(), [&](const std::string& layout) {
    return !wanted.empty() && (layout.back() == 'c') == (wanted.back() == 'c');
  });
  return alike == all.end() ? "" : *alike;
}

/// The operators and shapes of a set, as command lines name them.
std::vector<ProgramOptions> members_of(const BenchOptions& options) {
  const nlohmann::json file = nlohmann::json::parse(read_text_file(options.workloads), nullptr, false);
  require(file.is_object(), "--workloads {}: it is no JSON object of sets", options.workloads);
  std::vector<std::string> names;
  for (const auto& [name, set] : file.items())
    if (set.is_object()) names.push_back(name);
  require(file.contains(options.set) && file[options.set].is_object(), "--set {}: {} has only {}{}",
          options.set, options.workloads, join(names, ", "), did_you_mean(options.set, names));
  std::vector<ProgramOptions> members;
  for (const auto& [op, shapes] : file[options.set].items())
    for (const nlohmann::json& shape : shapes) {
      std::vector<std::string> sizes;
      for (const nlohmann::json& size : shape) sizes.push_back(size.dump());
      ProgramOptions& member = members.emplace_back(options.program);
      member.program = op;
      // Not all of a set need be tuned.
      if (member.records == ProgramOptions::Records::only)
        member.records = ProgramOptions::Records::where_there;
      member.shape = join(sizes, ",");
      member.layout = layout_like(options.program.layout, op);
    }
  return members;
}

/// How far ahead of the best peer, of all and by operator.
struct SetRatios {
  std::vector<double> all;
  std::map<std::string, std::vector<double>> by_operator;

  void add(const std::string& op, double ratio) {
    all.push_back(ratio);
    by_operator[op].push_back(ratio);
  }
  static double mean(const std::vector<double>& ratios) {
    return ratios.empty() ? 0 : measure::geometric_mean(ratios);
  }
  static double worst(const std::vector<double>& ratios) {
    return ratios.empty() ? 0 : *std::min_element(ratios.begin(), ratios.end());
  }
};

int bench_set(const BenchOptions& options, const Peers& peers) {
  require(options.program.program.empty(), "--set {}: it names all operators; leave {} out", options.set,
          options.program.program);
  require(options.library.empty(),
          "--library {}: it has one signature, and --set {} many; bench one operator by name",
          options.library, options.set);
  require(!options.program.prepacked, "--set {}: not all of its operators have weights; bench those by name",
          options.set);
  nlohmann::json results = nlohmann::json::array();
  SetRatios ratios;
  bool all_agree = true;
  const Interrupt interrupt;
  // As JSON a set is one document, at the end: lines say meanwhile what was timed, whatever ends the rest.
  const auto say = [&](const std::string& line) {
    options.json ? static_cast<void>(std::fputs(line.c_str(), stderr)) : write_out(line);
  };
  for (const ProgramOptions& member : members_of(options)) {
    if (interrupt.is_asked_for()) break;
    // One that fails must not cost the others their answers.
    try {
      const Benched benched = bench_one(options, member, peers);
      all_agree = all_agree && benched.report.all_agree();
      if (benched.report.best)
        ratios.add(member.program, benched.report.contenders[*benched.report.best].ratio.median);
      results.push_back(bench_json(benched));
      say(bench_line(benched));
    } catch (const Error& e) {
      all_agree = false;
      const std::string name = member.program + " " + member.shape;
      results.push_back({{"workload", name}, {"error", e.what()}});
      say(fmt::format("{}: {}\n", name, e.what()));
    }
  }
  const target::Target host = target::host();
  if (options.json) {
    nlohmann::json means;
    for (const auto& [op, of_op] : ratios.by_operator) means[op] = SetRatios::mean(of_op);
    nlohmann::json report = {{"set", options.set},
                             {"cpu", host.cpu},
                             {"cores", host.cores},
                             {"threads", *options.threads},
                             {"geometric_mean", SetRatios::mean(ratios.all)},
                             {"geometric_means", means},
                             {"worst", SetRatios::worst(ratios.all)},
                             {"results", results}};
    if (is_gpu(options)) report["gpu"] = options.target;
    write_out(report.dump(2) + "\n");
  } else {
    if (ratios.by_operator.size() > 1)
      for (const auto& [op, of_op] : ratios.by_operator)
        write_out(fmt::format("{}: geometric mean {:.3f}, worst {:.3f}\n", op, SetRatios::mean(of_op),
                              SetRatios::worst(of_op)));
    write_out(fmt::format("geometric mean of the ratios {:.3f}, worst {:.3f}\n", SetRatios::mean(ratios.all),
                          SetRatios::worst(ratios.all)));
  }
  if (interrupt.is_asked_for()) return exit_interrupted;
  return all_agree ? exit_ok : exit_disagrees;
}

int bench_copies(const BenchOptions& options) {
  const std::string unwanted = !options.set.empty()       ? "--set"
                               : !options.against.empty() ? "--against"
                               : !options.rivals.empty()  ? "--rivals"
                               : !options.library.empty() ? "--library"
                               : *options.threads <= 1    ? "it"
                                                          : "";
  require(unwanted.empty(),
          "--copies: it compares one operator on --threads 2 or more with copies of it; leave {} out",
          unwanted);
  require(!options.program.shape.empty(),
          "--copies: it is for operators; give one with its sizes in place of {}", options.program.program);
  require(!ops::has_open_sizes(options.program.shape),
          "--copies: it is for operators of given sizes; write a number for each name in {}",
          options.program.shape);
  const Loaded threaded = load(options.program, *options.threads), single = load(options.program, 1);
  const ops::Workload& workload = *threaded.program.workload;
  const measure::CopiesReport report =
      measure::bench_copies(workload, threaded.compiled, single.compiled, measure_options(options));
  if (options.json)
    write_out(nlohmann::json{{"workload", ops::to_string(workload)},
                             {"prepacked", options.program.prepacked},
                             {"threads", *options.threads},
                             {"rounds", report.rounds},
                             {"calls_per_turn", report.calls},
                             {"threads_us", report.threads_s * 1e6},
                             {"copies_us", report.copies_s * 1e6},
                             {"ratio_vs_copies", report.ratio.median},
                             {"ratio_low", report.ratio.low},
                             {"ratio_high", report.ratio.high},
                             {"agrees", report.all_agree()}}
                  .dump(2) +
              "\n");
  else
    write_out(fmt::format(
        "{}{}; warm caches, {} rounds of {} calls in rotated order\n"
        "{} threads together: {} a call; {} copies on one thread each: {} a call of each\n"
        "the threads do {:.3f} [{:.3f}, {:.3f}] (95 %) of what the copies do in the same time{}\n",
        ops::to_string(workload), options.program.prepacked ? ", weights prepacked" : "", report.rounds,
        report.calls, *options.threads, time_text(report.threads_s), *options.threads,
        time_text(report.copies_s), report.ratio.median, report.ratio.low, report.ratio.high,
        report.all_agree() ? "" : "; WRONG ANSWERS"));
  return report.all_agree() ? exit_ok : exit_disagrees;
}

}  // namespace

int bench(const BenchOptions& given) {
  require(!given.threads || (*given.threads >= 1 && *given.threads <= 4096),
          "--threads {}: must be from 1 to 4096", given.threads.value_or(0));
  BenchOptions options = given;
  const int fewest = measure::least_values();
  require(options.rounds == 0 || options.rounds >= fewest,
          "--rounds {}: an interval of 95 % needs at least {} rounds", options.rounds, fewest);
  require(!options.program.program.empty() || !options.set.empty(),
          "bench needs an operator and its sizes, as in: ardea bench gemm 512,512,512; a file with --rivals; "
          "or --set "
          "cpu_f32");
  require(options.program.db.empty() || uses_record(options),
          "--db {}: bench uses records only with --best, or as --rivals best", options.program.db);
  if (is_gpu(options)) {
    const std::string unwanted = options.threads             ? "--threads"
                                 : options.copies            ? "--copies"
                                 : !options.library.empty()  ? "--library"
                                 : options.program.prepacked ? "--prepacked"
                                                             : "";
    require(unwanted.empty(), "bench --target {}: {} is for processors; leave it out", options.target,
            unwanted);
    require(!options.set.empty() ||
                (!options.program.shape.empty() && !ops::has_open_sizes(options.program.shape)),
            "bench --target {}: it times operators of given sizes; `ardea run --target {}` times a file",
            options.target, options.target);
    runtime::cuda::driver();  // one sentence where there is none, and not one for each member of a set
    options.threads = 1;
  }
  if (!options.threads) options.threads = usual_threads(options);
  // Before anything asks for the pool: Ardea gets as many threads as the others. For a GPU the threads of
  // this machine only find out what the answers must be.
  if (!is_gpu(options)) setenv("ARDEA_NUM_THREADS", std::to_string(*options.threads).c_str(), 1);
  // Before any peer loads OpenMP: its threads wait for more work in a loop, by default for longer than the
  // pause between turns.
  setenv("GOMP_SPINCOUNT", "20000", 0);
  if (options.copies) return bench_copies(options);
  // What is no operator with its sizes is a file; load_program says what is wrong where it is neither.
  const bool is_file =
      options.set.empty() && (options.program.shape.empty() || ops::has_open_sizes(options.program.shape));
  require(is_file || options.sizes.empty(),
          "--size: the sizes of an operator stand behind its name; it belongs to files, and to operators in "
          "whose sizes a name stands");
  const Peers peers = is_file ? Peers{} : open_peers(options);
  if (!options.set.empty()) return bench_set(options, peers);
  const Benched benched =
      is_file ? bench_file(options, options.program) : bench_one(options, options.program, peers);
  write_out(options.json ? bench_json(benched).dump(2) + "\n" : bench_text(benched));
  return benched.report.all_agree() ? exit_ok : exit_disagrees;
}

}  // namespace ardea::cli
