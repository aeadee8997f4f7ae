#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>

#include "ardea/cli/commands.h"
#include "ardea/measure/worker.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// Reads the command line. Heavy to compile (CLI11), so that nothing else is here.

namespace {

using namespace ardea;

std::map<std::string, std::int64_t> parse_sizes(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> sizes;
  for (const std::string& text : texts) {
    const auto equal = text.find('=');
    std::int64_t value = 0;
    const bool good =
        equal != std::string::npos && equal > 0 && CLI::detail::lexical_cast(text.substr(equal + 1), value);
    require(good, "--size {}: write it as name=number, such as --size n=128", text);
    sizes[text.substr(0, equal)] = value;
  }
  return sizes;
}

/// Of a seed: the parser would make a large number of a negative one.
std::string from_zero(const std::string& text) {
  return text.starts_with('-') ? "must be at least 0, and is " + text : "";
}

/// The parser's sentence in our words where it has one for an option that is not known or for a value that is
/// no number.
std::string what_is_wrong(const CLI::ParseError& e, const CLI::App& command,
                          const std::vector<std::string>& arguments) {
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (!name.starts_with("--")) continue;
    const bool is_known = std::find(options.begin(), options.end(), name) != options.end();
    if (!is_known && e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
      return fmt::format("there is no option {}{}", name, did_you_mean(name, options));
    const bool has_value = name.size() < arguments[i].size() || i + 1 < arguments.size();
    if (!is_known || !has_value || e.get_exit_code() != static_cast<int>(CLI::ExitCodes::ConversionError))
      continue;
    const std::string value =
        name.size() < arguments[i].size() ? arguments[i].substr(name.size() + 1) : arguments[i + 1];
    if (std::string(e.what()).find(fmt::format("{} = {}", name, value)) != std::string::npos)
      return fmt::format("{} {}: must be a number", name, value);
  }
  return e.what();
}

/// FILE.tir, or OP SHAPE with its types: what every command that takes a program takes.
void add_program(CLI::App* command, cli::ProgramOptions& program, bool required,
                 const std::string& open_sizes) {
  command->add_option("program", program.program, "a program in text form, or an operator's name")
      ->required(required);
  command->add_option("shape", program.shape,
                      "the operator's sizes, such as 64,64,64 (`ardea ops` lists them)" + open_sizes);
  command->add_option("--in", program.in, "the operator's input type, or one for each: uint8,int8");
  command->add_option("--acc", program.acc, "the type it computes in");
  command->add_option("--out", program.out, "the type of its result");
  command->add_option("--layout", program.layout, "nchw or nhwc, where the operator has a choice");
  command->add_flag("--tb", program.transpose_b, "gemm with B given as n,k");
}
const std::string call_knows = "; m,64,64 leaves one open: a call knows it";
const std::string size_knows = call_knows + " (--size m=7)";
const std::string all_known = "; all are numbers";

void add_prepacked(CLI::App* command, cli::ProgramOptions& program) {
  command->add_flag(
      "--prepacked", program.prepacked,
      "with weights (the right operand, the kernel) packed by a function of its own, NAME_pack, "
      "which is called once and not timed");
}

void add_schedule(CLI::App* command, cli::ProgramOptions& program) {
  command->add_option(
      "--schedule", program.schedule,
      "a file of steps that transform the program first, as a script or JSON; `none` for the "
      "program as it is written, `recipe` for what the rules choose for it (an operator's default), `best` "
      "for what was tuned");
  command->add_option("--draw", program.draw, "draw the decisions of the schedule anew, from this seed")
      ->check(from_zero);
  add_prepacked(command, program);
}

/// Whether what was tuned is used.
void add_records(CLI::App* command, cli::ProgramOptions& program, bool by_default) {
  using Records = cli::ProgramOptions::Records;
  program.records = by_default ? Records::where_there : Records::never;
  CLI::Option* const best = command->add_flag_callback(
      "--best", [&program] { program.records = Records::only; },
      "the best that `ardea tune` found for it; an error where it was not tuned");
  command->add_option(
      "--db", program.db,
      "the database of what was tuned; else ARDEA_DB, else ardea/tuning.db in XDG_DATA_HOME or "
      "~/.local/share");
  if (!by_default) return;
  command
      ->add_flag_callback(
          "--no-db", [&program] { program.records = Records::never; },
          "what the rules choose, though it was tuned")
      ->excludes(best);
  command->add_option("--threads", program.threads,
                      "that it is made for, and looked up by; else ARDEA_NUM_THREADS, else all cores; with "
                      "--best, where that was not tuned, those that were");
}

int run(int argc, char** argv) {
  CLI::App app{"Ardea: a tensor-program compiler.", "ardea"};
  app.require_subcommand(1);
  app.set_version_flag("--version", ARDEA_VERSION);
  app.footer(
      "Each command has its own --help with examples. Exit codes: 0 done, 1 a check did not pass, 2 "
      "bad input.");

  cli::ShowOptions show;
  CLI::App* show_command =
      app.add_subcommand("show", "print a program: as text, lowered, as LLVM IR, assembly, C or CUDA C++");
  add_program(show_command, show.program, false, call_knows);
  add_schedule(show_command, show.program);
  add_records(show_command, show.program, true);
  show_command
      ->add_option(
          "--as", show.as,
          "te, tir, lowered, llvm, asm, c, for GPUs cuda, what it takes of the machine: limits, or the "
          "steps of its schedule: trace, trace-json")
      ->capture_default_str();
  show_command->add_flag("--checks", show.checks,
                         "with --as lowered: the entry point, too, which checks its arguments");
  show_command->add_option("--pass", show.pass, "the program after this pass of the lowering");
  show_command->add_option("--target", show.target, "a name from `ardea target --list`, or a JSON file")
      ->capture_default_str();
  show_command
      ->add_option(
          "--align", show.program.align,
          "promise that arrays begin on multiples of so many bytes: 64 for all of them, A=64,B=32 for "
          "some")
      ->delimiter(',');
  show_command->add_flag("--list-passes", show.list_passes, "name the passes and what holds after each");
  show_command->add_flag("--timing", show.timing,
                         "where compiling it spends its time: each step of its schedule (the recipe, unless "
                         "another is given), each pass, and LLVM's parts");
  show_command->add_flag("--json", show.json, "machine-readable output");
  show_command->footer(
      "Examples:\n  ardea show examples/gemm.tir\n  ardea show examples/gemm.tir --pass flatten_storage\n"
      "  ardea show examples/gemm.tir --as asm --target neoverse-v1\n"
      "  ardea show c2d 1,8,8,3,16,3,3,1,1,1 --layout nhwc --as te\n  ardea show softmax 5,7 --as c\n"
      "  ardea show gemm 64,64,64 --schedule recipe --as asm\n"
      "  ardea show gemm 64,64,64 --as trace\n"
      "  ardea show examples/gemm.tir --as lowered --checks\n"
      "  ardea show gemm 1024,1024,1024 --timing\n"
      "  ardea show gemm 64,64,64 --schedule recipe --as limits\n"
      "  ardea show gemm 64,64,64 --best --as asm\n"
      "  ardea show gemm 256,256,256 --schedule examples/gemm_threads.py --target h200 --align 16 --as cuda\n"
      "  ardea show --list-passes");

  cli::RunOptions run_options;
  std::vector<std::string> sizes;
  CLI::App* run_command = app.add_subcommand("run", "run a program on generated inputs, time it, check it");
  add_program(run_command, run_options.program, true, size_knows);
  add_schedule(run_command, run_options.program);
  add_records(run_command, run_options.program, true);
  run_command->add_option("--function", run_options.function,
                          "which function, where the program has several");
  run_command->add_option("--seed", run_options.seed, "of the inputs")
      ->check(from_zero)
      ->capture_default_str();
  run_command->add_flag(
      "--check", run_options.check,
      "compare with the program as written, before any step, interpreted, under a derived tolerance");
  run_command->add_option("--backend", run_options.backend,
                          "llvm, c, cuda or interp; by default llvm, and cuda where the target is a GPU");
  run_command->add_option("--target", run_options.target, "host, or the GPU of this machine, such as h200")
      ->capture_default_str();
  run_command
      ->add_option(
          "--align", run_options.program.align,
          "promise that arrays begin on multiples of so many bytes: 16 for all of them, A=16,B=8 for some; "
          "operators for a GPU promise 16 where nothing is said")
      ->delimiter(',');
  run_command->add_option("--save", run_options.save,
                          "write the arrays as .npy and a manifest to this folder");
  run_command->add_option(
      "--size", sizes,
      "a symbolic size, or one that an operator leaves open, such as n=128 (may be repeated)");
  run_command->add_option("--repeat", run_options.repeat, "timed repeats, of which the median counts")
      ->capture_default_str();
  run_command->add_option("--min-repeat-ms", run_options.min_repeat_ms, "how long one repeat takes at least")
      ->capture_default_str();
  run_command->add_flag("--json", run_options.json, "machine-readable output");
  run_command->footer(
      "Examples:\n  ardea run examples/gemm.tir --check\n  ardea run examples/softmax.tir --seed 7 --save "
      "out\n"
      "  ardea run gemm m,64,32 --size m=7 --check\n"
      "  ardea run examples/dynamic_gemm.tir --size m=100 --size n=30 --check --json\n"
      "  ardea run gemm 64,64,64 --in uint8,int8 --check\n  ardea run attention 2,17,8 --backend c --check\n"
      "  ardea run gemm 512,512,512 --prepacked --check\n"
      "  ardea run gemm 512,512,512 --best --check\n"
      "  ardea run gemm 64,64,64 --schedule examples/gemm_template.py --draw 3 --check");

  cli::CompileOptions compile;
  CLI::App* compile_command = app.add_subcommand(
      "compile", "write a program as .o, .so, .c and .h with a manifest, for others to link");
  add_program(compile_command, compile.program, true, call_knows);
  add_schedule(compile_command, compile.program);
  add_records(compile_command, compile.program, true);
  compile_command->add_option("-o", compile.folder, "the folder to write to")->required();
  compile_command->add_option("--name", compile.name, "of the library and its files");
  compile_command->add_option("--target", compile.target, "a name from `ardea target --list`, or a JSON file")
      ->capture_default_str();
  compile_command->add_option("--prefix", compile.prefix, "before the names of all C functions")
      ->capture_default_str();
  compile_command->add_option(
      "--only", compile.only,
      "which files: some of o,so,c,h, and of a GPU cu: CUDA C++ that checks and times itself");
  compile_command
      ->add_option("--align", compile.program.align,
                   "promise that arrays begin on multiples of so many bytes: 64 for all of them, "
                   "A=64,B=32 for some; a call with others is an error")
      ->delimiter(',');
  compile_command->add_flag("--json", compile.json, "machine-readable output");
  compile_command->footer(
      "Examples:\n  ardea compile examples/gemm.tir -o out\n  ardea compile gemm 64,64,64 --in float16 -o "
      "out\n"
      "  ardea compile gemm 64,512,512 --prepacked -o out\n"
      "  ardea compile gemm 64,64,64 --align 64 -o out\n"
      "  ardea compile gemm 256,256,256 --schedule examples/gemm_threads.py --target h200 --align 16 -o out\n"
      "  ardea compile gemm 1024,1024,1024 --best -o out\n"
      "  ardea compile examples/gemm.tir -o out --name gemm_avx2 --prefix avx2_ --target avx2 --only o,h\n"
      "The files and how to call them: docs/linking.md.");

  cli::BenchOptions bench;
  std::vector<std::string> bench_sizes;
  CLI::App* bench_command = app.add_subcommand("bench",
                                               "time a program against its other schedules, libraries and "
                                               "functions of your own, in turn within one run");
  add_program(bench_command, bench.program, false, size_knows);
  add_schedule(bench_command, bench.program);
  add_records(bench_command, bench.program, false);
  bench_command->add_option("--set", bench.set, "all operators of this set of workloads, one line each");
  bench_command->add_option("--workloads", bench.workloads, "the file of the sets")->capture_default_str();
  bench_command->add_option("--against", bench.against,
                            "peers, such as openblas,blis,eigen; all that are there where left out");
  bench_command->add_option("--peers", bench.peers,
                            "the folder of the peers, where it is not lib/peers beside bin");
  bench_command->add_option("--target", bench.target, "host, or the GPU of this machine, such as h200")
      ->capture_default_str();
  bench_command
      ->add_option("--align", bench.program.align,
                   "promise that arrays begin on multiples of so many bytes, as `run` does")
      ->delimiter(',');
  bench_command->add_option("--rivals", bench.rivals,
                            "other schedules, FILE|none|recipe|best,…, with turns in the same run");
  bench_command->add_option(
      "--library", bench.library,
      "a shared library of your own, whose function --symbol has turns in the same run");
  bench_command->add_option("--symbol", bench.symbol,
                            "its function, with the C signature of the program (docs/benchmarks.md)");
  bench_command->add_option(
      "--size", bench_sizes,
      "a symbolic size of a file's program, or one that an operator leaves open, such as n=128 (may be "
      "repeated)");
  bench_command->add_option("--threads", bench.threads,
                            "for every contender; 1, or those of the record that --best uses");
  bench_command->add_flag("--copies", bench.copies,
                          "against as many copies of the kernel, each on one thread, in place of peers");
  bench_command->add_option("--rounds", bench.rounds, "turns of each contender; 0: as some seconds allow")
      ->capture_default_str();
  bench_command->add_option("--seed", bench.seed, "of the inputs")->check(from_zero)->capture_default_str();
  bench_command->add_flag("--json", bench.json, "machine-readable output");
  bench_command->footer(
      "Examples:\n  ardea bench gemm 512,512,512 --against openblas,blis,eigen\n"
      "  ardea bench gemm 512,512,512 --schedule examples/gemm_tile.py --against openblas --json\n"
      "  ardea bench gemm 512,512,512 --rivals none,examples/gemm_tile.py --against openblas\n"
      "  ardea bench c2d 1,56,56,64,64,3,3,1,1,1 --against onednn,im2col --rounds 31\n"
      "  ardea bench softmax 1024,1024 --against copy,cloop\n"
      "  ardea bench gemm 1024,1024,1024 --best --rivals recipe\n"
      "  ardea bench gemm 1024,1024,1024 --in bfloat16 --prepacked --against onednn\n"
      "  ardea bench --set cpu_f32 --against openblas,blis,eigen,onednn,im2col\n"
      "  ardea bench gemm 1024,1024,1024 --threads 2 --copies\n"
      "  ardea bench examples/dynamic_gemm.tir --schedule fast.py --rivals none,other.py --size m=512\n"
      "  ardea bench mine.tir --schedule fast.py --library ./libmine.so --symbol mine\n"
      "  ardea bench gemm 1024,1024,1024 --in float16 --out float16 --target h200 --align 16 --best "
      "--against "
      "cublas,cublaslt\n"
      "`make bench-peers` builds the peers; the method: docs/benchmarks.md.");

  cli::TargetOptions target;
  CLI::App* target_command = app.add_subcommand("target", "describe this machine, or a named target");
  target_command->add_option("name", target.name, "a name from --list, or a JSON file")
      ->capture_default_str();
  target_command->add_flag("--list", target.list, "the names of all targets");
  target_command->add_flag("--measure", target.measure,
                           "measure what this machine can do, for `run` to compare with; kept for this user");
  target_command->add_flag("--json", target.json, "the whole record");
  target_command->footer(
      "Examples:\n  ardea target\n  ardea target neoverse-v1 --json\n  ardea target --list\n  ardea target "
      "--measure");

  cli::PrimitivesOptions primitives;
  CLI::App* primitives_command =
      app.add_subcommand("primitives", "list the steps that schedules are made of, or describe one");
  primitives_command->add_option("name", primitives.name, "a primitive");
  primitives_command->add_flag("--json", primitives.json, "machine-readable output");
  primitives_command->footer("Examples:\n  ardea primitives\n  ardea primitives split");

  cli::InstructionsOptions instructions;
  CLI::App* instructions_command =
      app.add_subcommand("instructions", "list the tensor instructions and who has them, or describe one");
  instructions_command->add_option("name", instructions.name, "a tensor instruction");
  instructions_command->add_option("--target", instructions.target, "the machine to ask about")
      ->capture_default_str();
  instructions_command->add_flag("--json", instructions.json, "machine-readable output");
  instructions_command->footer(
      "Examples:\n  ardea instructions\n  ardea instructions neon.smmla\n  ardea instructions --target "
      "neoverse-v1");

  cli::SpaceOptions space;
  CLI::App* space_command = app.add_subcommand(
      "space",
      "all programs that the rules, or a script's sampling steps, can make: count, sample, check and explain "
      "them");
  add_program(space_command, space.program, true, call_knows);
  space_command->add_option("--schedule", space.program.schedule,
                            "a script whose sampling steps are the choices, in place of the rules'");
  space_command->add_option("--target", space.target, "a name from `ardea target --list`, or a JSON file")
      ->capture_default_str();
  space_command->add_flag("--show", space.show,
                          "print sketches, knobs, variables and constraints with their reasons");
  space_command->add_flag("--count", space.count, "print the number of points, and nothing else");
  space_command->add_option("--sketch", space.sketch, "this sketch only, counted from 0");
  space_command->add_option("--within-cache", space.within_cache,
                            "keep what nests work on within the cache of this level (1, 2, …)");
  space_command->add_option("--sample", space.samples, "draw so many points")->capture_default_str();
  space_command->add_flag(
      "--check", space.check,
      "make each sample a program: does it apply, fit the machine as predicted, and "
      "compute what the program as written does? ARDEA_NUM_THREADS samples at once, equal ones once; where "
      "only a call knows a size, with several. Says how far it is on the error stream; an interrupt "
      "(Ctrl-C) answers for the samples checked so far, with exit code 130");
  space_command->add_option(
      "--explain", space.explain,
      "a point, such as m_0=4,m_1=3: what it breaks, and what is legal near it; with fewer "
      "knobs, a solution that has these values, or why there is none");
  space_command->add_option("--csv", space.csv, "write the samples to this file");
  space_command->add_option(
      "--plot", space.plot,
      "draw what knobs are in solutions, and which constraints bind, into this SVG file");
  space_command->add_option("--seed", space.seed, "of the samples and of the inputs")
      ->check(from_zero)
      ->capture_default_str();
  space_command->add_flag("--json", space.json, "machine-readable output");
  space_command->footer(
      "Examples:\n"
      "  ardea space gemm 64,64,64 --sample 20 --check\n"
      "  ardea space gemm m,64,64 --sample 20 --check\n"
      "  ardea space gemm 64,64,64 --sketch 0 --show\n"
      "  ardea space softmax 64,1000 --target avx2 --plot space.svg\n"
      "  ardea space gemm 64,64,64 --schedule examples/gemm_space.py --show\n"
      "  ardea space gemm 64,64,64 --schedule examples/gemm_space.py --sample 20 --check\n"
      "  ardea space gemm 64,64,64 --schedule examples/gemm_template.py --sketch 0 --show\n"
      "  ardea space gemm 64,64,64 --schedule examples/gemm_space.py --explain m_0=4,m_1=3,choice=8\n"
      "What the answers mean: docs/sketches.md.");

  cli::OpsOptions ops;
  CLI::App* ops_command = app.add_subcommand("ops", "list the operators, or describe one");
  ops_command->add_option("name", ops.name, "an operator");
  ops_command->add_flag("--json", ops.json, "machine-readable output");
  ops_command->footer("Examples:\n  ardea ops\n  ardea ops c2d\n  ardea ops --json");

  cli::TuneOptions tune;
  CLI::App* tune_command =
      app.add_subcommand("tune", "search for the fastest program on this machine, and remember it");
  add_program(tune_command, tune.program, false, all_known);
  add_prepacked(tune_command, tune.program);
  tune_command->add_option("--trials", tune.trials,
                           "programs that are built and timed; 64 where no time is given");
  tune_command->add_option("--seconds", tune.seconds, "for all of it; what ends first, ends it");
  tune_command->add_option(
      "--method", tune.method,
      "how the space is searched: cga, random, grid, …; chosen by the budget where it is left "
      "out");
  tune_command->add_option("--seed", tune.seed, "of the search")->check(from_zero)->capture_default_str();
  tune_command->add_option(
      "--db", tune.db,
      "the database; else ARDEA_DB, else ardea/tuning.db in XDG_DATA_HOME or ~/.local/share");
  tune_command->add_flag("--resume", tune.resume,
                         "go on from the trials that the database has of this task: they count");
  tune_command->add_flag(
      "--replay", tune.replay,
      "measure nothing: the times are those of the last run of this task, method and seed in the "
      "database, whose other options must be given as they were");
  tune_command->add_flag("--blind", tune.blind,
                         "without the point that the model of the machine chooses, and without records");
  tune_command
      ->add_option("--target", tune.target,
                   "this machine's record, or its GPU's, such as h200: a name, or a JSON file")
      ->capture_default_str();
  tune_command->add_option("--schedule", tune.program.schedule,
                           "a script whose cfg and samples are searched in place of the rules' space");
  tune_command
      ->add_option("--align", tune.program.align,
                   "promise that arrays begin on multiples of so many bytes, as `run` does: part of the task")
      ->delimiter(',');
  tune_command->add_option("--threads", tune.threads,
                           "that the program runs on; else ARDEA_NUM_THREADS, else all cores, as `run` does");
  tune_command->add_option("--csv", tune.csv, "write a line a trial: number, speed, what came of it, knobs");
  tune_command->add_option("--suite", tune.suite,
                           "a JSON list of workloads that share the budget by what is expected of each: "
                           "[\"gemm 64,64,64\", {\"workload\": \"softmax 8,64\", \"weight\": 3}]");
  tune_command->add_option("-p", tune.platform, "with -c: cpu, dlboost or vta");
  tune_command->add_option("-c", tune.config, "a configuration of Heron's");
  tune_command->add_flag("--without-libraries", tune.without_libraries, "do not time libraries beside it");
  tune_command->add_flag("--json", tune.json, "machine-readable output");
  tune_command->footer(
      "Examples:\n  ardea tune gemm 1024,1024,1024\n  ardea tune c2d 1,56,56,64,64,3,3,1,1,1 --seconds 60\n"
      "  ardea tune softmax 1024,1024 --trials 32 --method random --csv trials.csv\n"
      "  ardea tune gemm 512,512,512 --trials 256 --resume\n"
      "  ardea tune gemm 64,768,3072 --prepacked\n"
      "  ardea tune gemm 256,256,256 --schedule examples/gemm_template.py\n"
      "  ardea tune gemm 1024,1024,1024 --in float16 --out float16 --target h200 --align 16\n"
      "  ardea tune gemm 512,512,512 --trials 64 --seed 1 --replay\n"
      "  ardea tune --suite examples/suite.json --seconds 300\n"
      "  ardea tune -p dlboost -c examples/heron/quick_start.json\n"
      "How it works: docs/tuning.md.");

  cli::DbOptions db;
  CLI::App* db_command =
      app.add_subcommand("db", "what was tuned: list it, hand it on as text, check it, join databases");
  db_command
      ->add_option("action", db.action,
                   "list: the tasks; best: their fastest trials; export, import: a line of JSON a trial; "
                   "verify: every "
                   "checksum; merge: take what is sound in other databases; prune: keep the fastest")
      ->required();
  db_command->add_option("files", db.files, "what import and merge read");
  db_command->add_option(
      "--db", db.db, "the database; else ARDEA_DB, else ardea/tuning.db in XDG_DATA_HOME or ~/.local/share");
  db_command->add_option("--workload", db.workload, "best: of the tasks that have this in their name");
  db_command->add_option("--out", db.out, "export: into this file");
  db_command
      ->add_option(
          "--as", db.as,
          "export: own, or the shape of another tuner's records, autotvm or ansor (import knows them by "
          "themselves)")
      ->capture_default_str();
  db_command->add_option("--keep", db.keep, "prune: so many trials of each task, the fastest");
  db_command->add_flag("--json", db.json, "machine-readable output");
  db_command->footer(
      "Examples:\n  ardea db list\n  ardea db best --workload gemm\n  ardea db export --out trials.jsonl\n"
      "  ardea db import trials.jsonl --db other.db\n  ardea db merge damaged.db --db sound.db\n"
      "  ardea db prune --keep 10\n  ardea db export --as autotvm --out records.log\n"
      "What is kept: docs/database.md.");

  cli::BestOptions best;
  CLI::App* best_command =
      app.add_subcommand("best", "the fastest program that was found: its time, speed and schedule");
  add_program(best_command, best.program, false, all_known);
  best_command->add_flag("--prepacked", best.program.prepacked, "only with weights that were packed ahead");
  best_command->add_option(
      "--db", best.db,
      "the database; else ARDEA_DB, else ardea/tuning.db in XDG_DATA_HOME or ~/.local/share");
  best_command->add_flag("--json", best.json, "machine-readable output");
  best_command->footer(
      "Examples:\n  ardea best\n  ardea best gemm 1024,1024,1024\n  ardea best gemm 1024,1024,1024 --json\n"
      "Its steps: ardea show gemm 1024,1024,1024 --best --as trace.");

  cli::ReportOptions report;
  CLI::App* report_command =
      app.add_subcommand("report", "write what tuning did as one page of HTML that needs no other file");
  report_command->add_option(
      "db", report.db,
      "the database; else ARDEA_DB, else ardea/tuning.db in XDG_DATA_HOME or ~/.local/share");
  report_command->add_option("-o", report.out, "the page")->capture_default_str();
  report_command->add_option("--workload", report.workload, "the tasks that have this in their name");
  report_command->add_flag("--json", report.json, "machine-readable output");
  report_command->footer(
      "Examples:\n  ardea report\n  ardea report tuning.db -o report.html --workload gemm\n"
      "What it shows: docs/tuning.md.");

  std::string worker;
  CLI::App* worker_command = app.add_subcommand(
      "worker", "a process that the tuner starts: builds, runs or checks schedules by requests in JSON");
  worker_command->group("");  // nobody types it
  worker_command
      ->add_option("kind", worker,
                   "build: schedules to object files; run: check and time these; reference: compute what "
                   "their answers must be")
      ->required();
  worker_command->footer(
      "It reads a line of JSON at a time from standard input, first the task, and answers each with a line "
      "on standard output, until the input ends.\nExamples:\n  ardea worker build < requests.jsonl");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(e);
    std::vector<std::string> names;
    for (const CLI::App* known : app.get_subcommands([](CLI::App*) { return true; }))
      if (!known->get_group().empty()) names.push_back(known->get_name());
    const std::string first = argc > 1 ? argv[1] : "";
    if (app.get_subcommands().empty() && !first.empty() && first[0] != '-')
      fail("there is no command {}, only {}{}", first, join(names, ", "), did_you_mean(first, names));
    const std::string command =
        app.get_subcommands().empty() ? "ardea" : "ardea " + app.get_subcommands()[0]->get_name();
    const CLI::App* asked = app.get_subcommands().empty() ? &app : app.get_subcommands()[0];
    fail("{}; see {} --help", what_is_wrong(e, *asked, {argv + 1, argv + argc}), command);
  }
  if (show_command->parsed()) return cli::show(show);
  if (target_command->parsed()) return cli::target(target);
  if (primitives_command->parsed()) return cli::primitives(primitives);
  if (instructions_command->parsed()) return cli::instructions(instructions);
  if (ops_command->parsed()) return cli::ops(ops);
  if (space_command->parsed()) return cli::space(space);
  if (tune_command->parsed()) return cli::tune(tune);
  if (db_command->parsed()) return cli::db(db);
  if (worker_command->parsed()) return measure::work_as(worker);
  if (best_command->parsed()) return cli::best(best);
  if (report_command->parsed()) return cli::report(report);
  bench.sizes = parse_sizes(bench_sizes);
  if (bench_command->parsed()) return cli::bench(bench);
  if (compile_command->parsed()) return cli::compile(compile);
  run_options.sizes = parse_sizes(sizes);
  return cli::run(run_options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ardea::Error& e) {
    std::fprintf(stderr, "ardea: %s\n", e.what());
    return ardea::cli::exit_bad_input;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "ardea: there is not enough memory for this program; give smaller sizes\n");
    return ardea::cli::exit_bad_input;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ardea: internal error: %s; please report this with the command and its input\n",
                 e.what());
    return ardea::cli::exit_internal_error;
  }
}
