#include "ardea/limits/instruction_windows.h"

#include <algorithm>

#include "ardea/arith/inside.h"
#include "ardea/ir/in_loops.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/error.h"

namespace ardea::limits {

namespace {

using arith::Analyzer;

const intrin::Instruction& record_of(const Call& call) {
  return intrin::find_instruction(call.arguments.at(0).as<StringImm>()->value);
}

/// The position of the integer parameter that the stride is; nothing where it is a number.
std::optional<std::size_t> parameter_of(const intrin::Instruction& record, const Expr& stride) {
  for (std::size_t i = 0; i < record.meaning.parameters.size(); ++i)
    if (!record.meaning.parameters[i].buffer.defined() && stride == record.meaning.parameters[i].var)
      return i;
  return std::nullopt;
}

/// Its value in the call.
Expr value_of(const intrin::Instruction& record, const Call& call, const Expr& stride) {
  const auto parameter = parameter_of(record, stride);
  return as_index(parameter ? call.arguments[*parameter + 1] : stride);
}

/// The dimension along which a stride leads, and by how many elements.
std::optional<InstructionWindow::Step> step_along(std::size_t formal, const Expr& stride, std::int64_t extent,
                                                  const Buffer& buffer, const Analyzer& facts) {
  const std::vector<Expr> strides = strides_of(buffer);
  std::optional<InstructionWindow::Step> found;
  std::int64_t longest = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (is_one(buffer->shape[d])) continue;
    if (facts.proves(equals(stride, strides[d]))) return InstructionWindow::Step{formal, d, 1};
    const auto mine = constant_int(facts.simplify(stride)), its = constant_int(facts.simplify(strides[d]));
    if (!mine || !its || *its <= longest || *its > *mine || *mine % *its != 0) continue;
    if (!facts.proves(make_int(*mine / *its * (extent - 1)) < as_index(buffer->shape[d]))) continue;
    longest = *its;
    found = {formal, d, *mine / *its};
  }
  return found;
}

std::optional<InstructionWindow> window_of(const intrin::Instruction& record, const Call& call,
                                           std::size_t parameter, const Load& element,
                                           const Analyzer& facts) {
  const Buffer& formal = record.meaning.parameters[parameter].buffer;
  InstructionWindow window{
      parameter, element.buffer, element.indices, std::vector<std::int64_t>(element.indices.size(), 1), {}};
  const std::vector<Expr> strides = strides_of(formal);
  for (std::size_t f = 0; f < strides.size(); ++f) {
    const std::int64_t extent = *constant_int(formal->shape[f]);
    if (extent == 1) continue;
    const auto step = step_along(f, value_of(record, call, strides[f]), extent, element.buffer, facts);
    if (!step) return std::nullopt;
    window.extents[step->actual] += (extent - 1) * step->times;
    window.steps.push_back(*step);
  }
  return window;
}

/// The window as a box that holds all of it and lies inside the buffer: what goes on from one row into the
/// next has elements of several rows. Nothing where it is not proved to lie inside.
std::optional<InstructionWindow> inside_buffer(InstructionWindow window, const Analyzer& facts) {
  const std::vector<Expr> strides = strides_of(window.buffer);
  for (std::size_t d = window.corner.size(); d-- > 0;) {
    const Expr corner = as_index(window.corner[d]), shape = as_index(window.buffer->shape[d]);
    if (facts.proves(corner >= make_int(0)) && facts.proves(corner + make_int(window.extents[d]) <= shape))
      continue;
    const auto row = constant_int(shape);
    if (d == 0 || !row || *row < 1 || !facts.proves(equals(corner, make_int(0))) ||
        !facts.proves(equals(strides[d - 1], multiply_index(shape, strides[d]))))
      return std::nullopt;
    window.extents[d - 1] += ceil_div(window.extents[d], *row) - 1;
    window.extents[d] = *row;
  }
  return window;
}

}  // namespace

const Call* instruction_call(const Stmt& s) {
  const auto* evaluate = s.as<Evaluate>();
  const auto* call = evaluate != nullptr ? evaluate->value.as<Call>() : nullptr;
  return call != nullptr && call->op->name == "tensor_instruction" ? call : nullptr;
}

std::optional<std::vector<InstructionWindow>> windows_of(const Call& call, const Buffer& buffer,
                                                         const Analyzer& facts) {
  const intrin::Instruction& record = record_of(call);
  std::vector<InstructionWindow> windows;
  for (std::size_t i = 0; i < record.meaning.parameters.size(); ++i) {
    if (!record.meaning.parameters[i].buffer.defined()) continue;
    const auto* address = call.arguments.at(i + 1).as<Call>();
    const auto* element = address != nullptr ? address->arguments[0].as<Load>() : nullptr;
    if (element == nullptr) return std::nullopt;
    if (!(element->buffer == buffer)) continue;
    auto window = window_of(record, call, i, *element, facts);
    if (!window) return std::nullopt;
    windows.push_back(*std::move(window));
  }
  return windows;
}

