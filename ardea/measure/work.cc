#include "ardea/measure/work.h"

#include <unordered_map>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/measure/inputs.h"
#include "ardea/support/overloaded.h"

namespace ardea::measure {

namespace {

double cost(const Expr& node) {
  if (node.is<Binary>() || node.is<Unary>()) return node.type().lanes;
  if (const auto* call = node.as<Call>()) {
    const std::string& name = call->op->name;
    if (name == "if_then_else" || name == "likely" || name == "reinterpret" || name == "call_registered")
      return 0;
    return (name == "fma" ? 2.0 : 1.0) * node.type().lanes;
  }
  return 0;
}

/// The operations of one expression on values from memory. A shared node is computed once.
class Operations {
 public:
  double total = 0;

  bool from_memory(const Expr& e) {
    if (const auto known = seen_.find(e); known != seen_.end()) return known->second;
    bool loads = e.is<Load>();
    if (!loads)  // the indices of a load are no values
      for_each_child(e, [&](const Expr& part) { loads = from_memory(part) || loads; });
    if (loads) total += cost(e);
    return seen_[e] = loads;
  }

 private:
  std::unordered_map<Expr, bool> seen_;
};

class Counter {
 public:
  Counter() = default;
  Counter(const Function& f, const std::vector<interp::Argument>& arguments) {
    for (const auto& [var, value] : extents_of(f, arguments)) sizes_[var] = make_int(value, var.type());
    for (std::size_t i = 0; i < f.parameters.size(); ++i)
      if (const auto* value = std::get_if<std::int64_t>(&arguments[i]);
          value && !f.parameters[i].buffer.defined())
        sizes_[f.parameters[i].var] = make_int(*value, f.parameters[i].var.type());
  }

  /// Operations of one run of s; nothing where the count is not a number.
  std::optional<double> count(const Stmt& s) {
    return std::visit(overloaded{
                          [&](const Store& x) { return of_expression(x.value); },
                          [&](const LetStmt& x) { return sum(of_expression(x.value), count(x.body)); },
                          [&](const Evaluate& x) { return of_expression(x.value); },
                          [&](const Assert&) { return std::optional(0.0); },
                          [&](const For& x) { return of_loop(x); },
                          [&](const If& x) {
                            const auto both = count(x.then_case);
                            return x.else_case.defined() ? sum(both, count(x.else_case)) : both;
                          },
                          [&](const Seq& x) {
                            std::optional<double> total = 0;
                            for (const Stmt& part : x.statements) total = sum(total, count(part));
                            return total;
                          },
                          [&](const Allocate& x) { return count(x.body); },
                          [&](const DeclareBuffer& x) { return count(x.body); },
                          [&](const Block& x) { return count(x.body); },
                      },
                      s.variant());
  }

 private:
  static std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }

  static std::optional<double> of_expression(const Expr& e) {
    Operations operations;
    operations.from_memory(e);
    return operations.total;
  }

  std::optional<double> of_loop(const For& loop) {
    const auto extent = constant_int(arith::Analyzer().simplify(substitute(loop.extent, sizes_)));
    const auto body = extent ? count(loop.body) : std::nullopt;
    return body ? std::optional(*body * static_cast<double>(std::max<std::int64_t>(*extent, 0)))
                : std::nullopt;
  }

  Substitution sizes_;
};

}  // namespace

double argument_bytes(const Function& f, const std::vector<interp::Argument>& arguments) {
  const std::vector<Role> roles = argument_roles(f);
  double bytes = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (const auto* array = std::get_if<runtime::Array>(&arguments[i]))
      bytes += static_cast<double>(array->byte_size()) * (roles[i] == Role::in_place ? 2 : 1);
  return bytes;
}

std::optional<Work> count_work(const Function& f, const std::vector<interp::Argument>& arguments) {
  const std::optional<double> operations = Counter(f, arguments).count(f.body);
  if (!operations) return std::nullopt;
  return Work{*operations, argument_bytes(f, arguments)};
}

std::optional<Work> count_work(const Function& f) {
  const std::optional<double> operations = Counter().count(f.body);
  if (!operations) return std::nullopt;
  const std::vector<Role> roles = argument_roles(f);
  double bytes = 0;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Buffer& buffer = f.parameters[i].buffer;
    if (!buffer.defined()) continue;
    double bits = buffer->type.bits * buffer->type.lanes * (roles[i] == Role::in_place ? 2 : 1);
    for (const Expr& extent : buffer->shape) {
      const auto number = constant_int(extent);
      if (!number) return std::nullopt;
      bits *= static_cast<double>(*number);
    }
    bytes += bits / 8;
  }
  return Work{*operations, bytes};
}

}  // namespace ardea::measure
