#include "ardea/intrin/instruction.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/pipeline.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

/// An operand: the buffer that the record calls it, and the memory that the call gives it.
struct Window {
  Buffer formal;
  Buffer memory;  ///< one-dimensional
  Expr start;     ///< of element 0 of the formal, in the memory
};

bool has_implementation(const intrin::Instruction& instruction, const target::Target& target) {
  return instruction.implementations.contains("llvm") &&
         (instruction.required_feature.empty() || target.has(instruction.required_feature));
}

class Expansion {
 public:
  Expansion(const intrin::Instruction& instruction, const std::vector<Expr>& arguments,
            const target::Target& target)
      : name_(instruction.name), meaning_(instruction.meaning) {
    require(arguments.size() == meaning_.parameters.size() + 1,
            "T.tensor_instruction({}): {} operands, takes {}", name_, arguments.size() - 1,
            meaning_.parameters.size());
    for (std::size_t i = 0; i < meaning_.parameters.size(); ++i)
      bind(meaning_.parameters[i], arguments[i + 1], i);
    body_ = fresh_copy(lower_until(meaning_, target, "blocks_to_loops").body);
  }

  Stmt statement() const {
    const Redirection to_memory = {
        .access = [&](const Buffer& b, const std::vector<Expr>& indices) -> std::optional<Place> {
          for (const Window& window : windows_)
            if (window.formal->data == b->data)
              return Place{window.memory, {add_index(window.start, flat_index(b, indices))}};
          return std::nullopt;
        }};
    Stmt out = substitute(redirect(body_, to_memory), scalars_);
    for (std::size_t i = windows_.size(); i-- > 0;) {
      out = LetStmt{Var(windows_[i].start), starts_[i], out};
      out = DeclareBuffer{windows_[i].memory, out};
    }
    return out;
  }

 private:
  void bind(const Parameter& formal, const Expr& actual, std::size_t position) {
    if (!formal.buffer) {
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
  }

  const std::string& name_;
  const Function& meaning_;
  std::vector<Window> windows_;
  std::vector<Expr> starts_;
  Substitution scalars_;
  Stmt body_;
};

}  // namespace

Function lower_tensor_instructions(const Function& f, const target::Target& target) {
  Function out = f;
  out.body =
      rewrite(f.body, Rewriter{.stmt_after = [&](const Stmt& s) -> Stmt {
                const auto* evaluate = s.as<Evaluate>();
                const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
                if (call == nullptr || call->op->name != "tensor_instruction") return s;
                const auto* name = call->arguments.empty() ? nullptr : call->arguments[0].as<StringImm>();
                require(name != nullptr, "{}: T.tensor_instruction must name its instruction first", f.name);
                const intrin::Instruction& instruction = intrin::find_instruction(name->value);
                if (has_implementation(instruction, target)) return s;
                return Expansion(instruction, call->arguments, target).statement();
              }});
  return out;
}

}  // namespace ardea::lower
