#include <algorithm>
#include <functional>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

/// An operand: the buffer that the record calls it, and the memory that the call gives it.
struct Window {
  Buffer formal;
  Buffer memory;  ///< one-dimensional
  Expr start;     ///< of element 0 of the formal, in the memory
};

/// By every backend for cpus: they get the same lowered program. An accelerator has no other code than its
/// instructions, into which one that it lacks could be expanded.
bool has_implementation(const intrin::Instruction& instruction, const target::Target& target) {
  if (target.accelerator) {
    const std::string& feature = instruction.required_feature;
    const bool has_it = target.has(feature);
    require(
        has_it,
        "T.tensor_instruction({}): it needs {}, which target {} has not; `ardea instructions --target {}` "
        "lists those that it has",
        instruction.name, feature.empty() ? "a processor" : "the feature " + feature, target.name,
        target.name);
    return true;
  }
  const bool has_feature = instruction.required_feature.empty() || target.has(instruction.required_feature);
  if (target.kind == target::Kind::cuda) {
    require(has_feature || !instruction.is_of_warp(),
            "T.tensor_instruction({}): it needs the feature {}, which target {} has not; `ardea instructions "
            "--target {}` lists those that it has",
            instruction.name, instruction.required_feature, target.name, target.name);
    return has_feature &&
           (instruction.implementations.contains("cuda") || !instruction.on_swizzled_rows.empty());
  }
  return instruction.implementations.contains("llvm") && instruction.implementations.contains("c") &&
         has_feature;
}

/// A call with its operands bound to what it is given.
class BoundCall {
 public:
  BoundCall(const intrin::Instruction& instruction, const std::vector<Expr>& arguments,
            const target::Target& target)
      : name_(instruction.name), meaning_(instruction.meaning) {
    require(arguments.size() == meaning_.parameters.size() + 1,
            "T.tensor_instruction({}): {} operands, takes {}", name_, arguments.size() - 1,
            meaning_.parameters.size());
    for (std::size_t i = 0; i < meaning_.parameters.size(); ++i)
      bind(meaning_.parameters[i], arguments[i + 1], i);
    target_ = &target;
  }

