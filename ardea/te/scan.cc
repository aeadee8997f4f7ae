#include "ardea/te/scan.h"

#include <algorithm>
#include <unordered_map>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"

namespace ardea::te {

namespace {

using OperationRef = std::shared_ptr<const Operation>;

/// The parts of a scan are checked here, so that create_prim_func can count on them.
class ScanCheck {
 public:
  ScanCheck(const std::string& name, const Scan& scan) : name_(name), scan_(scan) {}

  void lists() const {
    const std::size_t states = scan_.state.size();
    require(states > 0, "scan({}): it has no state", name_);
    require(scan_.init.size() == states && scan_.update.size() == states,
            "scan({}): {} states, {} inits and {} updates; give one of each for every state", name_, states,
            scan_.init.size(), scan_.update.size());
    for (std::size_t i = 0; i < states; ++i) state(i);
  }

  /// What a stage of the cell reads of the states (earlier steps) and of the other stages (this step).
  void stage(const OperationRef& operation) const {
    const auto* compute = operation->as<Compute>();
    require(compute != nullptr,
            "scan({}): {} depends on a state and is no compute; a cell is made of computes", name_,
            operation->name);
    require(!compute->axes.empty() && structurally_equal(compute->axes[0].range.extent, steps()),
            "scan({}): {} depends on a state, so that its first extent must be the scan's, {}", name_,
            operation->name, ardea::print(steps()));
    const Var& step = compute->axes[0].var;
    arith::Analyzer facts;
    for (const Axis& axis : compute->axes) facts.bind(axis.var, axis.range);
    facts.bind(step, scan_.step.range);  // the steps that it runs for
    std::vector<Expr> parts;
    if (const auto* reduction = std::get_if<Reduction>(&compute->body)) {
      for (const Axis& axis : reduction->axes) facts.bind(axis.var, axis.range);
      parts = reduction->values;
      if (reduction->where.defined()) parts.push_back(reduction->where);
    } else {
      parts = std::get<std::vector<Expr>>(compute->body);
    }
    for (const Expr& part : parts)
      visit_exprs(part, [&](const Expr& e) {
        if (const auto* load = e.as<Load>()) read(operation->name, step, *load, facts);
      });
  }

 private:
  const Expr& steps() const { return scan_.state[0].shape().at(0); }

  void state(std::size_t i) const {
    const Tensor &state = scan_.state[i], &update = scan_.update[i], &init = scan_.init[i];
    require(state.operation()->as<Placeholder>() != nullptr, "scan({}): state {} is no placeholder", name_,
            state.name());
    require(state.buffer()->strides.empty(),
            "scan({}): state {} has strides, but its memory is the scan's own; leave them out", name_,
            state.name());
    require(state.rank() > 0 && structurally_equal(state.shape()[0], steps()),
            "scan({}): the first extent of state {} is not {}, that of state {}", name_, state.name(),
            ardea::print(steps()), scan_.state[0].name());
    require(structurally_equal(init.shape().at(0), scan_.step.range.min),
            "scan({}): {} gives another number of first steps than {}", name_, init.name(),
            scan_.init[0].name());
    const auto agree = [&](const Tensor& other, std::size_t from) {
      require(other.type() == state.type() && other.rank() == state.rank(),
              "scan({}): {} is {} of {} dimensions, its state {} is {} of {}", name_, other.name(),
              to_string(other.type()), other.rank(), state.name(), to_string(state.type()), state.rank());
      for (std::size_t d = from; d < state.rank(); ++d)
        require(structurally_equal(other.shape()[d], state.shape()[d]),
                "scan({}): extent {} of {} is {}, that of its state {} is {}", name_, d + 1, other.name(),
                ardea::print(other.shape()[d]), state.name(), ardea::print(state.shape()[d]));
    };
    agree(update, 0);
    agree(init, 1);
    require(std::count(scan_.update.begin(), scan_.update.end(), update) == 1,
            "scan({}): {} updates two states; make a compute for each", name_, update.name());
  }

