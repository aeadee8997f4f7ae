#include "ardea/arith/inside.h"
#include "ardea/codegen/cuda/emitter.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/ir/unroll_hint.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"

namespace ardea::codegen::cuda {

void Emitter::line(const std::string& text) {
  lines_.push_back(std::string(static_cast<std::size_t>(depth_) * 2, ' ') + text);
}

void Emitter::add_lines(const std::vector<std::string>& lines) {
  lines_.insert(lines_.end(), lines.begin(), lines.end());
}

std::vector<std::string> Emitter::captured_lines(const std::function<void()>& f) {
  std::vector<std::string> outer = std::move(lines_);
  lines_.clear();
  names_.open();
  known_.emplace_back();  // what the block computes does not exist after it
  ++depth_;
  f();
  --depth_;
  known_.pop_back();
  names_.close();
  std::swap(outer, lines_);
  return outer;
}

/// Values are shared inside one statement only: the next one may come after a store, or in another block.
void Emitter::begin_statement(const std::vector<Expr>& roots) {
  for (auto& table : known_) table.clear();
  ranges_.next_statement();
  uses_.clear();
  for (const Expr& root : roots)
    if (root.defined()) count_use(root);
}

void Emitter::count_use(const Expr& e) {
  if (uses_[e]++ > 0) return;
  for_each_child(e, [&](const Expr& part) { count_use(part); });
}

void Emitter::emit_alone(const Stmt& s) {
  std::visit(
      overloaded{
          [&](const Store& x) { emit_store(x); },
          [&](const For& x) { emit_for(x); },
          [&](const If& x) { emit_if(x); },
          [&](const Seq&) { emit(s); },
          [&](const Allocate& x) { emit_allocate(x); },
          [&](const DeclareBuffer& x) { emit(x.body); },
          [&](const LetStmt& x) {
            begin_statement({x.value});
            emit_let(x.var, x.value);
            facts_ = arith::inside(facts_, x);
            emit(x.body);
          },
          [&](const Assert& x) {
            emit(make_if(logical_not(x.condition), Evaluate{make_call("fail", {make_string(x.message)})}));
          },
          [&](const Evaluate& x) {
            begin_statement({x.value});
            if (!has_effect(x.value)) return;
            const Text call = emit(x.value);
            if (!call.text.empty()) line(call.text + ";");
          },
          [&](const Block& x) {
            throw InternalError("the CUDA backend met the block " + x.name + ", which lowering removes");
          },
      },
      s.variant());
}

void Emitter::emit_let(const Var& var, const Expr& value) {
  const DataType type = var.type();
  if (!live_.contains(var) && !has_effect(value)) return;
  if (type.is_scalar()) {
    ranges_.define(var, ranges_.of(value));
    const Text text = emit(value);
    line(fmt::format("const {} {} = {};", type_name(type), names_.define(var), text.text));
    return;
  }
  std::string lanes;
  for (int lane = 0; lane < type.lanes; ++lane) lanes += (lane > 0 ? ", " : "") + emit(value, lane).text;
  line(fmt::format("const {} {}[{}] = {{{}}};", type_name(type.element()), names_.define(var), type.lanes,
                   lanes));
}

void Emitter::emit_for(const For& loop) {
  begin_statement({loop.min, loop.extent});
  const std::string type = type_name(loop.var.type());
  const Text first = emit(loop.min);
  const Expr sum = is_zero(loop.min) ? loop.extent : loop.min + loop.extent;
  Text end = emit(sum);
  const auto from = constant_int(loop.min), count = constant_int(loop.extent);
  if (from && count)
    end = c::integer_literal(*from + *count, loop.var.type(), false);
  else if (!sum.is<VarNode>())  // bounds are evaluated once
    end = named(loop.var.name() + "_end", loop.var.type(), end);
  const arith::Analyzer around = facts_;
  ranges_.define_loop(loop.var, loop.min, loop.extent);
  facts_ = arith::inside(facts_, loop);
  names_.open();
  const std::string name = names_.define(loop.var);
  if (loop.annotations.contains(rolled_key))
    line("#pragma unroll 1");
  else if (const std::int64_t copies = unroll_count(loop); copies > 0)
    line(fmt::format("#pragma unroll {}", copies));
  else if (count && *count <= most_whole_iterations && picks_private_element(loop.body, loop.var))
    line("#pragma unroll");  // else what would be registers is memory
  line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", type, name, first.text, end.text));
  ++depth_;
  emit_iteration(loop.body);
  --depth_;
  line("}");
  names_.close();
  facts_ = around;
}

void Emitter::emit_if(const If& branch) {
  begin_statement({branch.condition});
  const Text condition = emit(branch.condition);
  const auto side = [&](const Stmt& s, const Expr& holds) {
    const arith::Analyzer around = facts_;
    facts_ = arith::where(facts_, holds);
    add_lines(captured_lines([&] { emit_to_its_end(s); }));
    facts_ = around;
  };
  line("if (" + condition.text + ") {");
  side(branch.then_case, branch.condition);
  if (branch.else_case.defined()) {
    line("} else {");
    side(branch.else_case, logical_not(branch.condition));
  }
  line("}");
}

/// What is left of allocations is each thread's own: registers, where every index becomes a number.
void Emitter::emit_allocate(const Allocate& allocation) {
  const std::string& name = allocation.data.name();
  const bool of_warp = lower::is_warp_memory(allocation.scope);
  require(of_warp || allocation.scope == "local" || allocation.scope == "register",
          "{}: {} is in scope {}, of which the CUDA backend knows shared, shared.dyn, local, register and "
          "those of "
          "fragments",
          kernel_.name, name, allocation.scope);
  std::int64_t elements = 1;
  for (const Expr& extent : allocation.extents) {
    const auto count = constant_int(extent);
    require(
        count.has_value(),
        "{}: {} in scope {} has an extent of {}, but what a thread keeps has a size that is a number; split "
        "the loops over it by numbers",
        kernel_.name, name, allocation.scope, print(extent));
    elements *= *count;
  }
  if (of_warp) {
    emit_fragments(allocation, elements);
    return emit(allocation.body);
  }
  const Memory& memory = memory_[allocation.data];
  const bool is_bytes = memory.is_bytes;
  const std::int64_t count = is_bytes ? elements * allocation.type.bytes() : elements * allocation.type.lanes;
  line(fmt::format("alignas(16) {} {}[{}];",
                   is_bytes ? "unsigned char" : type_name(allocation.type.element()),
                   names_.define(allocation.data), std::max<std::int64_t>(count, 1)));
  emit(allocation.body);
}

}  // namespace ardea::codegen::cuda
