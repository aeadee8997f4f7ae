#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/narrow_conversions.h"
#include "ardea/lower/packed_nibbles.h"
#include "ardea/lower/passes.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"

namespace ardea::lower {

namespace {

/// Computed in float32, each operation rounded.
bool is_narrow(DataType type) { return type.is_float() && type.bits <= 16; }

/// The data variables whose 4-bit integers need not be packed: allocations that nothing but their own
/// accesses see.
std::unordered_set<Var> unpacked_nibbles(const Stmt& body) {
  std::unordered_set<Var> unpacked;
  visit_stmts(body, [&](const Stmt& s) {
    if (const auto* allocate = s.as<Allocate>(); allocate != nullptr && is_nibble(allocate->type))
      unpacked.insert(allocate->data);
  });
  for (const Buffer& b : buffers_in(body))
    if (!is_nibble(b->type)) unpacked.erase(b->data);
  visit_exprs(body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (e.is<VarNode>()) unpacked.erase(Var(e));
    if (call != nullptr && call->op->name == "address_of")
      unpacked.erase(call->arguments[0].as<Load>()->buffer->data);
  });
  return unpacked;
}

/// Whether values of the type are in registers and memory as what they are, and computed with as such.
bool is_legal(DataType type) { return !is_narrow(type) && !is_nibble(type); }
bool is_legal_in_memory(DataType type) { return is_legal(type) && !type.is_bool(); }

/// Whether there is nothing to do, which is so for most programs.
bool is_legal(const Function& f) {
  bool legal = true;
  for (const Parameter& p : f.parameters)
    legal = legal && is_legal(p.var.type()) && (!p.buffer.defined() || is_legal_in_memory(p.buffer->type));
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* allocate = s.as<Allocate>()) legal = legal && is_legal_in_memory(allocate->type);
  });
  if (!legal) return false;
  for (const Buffer& buffer : buffers_in(f.body)) legal = legal && is_legal_in_memory(buffer->type);
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    legal = legal && is_legal(e.type()) && (call == nullptr || call->op->name != "reinterpret");
  });
  return legal;
}

class Legalising {
 public:
  Legalising(const Function& f, const target::Target& target)
      : unpacked_(unpacked_nibbles(f.body)), converts_bfloat16_(target.kind == target::Kind::cuda) {}

  Function run(const Function& f) {
    Function out = f;
    std::vector<Parameter> scalars, views;
    for (const Parameter& p : f.parameters) {
      if (!p.buffer.defined() && legal(p.var.type()) != p.var.type()) {
        variables_[p.var] = Var(p.var.name(), legal(p.var.type()));
        scalars.push_back(p);
      }
      if (p.buffer.defined() && stored(p.buffer) != p.buffer) views.push_back(p);
    }
    out.body = visit(f.body);
    for (const Parameter& p : views) out.body = DeclareBuffer{stored(p.buffer), out.body};
    // The one place where such a value is seen as itself: pack_arguments gives the bits instead.
    for (const Parameter& p : scalars) {
      const DataType type = legal(p.var.type());
      const Expr value =
          is_bits(p.var.type()) ? make_call("reinterpret", type, {p.var}) : make_cast(type, p.var);
      out.body = LetStmt{variables_.at(p.var), value, out.body};
    }
    return out;
  }

 private:
  /// Held in registers and memory as its bits. GPUs convert bfloat16 themselves, as all backends do float16.
  bool is_bits(DataType type) const {
    return type.is_float8() || (type.code == TypeCode::bfloat && !converts_bfloat16_);
  }

  /// The type of a value in a register.
  DataType legal(DataType type) const {
    if (is_bits(type)) return bits_type(type);
    return is_nibble(type) ? byte_type(type) : type;
  }

  bool is_packed(const Buffer& b) const { return is_nibble(b->type) && !unpacked_.contains(b->data); }

  /// The buffer as its memory is: the same one where nothing changes.
  Buffer stored(const Buffer& b) {
    const DataType type = is_packed(b)        ? uint8
                          : b->type.is_bool() ? uint8.with_lanes(b->type.lanes)
                                              : legal(b->type);
    if (type == b->type) return b;
    const auto [at, added] = buffers_.try_emplace(b);
    if (added) {
      BufferNode node = *b;
      node.type = type;
      if (is_packed(b)) node.shape = {bytes_for(b->shape.at(0))};
      at->second = Buffer(std::move(node));
    }
    return at->second;
  }