  /// The call itself, behind a test that its windows lie in their memory: no later pass knows how far they
  /// reach.
  Stmt checked(const Stmt& call) const {
    std::vector<Stmt> all;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const std::vector<Expr> strides = strides_of(windows_[i].formal);
      Expr last = starts_[i];
      Expr forwards = make_bool(true);
      for (std::size_t d = 0; d < strides.size(); ++d) {
        const Expr steps = make_int(*constant_int(windows_[i].formal->shape[d]) - 1);
        const Expr stride = as_index(substitute(strides[d], scalars_));
        last = add_index(last, multiply_index(steps, stride));
        forwards = logical_and(forwards, stride >= make_int(0));
      }
      const Expr end = as_index(windows_[i].memory->shape[0]);
      const Expr inside = logical_or(box_lies_inside(call, i), logical_and(forwards, last < end));
      all.push_back(fail_if(logical_not(inside),
                            fmt::format("{}: operand {} reaches to element {{}} of {}, which has {{}}", name_,
                                        windows_[i].formal->name, windows_[i].memory->name),
                            {last, end}));
    }
    all.push_back(call);
    return make_seq(std::move(all));
  }

  Stmt statement() const {
    const Redirection to_memory = {
        .access = [&](const Buffer& b, const std::vector<Expr>& indices) -> std::optional<Place> {
          for (const Window& window : windows_)
            if (window.formal->data == b->data)
              return Place{window.memory, {add_index(window.start, flat_index(b, indices))}};
          return std::nullopt;
        }};
    // As the pipeline begins, for any kind of target: none of these asks what only one kind of machine has.
    Function loops = meaning_;
    for (const auto pass : {place_allocations, lower_init, lower_match_buffer, blocks_to_loops})
      loops = pass(loops, *target_);
    Stmt body = fresh_copy(loops.body);
    if (touches_registers()) body = written_out(body);
    Stmt out = substitute(redirect(body, to_memory), scalars_);
    for (std::size_t i = windows_.size(); i-- > 0;) {
      out = LetStmt{Var(windows_[i].start), starts_[i], out};
      out = DeclareBuffer{windows_[i].memory, out};
    }
    return out;
  }

 private:
  /// That the operand lies in its buffer dimension by dimension, which guards of tiles say more directly than
  /// that its last element does. False where the window is no box.
  Expr box_lies_inside(const Stmt& call, std::size_t i) const {
    const auto windows = limits::windows_of(*limits::instruction_call(call), buffers_[i], arith::Analyzer());
    if (!windows) return make_bool(false);
    Expr inside = make_bool(true);
    for (const limits::InstructionWindow& window : *windows)
      for (std::size_t d = 0; d < window.corner.size(); ++d) {
        const Expr corner = as_index(window.corner[d]);
        inside =
            logical_and(inside, logical_and(corner >= make_int(0), corner + make_int(window.extents[d]) <=
                                                                       as_index(window.buffer->shape[d])));
      }
    return inside;
  }

  bool touches_registers() const {
    return std::any_of(windows_.begin(), windows_.end(),
                       [](const Window& window) { return window.memory->scope == "register"; });
  }

  /// A register is named by a constant: loops over registers are unrolled.
  static Stmt written_out(const Stmt& s) {
    return rewrite(s, Rewriter{.stmt_after = [](const Stmt& x) -> Stmt {
                     const auto* loop = x.as<For>();
                     if (loop == nullptr) return x;
                     For out = *loop;
                     out.kind = ForKind::unrolled;
                     return out;
                   }});
  }

  void bind(const Parameter& formal, const Expr& actual, std::size_t position) {
    if (!formal.buffer.defined()) {
      scalars_.emplace(formal.var, make_cast(formal.var.type(), actual));
      return;
    }
    const auto* call = actual.as<Call>();
    require(call != nullptr && call->op->name == "address_of",
            "T.tensor_instruction({}): operand {} must be an address such as T.address_of(A[0, 0])", name_,
            position + 1);
    const Load& corner = *call->arguments[0].as<Load>();
    require(corner.buffer->type == formal.buffer->type,
            "T.tensor_instruction({}): operand {} is {}, must be {}", name_, position + 1,
            to_string(corner.buffer->type), to_string(formal.buffer->type));
    windows_.push_back({formal.buffer, flat_view(corner.buffer), Var(formal.buffer->name + "_at")});
    starts_.push_back(flat_index(corner.buffer, corner.indices));
    buffers_.push_back(corner.buffer);
  }

  const std::string& name_;
  const Function& meaning_;
  std::vector<Window> windows_;
  std::vector<Expr> starts_;
  std::vector<Buffer> buffers_;  ///< as the call names them
  Substitution scalars_;
  const target::Target* target_ = nullptr;
};

/// Every call of an instruction for which `expands` holds, as what it means.
Function expanded(const Function& f, const target::Target& target,
                  const std::function<bool(const intrin::Instruction&)>& expands) {
  Function out = f;
  out.body =
      rewrite(f.body, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
                const auto* evaluate = s.as<Evaluate>();
                const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
                if (call == nullptr || call->op->name != "tensor_instruction") return s;
                const auto* name = call->arguments.empty() ? nullptr : call->arguments[0].as<StringImm>();
                require(name != nullptr, "{}: T.tensor_instruction must name its instruction first", f.name);
                const intrin::Instruction& instruction = intrin::find_instruction(name->value);
                const BoundCall bound(instruction, call->arguments, target);
                return expands(instruction) ? bound.statement() : bound.checked(s);
              }});
  return out;
}

}  // namespace

Function expand_tensor_instructions(const Function& f) {
  return expanded(f, {}, [](const intrin::Instruction&) { return true; });
}

Function lower_tensor_instructions(const Function& f, const target::Target& target) {
  return expanded(f, target, [&](const intrin::Instruction& instruction) {
    return !has_implementation(instruction, target);
  });
}

}  // namespace ardea::lower
