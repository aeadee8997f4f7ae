#include "ardea/cli/program.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "ardea/arith/load.h"
#include "ardea/cli/promises.h"
#include "ardea/cli/records.h"
#include "ardea/ir/fold_literals.h"
#include "ardea/rules/program_space.h"
#include "ardea/schedule/schedule.h"
#include "ardea/schedule/separate_packing.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/support/text_file.h"
#include "ardea/tune/task.h"

namespace ardea::cli {

namespace {

bool is_operator(const std::string& name) {
  const auto& all = ops::operators();
  return std::any_of(all.begin(), all.end(), [&](const ops::Operator& op) { return op.name == name; });
}

/// A word without a shape is a file, unless it can only have been meant as an operator.
Program from_file(const ProgramOptions& options) {
  const std::string& word = options.program;
  std::error_code ignored;
  const bool is_path =
      word.find('/') != std::string::npos || word.ends_with(".tir") || std::filesystem::exists(word, ignored);
  if (!is_path && is_operator(word)) {
    const ops::Operator& op = ops::find(word);
    fail("{} needs its sizes {}, as in: {} {}", word, ops::size_names(op), word,
         join(std::vector<std::string>(op.sizes.size(), "8"), ","));
  }
  if (!is_path) {
    std::vector<std::string> names;
    for (const ops::Operator& op : ops::operators()) names.push_back(op.name);
    fail("{}: there is neither a file nor an operator of that name{}; `ardea ops` lists the operators",
         in_quotes(word), did_you_mean(word, names));
  }
  require(options.in.empty() && options.acc.empty() && options.out.empty() && options.layout.empty() &&
              !options.transpose_b && !options.prepacked,
          "{}: --in, --acc, --out, --layout, --tb and --prepacked belong to operators; a program in a file "
          "states its own types",
          word);
  return {.module = arith::load_file(word), .title = word};
}

DataType one_type(const char* flag, const std::string& text) {
  if (text.empty()) return no_type;
  const std::vector<DataType> types = ops::parse_types(text);
  require(types.size() == 1, "{} {}: give one type", flag, text);
  return types[0];
}

Program with_steps(Program program, const schedule::Schedule& schedule) {
  program.written = std::exchange(program.module.functions[0], fold_literals(schedule.program()));
  program.trace = schedule.trace();
  return program;
}

/// What the arrays of an operator for a GPU begin on where nobody says: all allocators of device memory give
/// as much, and accesses of 16 bytes need it.
constexpr int device_alignment_bytes = 16;

/// The program after the steps that the rules choose for it by their model; as it is where there are none,
/// unless they were asked for.
Program by_rules(Program program, const ProgramOptions& options, const target::Target& target) {
  const bool may_have = program.typical() != nullptr || options.schedule == "recipe";
  if (!may_have) return program;
  require(program.module.functions.size() == 1,
          "--schedule recipe: {} has {} functions, a schedule is for one", program.title,
          program.module.functions.size());
  const auto made = rules::model_schedule(program.module.functions[0], target, rules::rules_for(target),
                                          {.weights_ahead = options.prepacked});
  require(!options.prepacked || (made && made->has_packed_ahead),
          "--prepacked: no rule packs weights of {} on {} ahead; leave it out, or give steps that pack them "
          "with --schedule FILE",
          program.title, target.name);
  require(made || options.schedule.empty(),
          "--schedule recipe: no rule applies to {} on {}; give a file of steps, or none",
          program.workload ? ops::to_string(*program.workload) : program.title, target.name);
  if (!made) return program;
  program.recipe = join(made->rules, ", ");
  return with_steps(std::move(program), made->schedule);
}

/// The program after the steps of the schedule's file, or of the rules.
Program scheduled(Program program, const ProgramOptions& options, const target::Target& target) {
  const std::string& file = options.schedule;
  const bool is_file = !file.empty() && file != "none" && file != "recipe" && file != "best";
  require(is_file || !options.draw, "--draw {}: it belongs to --schedule FILE, whose decisions it draws",
          options.draw.value_or(0));
  require(file != "none" || !options.prepacked,
          "--prepacked: {} as it is written packs nothing; leave --schedule none out", program.title);
  require(options.records != ProgramOptions::Records::only || file.empty(),
          "--best and --schedule {}: a program has one schedule; leave one of them out", file);
  if (file == "none") return program;
  if (const auto recorded = recorded_schedule(program, options, target)) {
    program.record = recorded->best;
    return with_steps(std::move(program), recorded->schedule);
  }
  if (!is_file) return by_rules(std::move(program), options, target);
  require(program.module.functions.size() == 1, "--schedule {}: {} has {} functions, a schedule is for one",
          file, program.title, program.module.functions.size());
  schedule::Schedule schedule(program.module.functions[0], options.draw.value_or(0));
  schedule.replay(schedule::parse_steps(read_text_file(file), file),
                  options.draw ? schedule::Schedule::Decisions::draw : schedule::Schedule::Decisions::keep);
  return with_steps(std::move(program), schedule);
}

Program from_operator(const ProgramOptions& options) {
  ops::find(options.program);  // an unknown name is the first thing to say
  ops::Workload wanted{.op = options.program,
                       .sizes = {},
                       .acc = one_type("--acc", options.acc),
                       .out = one_type("--out", options.out),
                       .layout = options.layout,
                       .transpose_b = options.transpose_b};
  if (!options.in.empty()) wanted.in = ops::parse_types(options.in);
  Program program{.module = {}, .title = options.program + " " + options.shape};
  if (ops::has_open_sizes(options.shape)) {
    program.open = ops::open_workload(std::move(wanted), options.shape);
    program.module.functions = {ops::create_function(*program.open, "main")};
  } else {
    wanted.sizes = ops::parse_sizes(options.shape);
    program.workload = ops::make_workload(std::move(wanted));
    program.module.functions = {ops::create_function(*program.workload, "main")};
  }
  return program;
}

/// The second operand's packing as a function of its own.
void separate_weights(Program& program) {
  Function& f = program.module.functions[0];
  require(f.parameters.size() > 2, "--prepacked: {} has no weights, which would be its second operand",
          program.title);
  schedule::SeparatedPacking separated = schedule::separate_packing(f, schedule::weights_of(f));
  program.module = {f.name, {std::move(separated.main), std::move(separated.pack)}};
  program.packed_parameter = separated.parameter;
}

}  // namespace

std::string command_of(const ProgramOptions& program) {
  std::string text = program.program;
  if (!program.shape.empty()) text += " " + program.shape;
  for (const auto& [flag, value] :
       {std::pair(" --in ", program.in), std::pair(" --acc ", program.acc), std::pair(" --out ", program.out),
        std::pair(" --layout ", program.layout)})
    if (!value.empty()) text += flag + value;
  if (program.transpose_b) text += " --tb";
  for (const std::string& promise : program.align) text += " --align " + promise;
  return program.prepacked ? text + " --prepacked" : text;
}

Program load_program(const ProgramOptions& options, const target::Target& given,
                     const std::string& function_name) {
  require(options.threads >= 0 && options.threads <= 4096, "--threads {}: must be from 1 to 4096",
          options.threads);
  const target::Target target = options.threads > 0 ? tune::on_threads(given, options.threads) : given;
  const bool is_operator = !options.shape.empty();
  std::vector<std::string> promises = options.align;
  if (promises.empty() && is_operator && target.kind == target::Kind::cuda)
    promises = {std::to_string(device_alignment_bytes)};
  Program program = is_operator ? from_operator(options) : from_file(options);
  // Before the schedule, whose steps may count on them, and again for arrays that it makes.
  program.module = with_promises(std::move(program.module), known_promises(program.module, promises));
  program = scheduled(std::move(program), options, target);
  if (is_operator) {
    // An operator is main to its schedule, whatever it is called in the end.
    program.module.functions[0].name = function_name;
    if (options.prepacked) separate_weights(program);
  }
  program.module = with_promises(std::move(program.module), promises);
  return program;
}

}  // namespace ardea::cli