  static Expr bytes_for(const Expr& nibbles) {
    if (const auto count = constant_int(nibbles)) return make_int((*count + 1) / 2, nibbles.type());
    return floor_div(nibbles + 1, make_int(2, nibbles.type()));
  }

  // --- statements ---

  Stmt visit(const Stmt& s) {
    seen_.clear();
    if (const auto* store = s.as<Store>()) return visit_store(*store);
    if (const auto* let = s.as<LetStmt>()) {
      const Expr value = visit(let->value);
      return LetStmt{renamed(let->var), value, visit(let->body)};
    }
    if (const auto* declare = s.as<DeclareBuffer>())
      return DeclareBuffer{stored(declare->buffer), visit(declare->body)};
    if (const auto* allocate = s.as<Allocate>()) return visit_allocate(*allocate);
    const Stmt out = map_children(s, Mapper{.expr = [&](const Expr& e) { return visit(e); },
                                            .stmt = [&](const Stmt& child) { return visit(child); }});
    const auto* loop = out.as<For>();
    if (loop == nullptr || loop->kind != ForKind::parallel || !stores_nibbles(s.as<For>()->body)) return out;
    For serial = *loop;  // two iterations may write halves of one byte
    serial.kind = ForKind::serial;
    return serial;
  }

  bool stores_nibbles(const Stmt& s) const {
    bool found = false;
    visit_stmts(s, [&](const Stmt& x) {
      const auto* store = x.as<Store>();
      found = found || (store != nullptr && is_packed(store->buffer));
    });
    return found;
  }

  Stmt visit_store(const Store& store) {
    const Buffer buffer = stored(store.buffer);
    const Expr index = visit(store.indices.at(0)),
               predicate = store.predicate.defined() ? visit(store.predicate) : Expr{};
    Expr value = visit(store.value);
    if (is_packed(store.buffer)) return store_nibble(buffer, index, value, predicate);
    if (store.buffer->type.is_bool()) value = make_cast(uint8.with_lanes(value.type().lanes), value);
    return make_store(buffer, {index}, value, predicate);
  }

  Stmt visit_allocate(const Allocate& allocate) {
    Allocate out = allocate;
    for (Expr& extent : out.extents) extent = visit(extent);
    out.type = legal(allocate.type);
    if (allocate.type.is_bool()) out.type = uint8.with_lanes(allocate.type.lanes);
    if (is_nibble(allocate.type) && !unpacked_.contains(allocate.data)) {
      out.type = uint8;
      out.extents = {bytes_for(out.extents.at(0))};
    }
    out.body = visit(allocate.body);
    return out;
  }

  Var renamed(const Var& var) {
    if (legal(var.type()) == var.type()) return var;
    return variables_[var] = Var(var.name(), legal(var.type()));
  }

  // --- expressions ---

  Expr visit(const Expr& e) {
    if (const auto found = seen_.find(e); found != seen_.end()) return found->second;
    Expr out = legalised(e);
    ensure(out.type() == legal(e.type()), "legalise_types: {} became {}", to_string(e.type()),
           to_string(out.type()));
    seen_.emplace(e, out);
    return out;
  }

  /// The value of e (a narrow float) as float32.
  Expr as_float32(const Expr& e) {
    const DataType type = e.type();
    if (const auto* imm = e.as<FloatImm>()) return make_float(imm->value, float32);
    const Expr value = visit(e);
    return is_bits(type) ? decode_bits(value, type) : make_cast(float32.with_lanes(type.lanes), value);
  }

  Expr rounded(const Expr& value, DataType type) const {
    return is_bits(type) ? encode_bits(value, type) : make_cast(type, value);
  }

  Expr legalised(const Expr& e) {
    const DataType type = e.type();
    if (const auto* imm = e.as<FloatImm>(); imm != nullptr && is_bits(type))
      return make_int(encode_narrow(imm->value, narrow_format(type)), legal(type));
    if (const auto* imm = e.as<IntImm>(); imm != nullptr && is_nibble(type))
      return make_int(imm->value, legal(type));
    if (e.is<VarNode>()) {
      const auto found = variables_.find(Var(e));
      return found == variables_.end() ? e : found->second;
    }
    if (const auto* let = e.as<Let>()) {
      const Expr value = visit(let->value);
      const Var var = renamed(let->var);  // before the body, which uses it
      return make_let(var, value, visit(let->body));
    }
    if (const auto* load = e.as<Load>()) return visit_load(*load);
    if (const auto* cast = e.as<Cast>()) return visit_cast(cast->value, type);
    if (const auto* call = e.as<Call>()) return visit_call(e, *call);
    if (const auto* unary = e.as<Unary>(); unary != nullptr && is_narrow(type))
      return rounded(make_unary(unary->op, as_float32(unary->operand)), type);
    if (const auto* binary = e.as<Binary>(); binary != nullptr && is_narrow(binary->left.type())) {
      const Expr result = make_binary(binary->op, as_float32(binary->left), as_float32(binary->right));
      return is_comparison(binary->op) ? result : rounded(result, type);
    }
    return with_legal_type(e);
  }

