#include <cmath>

#include "ardea/arith/verify_laws.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

bool is_scalar_integer(const Expr& e) { return e.type().is_integer() && e.type().is_scalar(); }

/// The type that the maker of e gives to its parts; throws the maker's Error.
DataType made_type(const Expr& e) {
  return std::visit(
      overloaded{
          [&](const IntImm& n) { return make_int(n.value, e.type()).type(); },
          [&](const FloatImm& n) {
            const double rounded = make_float(n.value, e.type()).as<FloatImm>()->value;
            require(std::isnan(n.value) || rounded == n.value,
                    "the constant {} is not a value of {}; round it first", n.value, to_string(e.type()));
            return e.type();
          },
          [&](const StringImm&) { return handle_type; },
          [&](const VarNode&) { return e.type(); },
          [&](const Cast& n) { return make_cast(e.type(), n.value).type(); },
          [&](const Unary& n) { return make_unary(n.op, n.operand).type(); },
          [&](const Binary& n) { return make_binary(n.op, n.left, n.right).type(); },
          [&](const Select& n) { return make_select(n.condition, n.when_true, n.when_false).type(); },
          [&](const Let& n) { return make_let(n.var, n.value, n.body).type(); },
          [&](const Load& n) { return make_load(n.buffer, n.indices, n.predicate).type(); },
          [&](const Call& n) {
            return n.op->result == ResultRule::stated ? make_call(n.op->name, e.type(), n.arguments).type()
                                                      : make_call(n.op->name, n.arguments).type();
          },
          [&](const Ramp& n) { return make_ramp(n.base, n.stride, e.type().lanes).type(); },
          [&](const Broadcast& n) { return make_broadcast(n.value, e.type().lanes).type(); },
          [&](const Shuffle& n) { return make_shuffle(n.vectors, n.indices).type(); },
      },
      e.variant());
}

class TypeCheck {
 public:
  explicit TypeCheck(Report& report) : report_(report) {}

  void function(const Function& f) {
    for (const Parameter& p : f.parameters) {
      const DataType type = p.var.type();
      if (p.buffer.defined() ? !type.is_handle() : type.is_none() || type.is_vector())
        report_.add("parameter_type",
                    "parameter {} is {}; a buffer needs a handle, a scalar a number or a handle",
                    p.var.name(), to_string(type));
    }
    visit_stmts(f.body, [&](const Stmt& s) { statement(s); });
    visit_exprs(f.body, [&](const Expr& e) { expression(e); });
  }

 private:
  void expression(const Expr& e) {
    if (e.is<VarNode>() || (e.is<IntImm>() && e.type() == int64)) return;  // of any value
    if (!accesses_are_typed(e) || !only_moves_storage(e)) return;
    if (const auto* call = e.as<Call>()) named_target(*call);
    try {
      const DataType made = made_type(e);
      if (made != e.type())
        report_.add("expression_type",
                    "{} is typed {}, but its parts make it {}; build it with its make_ function", print(e),
                    to_string(e.type()), to_string(made));
    } catch (const Error& error) {
      report_.add("expression_type", "in {}: {}", print(e), error.what());
    }
  }

  bool accesses_are_typed(const Expr& e) {
    const auto* load = e.as<Load>();
    return load == nullptr ||
           place_is_typed(load->buffer, load->indices, load->predicate, [&] { return print(e); });
  }

  /// `where`: said of what is wrong only.
  template <class Where>
  bool place_is_typed(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& predicate,
                      const Where& where) {
    if (indices.size() != buffer->shape.size()) {
      report_.add("index_count", "{} has {} indices, but buffer {} has {} dimensions", where(),
                  indices.size(), buffer->name, buffer->shape.size());
      return false;
    }
    int lanes = 1;
    for (const Expr& index : indices) {
      lanes = std::max<int>(lanes, index.type().lanes);
      if (index.type().is_integer()) continue;
      report_.add("index_type", "in {}, the index {} is {}; an index must be an integer, cast it", where(),
                  print(index), to_string(index.type()));
      return false;
    }
    if (predicate.defined() && predicate.type() != boolean.with_lanes(lanes)) {
      report_.add("predicate_type", "in {}, the predicate is {}; {} lanes are touched, so it must be {}",
                  where(), to_string(predicate.type()), lanes, to_string(boolean.with_lanes(lanes)));
      return false;
    }
    return true;
  }

  /// int4 and float8 are loaded, cast and stored; constants, lets and lane moves carry them between.
  bool only_moves_storage(const Expr& e) {
    if (!e.is<Unary>() && !e.is<Binary>() && !e.is<Select>() && !e.is<Call>() && !e.is<Ramp>()) return true;
    if (const auto* call = e.as<Call>(); call != nullptr && call->op->name == "address_of") return true;
    bool fine = true;
    for_each_child(e, [&](const Expr& part) {
      if (!fine || !part.type().is_storage_only()) return;
      fine = false;
      report_.add("storage_only_type",
                  "{} computes with {}, a type that can only be loaded, cast and stored; cast {} to a wider "
                  "type first",
                  print(e), to_string(part.type()), print(part));
    });
    return fine;
  }

