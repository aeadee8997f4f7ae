#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "ardea/cli/heron.h"
#include "ardea/ops/types.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/support/text_file.h"

namespace ardea::cli {

namespace {

using nlohmann::json;

/// One key of a configuration, on its way into ours.
struct Given {
  const std::string& file;
  const std::string& platform;
  const std::string& key;
  const json& value;
  HeronConfig& config;

  [[noreturn]] void refuse(const std::string& why) const {
    fail("{}: \"{}\": {}: {}", file, key, value.dump(), why);
  }
  std::int64_t integer(std::int64_t least) const {
    if (!value.is_number_integer() || value.get<std::int64_t>() < least)
      refuse(fmt::format("it must be a whole number of at least {}", least));
    return value.get<std::int64_t>();
  }
  double number(double least) const {
    if (!value.is_number() || !(value.get<double>() >= least))
      refuse(fmt::format("it must be a number of at least {}", least));
    return value.get<double>();
  }
  std::string text() const {
    if (!value.is_string()) refuse("it must be a text");
    return value.get<std::string>();
  }
  bool flag() const {
    if (!value.is_boolean() && value != 0 && value != 1) refuse("it must be true or false");
    return value.is_boolean() ? value.get<bool>() : value == 1;
  }
};

void take_method(const Given& given) {
  static const std::map<std::string, std::string> names = {
      {"cga", "cga"}, {"ga", "ga"}, {"sa", "annealing"}, {"rand", "random"}, {"random", "random"}};
  std::string wanted = given.text();
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto at = names.find(wanted);
  if (at == names.end())
    given.refuse("there are CGA, GA, SA and RAND here; the other algorithms of its comparison are not");
  given.config.method = at->second;
}

/// The types of a product's operands, its sums and its result.
void take_types(HeronConfig& config, const std::string& in, const std::string& out) {
  config.in = in;
  const bool is_whole = in.find("int") != std::string::npos;
  config.acc = is_whole ? "int32" : in == "float64" ? "float64" : "float32";
  config.out = out;
}

void take_case(const Given& given, const std::string& name, const json& one) {
  if (!one.is_array() || one.size() != 2 || !one[0].is_string() || !one[1].is_array())
    given.refuse(fmt::format(
        "case {} is no list of an operator and its sizes, such as [\"gemm\", [64, 64, 64]]", name));
  HeronCase made{name, one[0].get<std::string>(), {}};
  for (const json& size : one[1]) {
    if (!size.is_number_integer()) given.refuse(fmt::format("case {} has the size {}", name, size.dump()));
    made.sizes.push_back(size.get<std::int64_t>());
  }
  given.config.cases.push_back(std::move(made));
}

void take_cases(const Given& given) {
  if (!given.value.is_object() || given.value.empty())
    given.refuse("it must be an object with at least one case");
  for (const auto& [name, one] : given.value.items()) take_case(given, name, one);
}

/// What runs the programs that are asked for.
void take_target(const Given& given) {
  const std::string name = given.text();
  const bool is_cuda = name.find("cuda") != std::string::npos, is_vta = name.find("vta") != std::string::npos;
  const bool fits = given.platform == "vta"          ? is_vta
                    : given.platform == "tensorcore" ? is_cuda
                                                     : !is_cuda && !is_vta;
  if (!fits) given.refuse(fmt::format("-p {} runs on another machine than that", given.platform));
}

void take_codegen(const Given& given) {
  const std::string name = given.text();
  const std::string wanted = given.platform == "vta" ? "VTA" : given.platform == "tensorcore" ? "GPU" : "CPU";
  if (name.find(wanted) == std::string::npos)
    given.refuse(fmt::format("-p {} makes code of the type {}", given.platform, wanted));
}

void set_option(const Given& given, const char* name, double value) {
  given.config.method_options[name] = value;
}

void note(const Given& given, const std::string& what) {
  given.config.notes.push_back(fmt::format("\"{}\": {}: {}", given.key, given.value.dump(), what));
}

void take_repeats(const Given& given) {
  given.integer(1);
  note(given, "calls are timed until their median is known well enough, however many that takes");
}

void take_verbose(const Given& given) {
  if (given.flag()) note(given, "each trial is a line of the file that out_name names");
}

void take_loss(const Given& given) {
  const std::string loss = given.text();
  if (loss != "reg" && loss != "rank") given.refuse("there are reg and rank");
  given.config.regression = loss == "reg";
}

using Take = std::function<void(const Given&)>;

/// Every key that Heron's configurations have, and what becomes of it here.
const std::map<std::string, Take>& keys() {
  static const std::map<std::string, Take> all = {
      {"out_name", [](const Given& g) { g.config.out_name = g.text(); }},
      {"method", take_method},
      {"opt_method", take_method},
      {"max_trials", [](const Given& g) { g.config.max_trials = g.integer(1); }},
      {"measure_time_per_round", [](const Given& g) { g.config.batch = g.integer(1); }},
      {"runner_number", take_repeats},
      {"runner_repeat", take_repeats},
      {"runner_timeout", [](const Given& g) { g.config.run_limit_s = g.number(0.1); }},
      {"build_timeout", [](const Given& g) { g.config.build_limit_s = g.number(0.1); }},
      {"in_dtype", [](const Given& g) { g.text(); }},  // with out_dtype, below
      {"out_dtype", [](const Given& g) { g.text(); }},
      {"cases", take_cases},
      {"temperature", [](const Given& g) { set_option(g, "temperature", g.number(0)); }},
      {"pop_num", [](const Given& g) { set_option(g, "population", static_cast<double>(g.integer(1))); }},
      {"iter_walks", [](const Given& g) { set_option(g, "generations", static_cast<double>(g.integer(1))); }},
      {"history_topk", [](const Given& g) { set_option(g, "history", static_cast<double>(g.integer(0))); }},
      {"select_num", [](const Given& g) { set_option(g, "parents", static_cast<double>(g.integer(1))); }},
      {"crossover_key_ratio",
       [](const Given& g) {
         set_option(g, "keys", g.number(0));
         note(g, "a share of the knobs here, of all variables there");
       }},
      {"use_cost_model", [](const Given& g) { g.config.uses_model = g.flag(); }},
      {"loss_type", take_loss},
      {"parallel",
       [](const Given& g) {
         if (!g.flag()) g.config.workers = 1;
       }},
      {"parallel_num",
       [](const Given& g) {
         g.config.workers = static_cast<int>(std::min<std::int64_t>(g.integer(1), 4096));
       }},
      {"verbose", take_verbose},
      {"target_name", take_target},
      {"codegen_type", take_codegen},
      {"device_id",
       [](const Given& g) {
         if (g.integer(0) != 0) g.refuse("there is one machine, 0: this one");
       }},
      {"tuned",
       [](const Given& g) {
         if (g.flag())
           g.refuse(
               "what was tuned is in the database: `ardea run` and `ardea compile` use it; leave it out to "
               "tune");
       }},
      {"feature_type",
       [](const Given& g) {
         g.refuse("the model sees the variables of the space and what is known of the program; leave it out");
       }},
      {"feasible_file_path",
       [](const Given& g) {
         if (!g.text().empty()) g.refuse("feasible points are solved for, not read; leave it out");
       }},
      {"get_op", [](const Given& g) { g.refuse("operators are named in the cases; leave it out"); }},
  };
  return all;
}

}  // namespace

HeronConfig read_heron_config(const std::string& file, const std::string& platform) {
  const json root = json::parse(read_text_file(file), nullptr, false);
  require(root.is_object() && root.contains("config") && root["config"].is_object(),
          "{}: it is no configuration of Heron's, which is {{\"config\": {{…}}}}", file);
  HeronConfig config;
  config.batch = 32;
  const json& given = root["config"];
  std::vector<std::string> names;
  for (const auto& [name, take] : keys()) names.push_back(name);
  for (const auto& [key, value] : given.items()) {
    const auto at = keys().find(key);
    require(at != keys().end(), "{}: there is no key \"{}\"{}; they are {}", file, key,
            did_you_mean(key, names), join(names, ", "));
    at->second(Given{file, platform, key, value, config});
  }
  require(!config.cases.empty(), "{}: \"cases\" is missing: what is to be tuned", file);
  const std::string in = given.value("in_dtype", std::string("float32"));
  take_types(config, in,
             given.value("out_dtype", in.find("int") != std::string::npos ? std::string("int32") : in));
  if (!config.uses_model && config.method.empty()) config.method = "random";
  const bool has_options = config.method.empty() || config.method == "cga";
  require(has_options || config.method_options.empty(), "{}: \"{}\" belongs to CGA, and the method is {}",
          file, config.method_options.empty() ? "" : config.method_options.begin()->first, config.method);
  if (has_options) config.method = "cga";
  return config;
}

}  // namespace ardea::cli