  /// A node that moves values and does not look at them.
  Expr with_legal_type(const Expr& e) {
    const Expr out = map_children(e, Mapper{.expr = [&](const Expr& part) { return visit(part); }});
    const DataType type = legal(e.type());
    if (out.type() == type) return out;
    return std::visit([&](const auto& node) { return Expr(type, node); }, out.variant());
  }

  Expr visit_load(const Load& load) {
    const Buffer buffer = stored(load.buffer);
    const Expr index = visit(load.indices.at(0)),
               predicate = load.predicate.defined() ? visit(load.predicate) : Expr{};
    if (is_packed(load.buffer)) return load_nibble(buffer, index, load.buffer->type, predicate);
    const Expr value = make_load(buffer, {index}, predicate);
    return load.buffer->type.is_bool() ? make_cast(boolean.with_lanes(value.type().lanes), value) : value;
  }

  Expr visit_cast(const Expr& value, DataType to) {
    const DataType from = value.type();
    // float16, on GPUs also bfloat16, converts in the backend, which rounds once from every type that is
    // left.
    const Expr source = is_bits(from) || (is_narrow(from) && (is_bits(to) || is_nibble(to)))
                            ? as_float32(value)
                            : visit(value);
    if (is_bits(to)) return encode_bits(source, to);
    if (is_nibble(to)) return to_nibble(source, to);
    return make_cast(to, source);
  }

  Expr visit_call(const Expr& e, const Call& call) {
    const std::string& name = call.op->name;
    if (name == "if_then_else" || name == "likely") return with_legal_type(e);
    if (name == "address_of") return visit_address(*call.arguments[0].as<Load>());
    if (name == "reinterpret") return visit_reinterpret(call.arguments[0], e.type());
    std::vector<Expr> arguments;
    bool narrow = false;
    for (const Expr& argument : call.arguments) {
      narrow = narrow || is_narrow(argument.type());
      arguments.push_back(is_narrow(argument.type()) ? as_float32(argument) : visit(argument));
    }
    if (call.op->result == ResultRule::stated) {  // a registered function gives floats as float64
      const bool narrow_result = is_narrow(e.type());
      const Expr result =
          make_call(name, narrow_result ? float64.with_lanes(e.type().lanes) : legal(e.type()), arguments);
      return narrow_result ? rounded(result, e.type()) : result;
    }
    const Expr result = make_call(name, arguments);
    return narrow && is_narrow(e.type()) ? rounded(result, e.type()) : result;
  }

  Expr visit_address(const Load& element) {
    Expr index = visit(element.indices.at(0));
    if (is_packed(element.buffer))
      index = make_binary(BinaryOp::shift_right, index, make_int(1, index.type()));
    return make_call("address_of", {make_load(stored(element.buffer), {index})});
  }

  Expr visit_reinterpret(const Expr& source, DataType to) {
    const DataType from = source.type();
    require(!is_nibble(from) && !is_nibble(to),
            "T.reinterpret from {} to {}: 4-bit integers can only be loaded, cast and stored",
            to_string(from), to_string(to));
    const Expr value = visit(source);
    return value.type() == legal(to) ? value : make_call("reinterpret", legal(to), {value});
  }

  const std::unordered_set<Var> unpacked_;
  const bool converts_bfloat16_;
  std::unordered_map<Buffer, Buffer> buffers_;
  std::unordered_map<Var, Var> variables_;
  std::unordered_map<Expr, Expr> seen_;  ///< of the statement at hand: a let must not be shared by two
};

}  // namespace

Function legalise_types(const Function& f, const target::Target& target) {
  return is_legal(f) ? f : Legalising(f, target).run(f);
}

}  // namespace ardea::lower
