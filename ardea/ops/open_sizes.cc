#include "ardea/ops/open_sizes.h"

#include <algorithm>
#include <cctype>

#include "ardea/ir/equal.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"
#include "ardea/te/create_prim_func.h"

namespace ardea::ops {

namespace {

bool is_size_name(const std::string& text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), is_word);
}

/// Numbers that stand for the open sizes, in the order of their names: what depends on a size differs between
/// the first and the second, and what is the size is both.
struct StandIn {
  std::string name;
  std::int64_t first, second;
};

std::vector<StandIn> stand_ins(const std::vector<std::string>& names) {
  std::vector<StandIn> all;
  for (const std::string& name : names) {
    const bool is_known =
        std::any_of(all.begin(), all.end(), [&](const StandIn& other) { return other.name == name; });
    const auto place = static_cast<std::int64_t>(all.size() + 1);
    if (!name.empty() && !is_known) all.push_back({name, 840 * place, 1260 * place});
  }
  return all;
}

std::string names_of(const std::vector<StandIn>& all) {
  std::vector<std::string> names;
  for (const StandIn& each : all) names.push_back(each.name);
  return join(names, ", ");
}

/// The workload with the second numbers.
Workload with_other_numbers(const OpenWorkload& w) {
  std::map<std::string, std::int64_t> numbers;
  for (const StandIn& each : stand_ins(w.names)) numbers[each.name] = each.second;
  return at_sizes(w, numbers);
}

/// make_workload's, which says of a number that nobody gave where it comes from.
Workload made_of_numbers(Workload wanted, const std::vector<StandIn>& open) {
  try {
    return make_workload(std::move(wanted));
  } catch (const Error& error) {
    const std::string said = error.what();
    for (const auto& [name, number, other] : open)
      if (said.find(std::to_string(number)) != std::string::npos)
        fail("{}; {} is open, {} stands for it here: give a number for it", said, name, number);
    throw;
  }
}

/// The inputs, with variables in the places of open sizes.
std::vector<te::Tensor> open_inputs(const OpenWorkload& w) {
  const Operator& op = find(w.typical.op);
  const std::vector<StandIn> open = stand_ins(w.names);
  const std::vector<Shape> first = op.shapes(w.typical), second = op.shapes(with_other_numbers(w));
  std::vector<Var> sizes;
  for (const StandIn& each : open) sizes.emplace_back(each.name, int64);
  std::vector<bool> told(open.size(), false);
  std::vector<te::Tensor> inputs;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    std::vector<Expr> shape;
    for (std::size_t d = 0; d < first[i].size(); ++d) {
      const std::int64_t one = first[i][d].value(), other = second[i][d].value();
      Expr extent = one == other ? make_int(one) : Expr();
      for (std::size_t s = 0; s < open.size(); ++s) {
        if (one != open[s].first || other != open[s].second) continue;
        extent = sizes[s];
        told[s] = true;
      }
      require(extent.defined(),
              "{}: {} cannot be open: a dimension of {} ({}) is not the size itself; give a number", op.name,
              names_of(open), op.inputs[i].name, op.inputs[i].shape);
      shape.push_back(extent);
    }
    inputs.push_back(te::placeholder(op.inputs[i].name, shape, w.typical.in[i]));
  }
  for (std::size_t s = 0; s < open.size(); ++s)
    require(told[s],
            "{}: {} cannot be open: it is a dimension of no input, so that no call would tell it; give a "
            "number",
            op.name, open[s].name);
  return inputs;
}

Function function_of(const std::vector<te::Tensor>& inputs, const te::Tensor& result,
                     const std::string& name) {
  std::vector<te::Argument> arguments(inputs.begin(), inputs.end());
  arguments.emplace_back(result);
  return te::create_prim_func(arguments, name);
}

}  // namespace

bool has_open_sizes(const std::string& sizes) {
  const std::vector<std::string> parts = parts_of(sizes);
  return std::any_of(parts.begin(), parts.end(), is_size_name);
}

OpenWorkload open_workload(Workload wanted, const std::string& sizes) {
  const Operator& op = find(wanted.op);
  OpenWorkload w;
  const std::vector<std::string> parts = parts_of(sizes);
  for (const std::string& part : parts) w.names.push_back(is_size_name(part) ? part : "");
  const std::vector<StandIn> open = stand_ins(w.names);
  for (const std::string& part : parts) {
    const auto stands =
        std::find_if(open.begin(), open.end(), [&](const StandIn& s) { return s.name == part; });
    wanted.sizes.push_back(stands != open.end() ? stands->first : parse_sizes(part).at(0));
  }
  w.typical = made_of_numbers(std::move(wanted), open);
  w.names.resize(op.sizes.size());
  const std::vector<te::Tensor> inputs = open_inputs(w);
  // The operator sees the variables in its inputs' shapes. Where it asks for the number instead, the program
  // would be right for that one only.
  const Function one = function_of(inputs, op.result(w.typical, inputs), "main"),
                 other = function_of(inputs, op.result(with_other_numbers(w), inputs), "main");
  require(structurally_equal(one, other),
          "{}: {} cannot be open: the operator's program is another one for each number; give one", op.name,
          names_of(open));
  return w;
}

Workload at_sizes(const OpenWorkload& w, const std::map<std::string, std::int64_t>& sizes) {
  Workload out = w.typical;
  for (std::size_t i = 0; i < w.names.size(); ++i)
    if (const auto given = sizes.find(w.names[i]); given != sizes.end()) out.sizes[i] = given->second;
  return out;
}

std::vector<te::Tensor> build(const OpenWorkload& w) {
  std::vector<te::Tensor> tensors = open_inputs(w);
  tensors.push_back(find(w.typical.op).result(w.typical, tensors));
  return tensors;
}

Function create_function(const OpenWorkload& w, const std::string& name) {
  std::vector<te::Tensor> tensors = build(w);
  const te::Tensor result = tensors.back();
  tensors.pop_back();
  return function_of(tensors, result, name);
}

}  // namespace ardea::ops