Stmt touching(const std::vector<InstructionWindow>& windows, const Call& call) {
  const intrin::Instruction& record = record_of(call);
  std::vector<Stmt> all;
  for (const InstructionWindow& window : windows) {
    const Buffer& formal = record.meaning.parameters[window.parameter].buffer;
    bool writes = false;
    visit_stmts(record.meaning.body, [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      writes = writes || (store != nullptr && store->buffer == formal);
    });
    std::vector<Expr> indices;
    std::vector<For> loops;
    for (std::size_t d = 0; d < window.corner.size(); ++d) {
      const Var var("w");
      loops.push_back({var, make_int(0), make_int(window.extents[d])});
      indices.push_back(as_index(window.corner[d]) + var);
    }
    const Expr element = make_load(window.buffer, indices);
    all.push_back(in_loops(std::move(loops),
                           writes ? make_store(window.buffer, indices, element) : Stmt(Evaluate{element})));
  }
  return make_seq(std::move(all));
}

std::optional<Stmt> all_touched(const Call& instruction, const Analyzer& facts) {
  std::vector<InstructionWindow> all;
  std::vector<Buffer> seen;
  for (const Expr& argument : instruction.arguments) {
    const auto* address = argument.as<Call>();
    const auto* element =
        address != nullptr && address->op->name == "address_of" ? address->arguments[0].as<Load>() : nullptr;
    if (element == nullptr) {
      if (arith::reads_memory(argument)) return std::nullopt;
      continue;
    }
    if (std::find(seen.begin(), seen.end(), element->buffer) != seen.end()) continue;
    seen.push_back(element->buffer);
    const auto windows = windows_of(instruction, element->buffer, facts);
    if (!windows) return std::nullopt;
    for (const InstructionWindow& window : *windows) {
      auto box = inside_buffer(window, facts);
      if (!box) return std::nullopt;
      all.push_back(*std::move(box));
    }
  }
  return touching(all, instruction);
}

std::optional<Call> with_strides(const Call& call, const std::vector<InstructionWindow>& windows,
                                 const Buffer& other, const Analyzer& facts) {
  const intrin::Instruction& record = record_of(call);
  const std::vector<Expr> strides = strides_of(other);
  Call out = call;
  for (const InstructionWindow& window : windows) {
    const std::vector<Expr> formal = strides_of(record.meaning.parameters[window.parameter].buffer);
    for (const InstructionWindow::Step& step : window.steps) {
      const Expr stride = multiply_index(make_int(step.times), strides[step.actual]);
      const auto parameter = parameter_of(record, formal[step.formal]);
      if (parameter)
        out.arguments[*parameter + 1] = stride;
      else if (!facts.proves(equals(as_index(formal[step.formal]), stride)))
        return std::nullopt;
    }
  }
  return out;
}

std::optional<Stmt> with_strides(const Stmt& s, const Buffer& buffer, const Buffer& other,
                                 const Analyzer& facts) {
  bool fits = true;
  const Stmt changed = rewrite(s, Rewriter{.stmt = [&](const Stmt& x) -> std::optional<Stmt> {
                                 const Call* call = instruction_call(x);
                                 if (call == nullptr || !fits) return std::nullopt;
                                 const auto windows = windows_of(*call, buffer, facts);
                                 const auto taken =
                                     windows ? with_strides(*call, *windows, other, facts) : std::nullopt;
                                 fits = taken.has_value();
                                 if (!fits) return std::nullopt;
                                 return Stmt(Evaluate{make_call(call->op->name, taken->arguments)});
                               }});
  return fits ? std::optional(changed) : std::nullopt;
}

std::optional<Stmt> with_windows_shown(const Stmt& s, const Buffer& buffer, const arith::Analyzer& facts) {
  bool known = true;
  const Stmt shown = rewrite(s, Rewriter{.stmt = [&](const Stmt& x) -> std::optional<Stmt> {
                               const Call* call = instruction_call(x);
                               if (call == nullptr) return std::nullopt;
                               const auto windows = windows_of(*call, buffer, facts);
                               known = known && windows.has_value();
                               return windows ? touching(*windows, *call) : x;
                             }});
  return known ? std::optional(shown) : std::nullopt;
}

}  // namespace ardea::limits
