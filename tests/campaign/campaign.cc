#include "tests/campaign/campaign.h"

#include <fmt/core.h>

#include <exception>

#include "ardea/arith/verify.h"
#include "ardea/compile/compile.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/lower/pipeline.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/support/error.h"
#include "tests/campaign/compare.h"
#include "tests/random/marks.h"
#include "tests/random/random_program.h"

namespace ardea::campaign {

namespace {

using Arguments = std::vector<interp::Argument>;

const target::Target& host() {
  static const target::Target machine =
      target::host();  // reading it anew for every program would take longer than most runs
  return machine;
}

const target::Target& other_machine() {
  static const target::Target machine =
      target::find(host().arch == target::Arch::x86_64 ? "generic-aarch64" : "generic-x86_64");
  return machine;
}

class Checks {
 public:
  explicit Checks(const Case& test) : test_(test), f_(test.program) {}

  void run() {
    const auto law = [&](const std::string& name, const auto& check) {
      law_ = name;
      check();
    };
    law("verify", [&] { arith::require_valid(f_, ""); });
    law("round_trip", [&] { round_trip(); });
    law("interpret", [&] { interpret(); });
    if (test_.each_pass) each_pass();  // before the compiled runs: it names the pass at fault
    law("compiled", [&] { compiled(); });
    law("contracted", [&] { contracted(); });
    law("assembly", [&] {
      if (test_.other_target) compile::assembly(Module{"", {f_}}, other_machine());
    });
  }

  const std::string& law() const { return law_; }

 private:
  void round_trip() {
    const std::string text = print(f_);
    const Function again = parse_function(text, "printed");
    if (!structurally_equal(f_, again)) fail("{}", first_difference(f_, again));
    if (print(again) != text) fail("printing what was parsed gives other text");
  }

  void interpret() {
    before_ = measure::make_arguments(f_, {.seed = test_.seed, .sizes = sizes()});
    expected_ = interpreted(f_, false);
  }

  std::map<std::string, std::int64_t> sizes() const {
    std::map<std::string, std::int64_t> sizes;
    for (const Var& v : shape_variables(f_)) sizes[v.name()] = v.name() == "n" ? test_.n : test_.m;
    return sizes;
  }

  /// `packed`: 4-bit integers are halves of bytes, and writing one half reads the other, written or not.
  Arguments interpreted(const Function& f, bool packed) const {
    Arguments arguments = measure::copy_arguments(before_);
    interp::Options options{.seed = test_.seed};
    const auto roles = measure::argument_roles(f_);
    for (std::size_t i = 0; i < roles.size() && !packed; ++i)
      if (roles[i] == measure::Role::output) options.uninitialised_arguments.push_back(i);
    interp::run(f, arguments, options);
    return arguments;
  }

  Arguments run_compiled(bool contract) const {
    const runtime::Function code =
        compile::callable(f_, host(), {.contract = contract, .optimization_level = test_.optimization_level});
    Arguments arguments = measure::copy_arguments(before_);
    std::vector<runtime::Value> values;
    for (const interp::Argument& argument : arguments)
      std::visit([&](const auto& value) { values.emplace_back(value); }, argument);
    code.call(values);
    return arguments;
  }

  void same_bits(const Arguments& got) const {
    const std::string difference = first_bit_difference(f_, expected_, got);
    if (!difference.empty()) fail("{}", difference);
  }

  void within_tolerance(const Arguments& got) const {
    const measure::CheckReport report = measure::check(f_, before_, got, measure::Reference::interpreter);
    for (const measure::Comparison& c : report.arguments) {
      if (c.mismatches > 0)
        fail("argument {}, element {}: {} found, {} expected, tolerance {} ({} of {} differ)", c.argument,
             c.index, c.got, c.expected, c.tolerance, c.mismatches, c.elements);
      if (c.unbounded > 0)
        fail("argument {}: no tolerance could be derived for {} elements", c.argument, c.unbounded);
    }
  }

  void compiled() const {
    const Arguments got = run_compiled(false);
    if (is_bit_exact(f_))
      same_bits(got);
    else
      within_tolerance(got);
  }

  void contracted() const {
    // Where a comparison or a cast may turn the one rounding that contraction saves into a jump, there is no
    // tolerance.
    if (test_.smooth) within_tolerance(run_compiled(true));
  }

  void each_pass() {
    Function lowered = f_;
    bool legalised = false, approximate = false;
    for (const lower::Pass& pass : lower::pipeline(host())) {
      if (pass.name == "pack_arguments") break;  // what it makes has no parameters
      law_ = "pass " + pass.name;
      lowered = pass.run(lowered, host());
      legalised = legalised || pass.name == "legalise_types";
      approximate = approximate || pass.name == "lower_intrinsics";
      const Arguments got = interpreted(lowered, legalised);
      if (is_bit_exact(f_) || !approximate)
        same_bits(got);
      else
        within_tolerance(got);
    }
  }

  const Case& test_;
  const Function& f_;
  std::string law_;
  Arguments before_, expected_;
};

}  // namespace

Case make_case(std::uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15ULL + 1);
  Case test{.seed = seed, .program = {}};
  test.smooth = random.chance(0.35);
  test.each_pass = random.chance(0.25);
  test.other_target = random.chance(0.1);
  test.optimization_level = static_cast<int>(random.pick(std::vector<int>{0, 0, 0, 1, 3}));
  static const std::vector<std::int64_t> sizes = {1, 2, 3, 5, 7, 8, 11};
  test.n = random.pick(sizes);
  test.m = random.pick(sizes);
  const random_programs::RandomProgramOptions options{
      .floats = test.smooth ? random_programs::FloatUse::smooth : random_programs::FloatUse::bit_exact};
  test.program = random.chance(0.18) ? random_programs::random_lowered_program(random, options)
                                     : random_programs::random_program(random, options);
  if (random.chance(0.4)) test.program = random_programs::with_marked_loops(test.program, random);
  return test;
}

std::string failure_of(const Case& test) {
  Checks checks(test);
  std::string what;
  try {
    checks.run();
    return "";
  } catch (const std::exception& error) {
    what = error.what();
  }
  return fmt::format(
      "seed {} breaks the law \"{}\": {}\n(replay: ardea_campaign --only {}; n = {}, m = {}, level {})\n{}",
      test.seed, checks.law(), what, test.seed, test.n, test.m, test.optimization_level, print(test.program));
}

}  // namespace ardea::campaign
