#include "ardea/te/create_prim_func.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"
#include "ardea/te/stage.h"

namespace ardea::te {

namespace {

using OperationRef = std::shared_ptr<const Operation>;

class Operations {
 public:
  void add(const OperationRef& operation) {
    if (!seen_.insert(operation).second) return;
    for (const Tensor& input : operation->inputs) add(input.operation());
    ordered_.push_back(operation);
  }
  std::vector<OperationRef> take() { return std::move(ordered_); }

 private:
  std::unordered_set<OperationRef> seen_;
  std::vector<OperationRef> ordered_;
};

class FunctionMaker {
 public:
  FunctionMaker(const std::vector<Argument>& arguments, const std::string& name) : arguments_(arguments) {
    function_.name = name;
    function_.attributes["tir.noalias"] = {make_bool(true)};
  }

  Function make() {
    add_parameters();
    const std::vector<OperationRef> operations = operations_of(tensors_);
    name_buffers(operations);
    std::vector<Stmt> stages;
    for (const OperationRef& operation : operations) {
      if (operation->as<Placeholder>()) {
        require_argument(*operation);
        continue;
      }
      for (const Buffer& buffer : operation->outputs) allocate(buffer);
      stages.push_back(stage_of(*operation));
    }
    require(!stages.empty(), "create_prim_func({}): no argument is computed; add the tensors that you want",
            function_.name);
    Block root{.name = "root", .allocations = allocations_};
    root.reads.emplace();
    root.writes.emplace();
    root.body = make_seq(std::move(stages));
    function_.body = std::move(root);
    check_variables();
    function_ = arith::complete_regions(function_);
    arith::require_valid(function_, "create_prim_func");
    return function_;
  }

 private:
  void add_parameters() {
    for (const Argument& argument : arguments_)
      std::visit(overloaded{
                     [&](const Tensor& tensor) {
                       require(tensor.defined(), "create_prim_func({}): an argument is an empty tensor",
                               function_.name);
                       require(parameters_.insert(tensor.buffer()).second,
                               "create_prim_func({}): {} is given twice", function_.name, tensor.name());
                       tensors_.push_back(tensor);
                       function_.parameters.push_back(
                           {Var(tensor.name() + "_handle", handle_type), tensor.buffer()});
                     },
                     [&](const Var& var) { function_.parameters.push_back({var}); },
                 },
                 argument);
  }

  void require_argument(const Operation& input) const {
    require(parameters_.contains(input.outputs[0]),
            "create_prim_func({}): {} is read, but is not among the arguments; add it", function_.name,
            input.name);
  }

  void allocate(const Buffer& buffer) {
    if (!parameters_.contains(buffer)) allocations_.push_back(buffer);
  }

  Stmt stage_of(const Operation& operation) {
    return std::visit(overloaded{
                          [&](const Placeholder&) -> Stmt { return make_no_op(); },
                          [&](const Compute& compute) {
                            return compute_stage(compute, operation.outputs, block_name(operation));
                          },
                          [&](const Scan& scan) { return scan_stage(scan, operation); },
                          [&](const Extern& written) { return extern_stage(written, block_name(operation)); },
                      },
                      operation.kind);
  }

  /// The first steps, then one loop over the others with the cell's stages inside. State, update and init
  /// are all the same memory: the scan's own result.
  Stmt scan_stage(const Scan& scan, const Operation& operation) {
    std::unordered_map<Buffer, Buffer> result;
    for (std::size_t i = 0; i < scan.state.size(); ++i) {
      result[scan.state[i].buffer()] = operation.outputs[i];
      result[scan.update[i].buffer()] = operation.outputs[i];
    }
    std::vector<Stmt> stages;
    for (std::size_t i = 0; i < scan.init.size(); ++i)
      stages.push_back(copy_stage(scan.init[i], operation.outputs[i], unique(operation.name + "_init")));
    const ScanStep step{Var(scan.step.name()), scan.step.range};
    std::vector<Stmt> cell;
    for (const OperationRef& part : scan.cell) {
      for (const Buffer& buffer : part->outputs)
        if (!result.contains(buffer)) allocate(buffer);
      cell.push_back(substitute_buffers(
          compute_stage(*part->as<Compute>(), part->outputs, block_name(*part), step), result));
    }
    stages.push_back(make_for(step.loop, make_int(0), step.range.extent, make_seq(std::move(cell))));
    return make_seq(std::move(stages));
  }

  /// The names that the buffers have in text: of several with one name the parameters come first.
  void name_buffers(const std::vector<OperationRef>& operations) {
    const auto name = [&](const Buffer& buffer) {
      if (buffer_names_.contains(buffer)) return;
      std::string unique = buffer->name;
      for (int i = 1; !taken_.insert(unique).second; ++i) unique = fmt::format("{}_{}", buffer->name, i);
      buffer_names_[buffer] = unique;
    };
    for (const Tensor& tensor : tensors_) name(tensor.buffer());
    for (const OperationRef& operation : operations) {
      for (const Buffer& buffer : operation->outputs) name(buffer);
      if (const auto* scan = operation->as<Scan>())
        for (const OperationRef& part : scan->cell)
          if (std::none_of(scan->update.begin(), scan->update.end(),
                           [&](const Tensor& update) { return update.operation() == part; }))
            for (const Buffer& buffer : part->outputs) name(buffer);
    }
  }

  /// A block is called what its one result is called.
  std::string block_name(const Operation& operation) {
    const auto at = buffer_names_.find(operation.outputs[0]);
    const bool has_one = operation.outputs.size() == 1 && at != buffer_names_.end() &&
                         operation.outputs[0]->name == operation.name;
    return unique(has_one ? at->second : operation.name);
  }

  /// Names are how schedules ask for blocks: no two blocks share one.
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !block_names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  /// Sizes come from the shapes of parameters and scalars from the arguments: nothing else is defined.
  void check_variables() const {
    const std::vector<Var> sizes = shape_variables(function_);
    for (const Var& var : free_variables(function_.body)) {
      if (var.type().is_handle()) continue;  // the memory of a parameter
      const bool is_size = std::find(sizes.begin(), sizes.end(), var) != sizes.end();
      const bool is_argument = std::any_of(function_.parameters.begin(), function_.parameters.end(),
                                           [&](const Parameter& p) { return p.var == var; });
      require(is_size || is_argument,
              "create_prim_func({}): {} is used, but is neither an argument, an extent of an argument nor an "
              "axis of the computation that uses it; list it among the arguments, or among the axes of the "
              "reduction if it is one",
              function_.name, var.name());
    }
  }

  const std::vector<Argument>& arguments_;
  Function function_;
  std::vector<Tensor> tensors_;
  std::unordered_set<Buffer> parameters_;
  std::vector<Buffer> allocations_;
  std::unordered_map<Buffer, std::string> buffer_names_;
  std::set<std::string> taken_;  ///< by buffers
  std::set<std::string> block_names_ = {"root"};
};

}  // namespace

std::vector<OperationRef> operations_of(const std::vector<Tensor>& tensors) {
  Operations operations;
  for (const Tensor& tensor : tensors) operations.add(tensor.operation());
  return operations.take();
}

Function create_prim_func(const std::vector<Argument>& arguments, const std::string& name) {
  return FunctionMaker(arguments, name).make();
}

}  // namespace ardea::te