  void named_target(const Call& call) {
    if (call.op->name != "call_registered" && call.op->name != "tensor_instruction") return;
    if (!call.arguments.empty() && call.arguments[0].is<StringImm>()) return;
    report_.add("call_without_name",
                "T.{} must name what it calls: its first argument must be a string constant", call.op->name);
  }

  void statement(const Stmt& s) {
    if (const auto* store = s.as<Store>()) {
      if (!place_is_typed(store->buffer, store->indices, store->predicate, [&] { return brief(s); })) return;
      const DataType place = make_load(store->buffer, store->indices).type();
      if (store->value.type() != place)
        report_.add("store_type", "{} stores a {} where buffer {} holds {}; cast the value", brief(s),
                    to_string(store->value.type()), store->buffer->name, to_string(place));
    } else if (const auto* loop = s.as<For>()) {
      if (!is_scalar_integer(loop->var) || loop->min.type() != loop->var.type() ||
          loop->extent.type() != loop->var.type())
        report_.add("loop_type",
                    "loop {} is {}, its start {} and its extent {}; all must be one scalar integer type",
                    loop->var.name(), to_string(loop->var.type()), to_string(loop->min.type()),
                    to_string(loop->extent.type()));
    } else if (const auto* branch = s.as<If>()) {
      condition(branch->condition, "if");
    } else if (const auto* check = s.as<Assert>()) {
      condition(check->condition, "assert");
    } else if (const auto* let = s.as<LetStmt>()) {
      if (let->var.type() != let->value.type())
        report_.add("let_type", "let {} is {}, but its value {} is {}; cast the value", let->var.name(),
                    to_string(let->var.type()), print(let->value), to_string(let->value.type()));
    } else if (const auto* block = s.as<Block>()) {
      block_types(*block);
    }
  }

  void condition(const Expr& e, const char* what) {
    if (e.type() != boolean)
      report_.add("condition_type", "the condition of {} {} is {}; it must be a scalar bool", what, print(e),
                  to_string(e.type()));
  }

  void block_types(const Block& block) {
    for (const BlockIterator& i : block.iterators)
      if (!is_scalar_integer(i.var) || i.binding.type() != i.var.type() || !is_scalar_integer(i.domain.min) ||
          !is_scalar_integer(i.domain.extent))
        report_.add("iterator_type",
                    "block {}: iterator {} is {}, its binding {} and its domain {}; all must be scalar "
                    "integers and the "
                    "binding of the iterator's type",
                    block.name, i.var.name(), to_string(i.var.type()), to_string(i.binding.type()),
                    to_string(i.domain.extent.type()));
    if (block.predicate.defined() && block.predicate.type() != boolean)
      report_.add("condition_type", "block {}: the predicate {} is {}; it must be a scalar bool", block.name,
                  print(block.predicate), to_string(block.predicate.type()));
    for (const auto* regions : {&block.reads, &block.writes})
      if (*regions)
        for (const BufferRegion& region : **regions) region_type(block, region);
    for (const MatchBuffer& match : block.matches) match_type(block, match);
  }

  bool region_type(const Block& block, const BufferRegion& region) {
    bool fine = region.region.size() == region.buffer->shape.size();
    for (const Range& range : region.region)
      fine = fine && is_scalar_integer(range.min) && is_scalar_integer(range.extent);
    if (!fine)
      report_.add(
          "region_type",
          "block {}: the region of buffer {} must have one range of scalar integers for each of its {} "
          "dimensions, it has {}",
          block.name, region.buffer->name, region.buffer->shape.size(), region.region.size());
    return fine;
  }

  void match_type(const Block& block, const MatchBuffer& match) {
    if (!region_type(block, match.source)) return;
    const std::size_t rank = match.source.region.size(), mine = match.buffer->shape.size();
    bool fine = match.buffer->type == match.source.buffer->type && mine <= rank;
    for (std::size_t d = 0; fine && d < rank; ++d) {
      const auto extent = constant_int(match.source.region[d].extent);
      const auto expected = d < rank - mine ? 1 : constant_int(match.buffer->shape[d - (rank - mine)]);
      fine = !extent || !expected || *extent == *expected;
    }
    if (!fine)
      report_.add("match_shape",
                  "block {}: the matched buffer {} does not have the type and the extents of {}; its shape "
                  "must be the "
                  "region's, without leading dimensions of extent 1",
                  block.name, match.buffer->name, print(match.source));
  }

  Report& report_;
};

}  // namespace

void check_types(const Function& f, Report& report) { TypeCheck(report).function(f); }

}  // namespace ardea::arith