  void read(const std::string& reader, const Var& step, const Load& load,
            const arith::Analyzer& facts) const {
    const Tensor tensor = tensor_of(load.buffer);
    if (!tensor.defined()) return;
    const auto at = [&] { return ardea::print(make_load(load.buffer, load.indices)); };
    if (std::find(scan_.state.begin(), scan_.state.end(), tensor) != scan_.state.end()) {
      const Expr& index = load.indices[0];
      require(facts.proves(index < step),
              "scan({}): {} reads {}, which is not proved to be a step before {}; a state knows its earlier "
              "steps only",
              name_, reader, at(), step.name());
      require(facts.proves(index >= make_int(0)),
              "scan({}): {} reads {}, which is before the first step where {} is {}; give init more steps",
              name_, reader, at(), step.name(), ardea::print(scan_.step.range.min));
    } else if (std::find(scan_.cell.begin(), scan_.cell.end(), tensor.operation()) != scan_.cell.end()) {
      require(
          facts.proves(equals(load.indices[0], step)),
          "scan({}): {} reads {}, a stage of the cell at another step than {}; keep it as a state of its own",
          name_, reader, at(), step.name());
    }
  }

  const std::string& name_;
  const Scan& scan_;
};

/// Operations between the states and the updates, inputs first.
class CellFinder {
 public:
  explicit CellFinder(const Scan& scan) : scan_(scan) {
    for (const Tensor& update : scan.update) updates_.push_back(update.operation());
  }

  std::vector<OperationRef> run() {
    for (const OperationRef& update : updates_) depends_on_state(update);
    return cell_;
  }

 private:
  bool depends_on_state(const OperationRef& operation) {
    if (const auto known = known_.find(operation); known != known_.end()) return known->second;
    bool depends = std::find(updates_.begin(), updates_.end(), operation) != updates_.end();
    for (const Tensor& input : operation->inputs) {
      const bool is_state = std::find(scan_.state.begin(), scan_.state.end(), input) != scan_.state.end();
      if (is_state || depends_on_state(input.operation())) depends = true;
    }
    known_[operation] = depends;
    if (depends) cell_.push_back(operation);
    return depends;
  }

  const Scan& scan_;
  std::vector<OperationRef> updates_, cell_;
  std::unordered_map<OperationRef, bool> known_;
};

/// What the scan reads from outside: of the first steps, and of the cell.
std::vector<Tensor> outside_inputs(const Scan& scan) {
  std::vector<Tensor> inputs;
  const auto add = [&](const Tensor& tensor) {
    const bool inside = std::find(scan.state.begin(), scan.state.end(), tensor) != scan.state.end() ||
                        std::find(scan.cell.begin(), scan.cell.end(), tensor.operation()) != scan.cell.end();
    if (!inside && std::find(inputs.begin(), inputs.end(), tensor) == inputs.end()) inputs.push_back(tensor);
  };
  for (const Tensor& init : scan.init) add(init);
  for (const OperationRef& operation : scan.cell)
    for (const Tensor& input : operation->inputs) add(input);
  return inputs;
}

}  // namespace

std::vector<Tensor> scan(std::string name, std::vector<Tensor> init, std::vector<Tensor> update,
                         std::vector<Tensor> state) {
  require(!init.empty() && !state.empty() && init[0].rank() > 0 && state[0].rank() > 0,
          "scan({}): states and inits need at least the dimension of the steps", name);
  const Expr first = init[0].shape()[0], last = state[0].shape()[0];
  const auto low = constant_int(first), high = constant_int(last);
  require(!low || !high || *low < *high,
          "scan({}): init gives {} steps and the state has {}; there is nothing to do", name, low.value_or(0),
          high.value_or(0));
  const Expr extent = low && high ? make_int(*high - *low) : last - first;
  Scan scan{{Var("t"), {first, extent}, IteratorKind::ordered},
            std::move(init),
            std::move(update),
            std::move(state),
            {}};
  const ScanCheck check(name, scan);
  check.lists();
  scan.cell = CellFinder(scan).run();
  for (const OperationRef& operation : scan.cell) check.stage(operation);
  std::vector<Buffer> outputs;
  for (const Tensor& s : scan.state)
    outputs.push_back(
        make_buffer(scan.state.size() == 1 ? name : name + "_" + s.name(), s.shape(), s.type()));
  std::vector<Tensor> inputs = outside_inputs(scan);
  return results(publish({std::move(name), std::move(outputs), std::move(inputs), std::move(scan)}));
}

}  // namespace ardea::te
