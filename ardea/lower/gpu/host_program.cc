#include "ardea/lower/gpu/host_program.h"

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/wrong_arguments.h"
#include "ardea/lower/passes.h"
#include "ardea/runtime/cuda/launcher.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

class HostProgram {
 public:
  explicit HostProgram(const SplitProgram& program) : program_(program) {}

  Function run() {
    Function f = program_.host;
    f.body = rewrite(f.body, Rewriter{.stmt = [&](const Stmt& s) { return replaced(s); }});
    f.parameters.push_back(Parameter{launcher_, {}});
    f.attributes[hidden_parameters_key] = Attribute{make_int(1)};
    return pack_arguments(f, {});
  }

 private:
  std::optional<Stmt> replaced(const Stmt& s) const {
    if (const auto* evaluate = s.as<Evaluate>()) return launched(*evaluate);
    const auto* allocate = s.as<Allocate>();
    if (allocate == nullptr) return std::nullopt;
    Expr elements = make_int(1);
    for (const Expr& extent : allocate->extents) elements = elements * make_cast(int64, extent);
    const Expr bytes = elements * make_int(allocate->type.bytes());
    return LetStmt{
        allocate->data,
        make_call("call_registered", handle_type,
                  {make_string(runtime::cuda::workspace_function), launcher_, bytes}),
        rewrite(allocate->body, Rewriter{.stmt = [&](const Stmt& part) { return replaced(part); }})};
  }

  std::optional<Stmt> launched(const Evaluate& evaluate) const {
    const auto* call = evaluate.value.as<Call>();
    if (call == nullptr || call->op->name != "call_registered") return std::nullopt;
    const std::string& name = call->arguments[0].as<StringImm>()->value;
    const auto kernel = std::find_if(program_.kernels.begin(), program_.kernels.end(),
                                     [&](const Kernel& one) { return one.name == name; });
    require(kernel != program_.kernels.end(),
            "{}: T.call_registered({}) stands outside of all loops that are bound to threads, and its arrays "
            "are the GPU's; call it from a program of its own",
            program_.host.name, name);
    std::vector<Expr> arguments = {make_string(runtime::cuda::launch_function), launcher_,
                                   make_int(kernel - program_.kernels.begin())};
    arguments.insert(arguments.end(), kernel->grid.begin(), kernel->grid.end());
    arguments.insert(arguments.end(), kernel->arguments.begin(), kernel->arguments.end());
    return Evaluate{make_call("call_registered", int32, std::move(arguments))};
  }

  const SplitProgram& program_;
  const Var launcher_{"launcher", handle_type};
};

}  // namespace

Function host_program(const SplitProgram& program) { return HostProgram(program).run(); }

}  // namespace ardea::lower
