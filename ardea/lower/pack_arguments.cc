#include <algorithm>
#include <unordered_set>

#include "ardea/intrin/written_parameters.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/wrong_arguments.h"
#include "ardea/lower/layout.h"
#include "ardea/lower/narrow_conversions.h"
#include "ardea/lower/packed_nibbles.h"
#include "ardea/lower/passes.h"
#include "ardea/runtime/abi.h"
#include "ardea/runtime/dlpack.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

constexpr const char* code_names[] = {"null",     "an integer", "a float",  "a string",
                                      "a tensor", "a function", "a module", "a handle"};

Expr stated(const char* name, DataType type, std::vector<Expr> arguments) {
  return make_call(name, type, std::move(arguments));
}
Expr number(std::int64_t value) { return make_int(value, int32); }

/// Writes the head of the entry point: a list of steps, each a statement or a let around all that follow.
class Head {
 public:
  explicit Head(const Function& f) : f_(f) {}

  Function run() {
    for (const Buffer& b : buffers_)
      for (const Parameter& p : f_.parameters)
        if (p.buffer == b) body_ = DeclareBuffer{b, body_};  // was declared by being a parameter
    check_count();
    for (std::size_t i = 0; i < f_.parameters.size(); ++i) check_kind(i);
    for (std::size_t i = 0; i < f_.parameters.size(); ++i)
      if (!f_.parameters[i].buffer.defined()) bind_scalar(i);
    for (std::size_t i = 0; i < f_.parameters.size(); ++i)
      if (f_.parameters[i].buffer.defined()) bind_shape(i);
    bind_strides();
    for (std::size_t i = 0; i < f_.parameters.size(); ++i)
      if (f_.parameters[i].buffer.defined()) check_extents(i);
    leave_where_empty();
    for (std::size_t i = 0; i < f_.parameters.size(); ++i)
      if (f_.parameters[i].buffer.defined()) check_layout(i);
    for (const Expr& condition : f_.assumptions)
      check(logical_not(condition), wrong_.assumption(condition), {});
    for (std::size_t i = 0; i < f_.parameters.size(); ++i)
      if (f_.parameters[i].buffer.defined()) bind_data(i);
    Function out = f_;
    out.parameters.clear();
    out.assumptions.clear();
    out.attributes["calling_convention"] = Attribute{make_string("packed")};
    out.body = assembled(body_);
    return out;
  }

 private:
  struct Step {
    Stmt statement;  ///< or
    Var var;
    Expr value;        ///< of the var, or
    Expr leaves = {};  ///< where this holds only the statement runs, and nothing after it
  };

  std::string argument(std::size_t i) const { return wrong_.argument(i); }

  void check(const Expr& fails, const std::string& sentence, const std::vector<Expr>& values) {
    steps_.push_back({fail_if(fails, sentence, values), {}, {}});
  }
  void bind(const Var& var, Expr value) { steps_.push_back({{}, var, std::move(value)}); }

  Stmt assembled(Stmt body) const {
    std::vector<Stmt> after = {std::move(body)};
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const Step& step = steps_[i];
      if (step.leaves.defined()) {
        after = {If{step.leaves, step.statement, make_seq(std::move(after))}};
      } else if (step.statement.defined()) {
        after.insert(after.begin(), step.statement);
      } else {
        after = {LetStmt{step.var, step.value, make_seq(std::move(after))}};
      }
    }
    return make_seq(std::move(after));
  }

  void check_count() {
    const Expr count = stated("abi_argument_count", int32, {});
    check(not_equals(count, number(static_cast<std::int64_t>(f_.parameters.size()))), wrong_.count("{}"),
          {count});
  }

  // --- kinds ---

  static std::vector<int> accepted(const Parameter& p) {
    if (p.buffer.defined()) return {ARDEA_TENSOR};
    if (p.var.type().is_handle()) return {ARDEA_HANDLE, ARDEA_NULL};
    if (p.var.type().is_float()) return {ARDEA_FLOAT, ARDEA_INT};
    return {ARDEA_INT};
  }

  /// The codes are told apart only where the wrong one came.
  void check_kind(std::size_t i) {
    const std::vector<int> codes = accepted(f_.parameters[i]);
    const Expr given = stated("abi_type_code", int32, {number(static_cast<std::int64_t>(i))});
    Expr wrong;
    for (const int code : codes) {
      const Expr other = not_equals(given, number(code));
      wrong = wrong.defined() ? logical_and(wrong, other) : other;
    }
    std::vector<Stmt> cases;
    for (int code = 0; code < static_cast<int>(std::size(code_names)); ++code) {
      if (std::find(codes.begin(), codes.end(), code) != codes.end()) continue;
      cases.push_back(fail_if(equals(given, number(code)), wrong_.kind(i, code_names[code]), {}));
    }
    cases.push_back(fail_with(argument(i) + " has the unknown type code {}", {given}));
    steps_.push_back({make_if(wrong, make_seq(std::move(cases))), {}, {}});
  }

  // --- scalars ---

  void bind_scalar(std::size_t i) {
    const Var& var = f_.parameters[i].var;
    const DataType type = var.type();
    const Expr position = number(static_cast<std::int64_t>(i));
    if (type.is_handle()) return bind(var, stated("abi_argument", handle_type, {position}));
    if (type.is_float()) {
      // An integer is taken for the float that it is.
      const Expr code = stated("abi_type_code", int32, {position});
      const Expr value =
          make_call("if_then_else", {equals(code, number(ARDEA_INT)),
                                     make_cast(float64, stated("abi_argument", int64, {position})),
                                     stated("abi_argument", float64, {position})});
      return type.bits == 16 && type.code == TypeCode::floating ? bind(var, make_cast(type, value))
                                                                : bind_value(var, value);
    }
    const Var given(var.name() + "_given");
    bind(given, stated("abi_argument", int64, {position}));
    if (!type.is_bool() && type.bits < 64) {
      const Expr low = make_int(WrongArguments::least_value(type));
      const Expr high = make_int(WrongArguments::greatest_value(type));
      check(logical_or(given<low, given> high), wrong_.value(i, "{}"), {given});
    }
    bind_value(var, given);
  }

  /// Types that legalise_types has removed appear once, where it turns the parameter into its bits or byte:
  /// that let takes the converted value instead.
  void bind_value(const Var& var, const Expr& value) {
    const DataType type = var.type();
    const bool as_bits = type.code == TypeCode::bfloat || type.is_float8();
    if (!as_bits && !is_nibble(type)) return bind(var, make_cast(type, value));
    const Expr converted = as_bits ? encode_bits(value, type) : to_nibble(value, type);
    const Var held(var.name(), converted.type());
    bind(held, converted);
    body_ = rewrite(body_, [&](const Expr& e) -> std::optional<Expr> {
      const auto* cast = e.as<Cast>();
      const auto* call = e.as<Call>();
      const bool opens = (cast != nullptr && cast->value == var) ||
                         (call != nullptr && call->op->name == "reinterpret" && call->arguments[0] == var);
      return opens ? std::optional<Expr>(held) : std::nullopt;
    });
  }

  // --- tensors ---

  Expr tensor(std::size_t i) const {
    return stated("abi_argument", handle_type, {number(static_cast<std::int64_t>(i))});
  }
  Expr extent(std::size_t i, std::size_t d) const {
    return stated("abi_tensor_shape", int64, {tensor(i), number(static_cast<std::int64_t>(d))});
  }
  Expr stride(std::size_t i, std::size_t d) const {
    return stated("abi_tensor_stride", int64, {tensor(i), number(static_cast<std::int64_t>(d))});
  }

  /// Type and rank, then the variables that stand for extents.
  void bind_shape(std::size_t i) {
    const Buffer& b = f_.parameters[i].buffer;
    const DLDataType type = runtime::to_dl_type(b->type);
    const std::int64_t word = std::int64_t{type.code} << 24 | std::int64_t{type.bits} << 16 | type.lanes;
    const Expr given = stated("abi_tensor_type", int64, {tensor(i)});
    check(not_equals(given, make_int(word)), wrong_.element_type(i, "{type}"), {given});
    const Expr rank = stated("abi_tensor_rank", int32, {tensor(i)});
    check(not_equals(rank, number(static_cast<std::int64_t>(b->shape.size()))), wrong_.rank(i, "{}"), {rank});
    for (std::size_t d = 0; d < b->shape.size(); ++d) bind_if_open(b->shape[d], extent(i, d));
    if (b->element_offset.defined()) bind_if_open(b->element_offset, make_int(0));
  }

  /// A variable is the stride of the first dimension that has it and more than one element: that of one
  /// element may be anything. Types and ranks are checked by now.
  void bind_strides() {
    std::vector<std::pair<Expr, Expr>> open;
    for (std::size_t i = f_.parameters.size(); i-- > 0;) {
      const Buffer& b = f_.parameters[i].buffer;
      for (std::size_t d = b.defined() ? b->strides.size() : 0; d-- > 0;) {
        const auto at = std::find_if(open.begin(), open.end(),
                                     [&](const auto& known) { return known.first == b->strides[d]; });
        if (at == open.end())
          open.emplace_back(b->strides[d], stride(i, d));
        else
          at->second = make_select(not_equals(extent(i, d), make_int(1)), stride(i, d), at->second);
      }
    }
    for (std::size_t x = open.size(); x-- > 0;) bind_if_open(open[x].first, open[x].second);
  }

  void bind_if_open(const Expr& e, const Expr& value) {
    if (!e.is<VarNode>()) return;
    const Var var(e);
    for (const Parameter& p : f_.parameters)
      if (p.var == var) return;
    if (bound_.insert(var).second) bind(var, make_cast(var.type(), value));
  }

  void check_extents(std::size_t i) {
    const Buffer& b = f_.parameters[i].buffer;
    for (std::size_t d = 0; d < b->shape.size(); ++d) {
      const Expr given = extent(i, d), wanted = as_index(b->shape[d]);
      // What is known now is said in the sentence.
      const auto value = constant_int(wanted);
      check(not_equals(given, wanted), wrong_.extent(i, d, "{}", value ? std::to_string(*value) : "{}"),
            value ? std::vector<Expr>{given} : std::vector<Expr>{given, wanted});
      if (!b->shape[d].is<IntImm>())
        check(given < make_int(0),
              fmt::format("{}: extent {} is {{}}, must not be negative", argument(i), d + 1), {given});
    }
  }

  /// Everything below may suppose that no extent is 0. A call with an empty array has nothing to do where all
  /// that it would write is empty; where that is not so nothing would be computed for what is there, a sum
  /// over no terms not even begun, and the caller is told.
  void leave_where_empty() {
    Expr any_empty;
    const std::vector<bool> written = intrin::written_parameters(f_);
    std::vector<Stmt> refusals;
    bool writes = false;
    for (std::size_t i = 0; i < f_.parameters.size(); ++i)
      for (const Expr& is_empty : empty_extents(i))
        any_empty = any_empty.defined() ? logical_or(any_empty, is_empty) : is_empty;
    if (!any_empty.defined()) return;
    for (std::size_t w = 0; w < f_.parameters.size(); ++w) {
      if (!written[w]) continue;
      writes = true;
      std::vector<Stmt> cases;
      for (std::size_t i = 0; i < f_.parameters.size(); ++i) {
        const Buffer& b = f_.parameters[i].buffer;
        for (std::size_t d = 0; i != w && b.defined() && d < b->shape.size(); ++d)
          if (!b->shape[d].is<IntImm>())
            cases.push_back(fail_if(equals(extent(i, d), make_int(0)), wrong_.empty(i, d, w), {}));
      }
      Expr is_empty;
      for (const Expr& e : empty_extents(w)) is_empty = is_empty.defined() ? logical_or(is_empty, e) : e;
      if (cases.empty()) continue;
      Stmt refused = make_seq(std::move(cases));
      refusals.push_back(is_empty.defined() ? make_if(logical_not(is_empty), std::move(refused))
                                            : std::move(refused));
    }
    if (!writes) refusals.push_back(fail_with(wrong_.nothing_to_write(), {}));
    steps_.push_back({refusals.empty() ? make_no_op() : make_seq(std::move(refusals)), {}, {}, any_empty});
  }

  /// For each extent that a caller may choose, whether it is 0.
  std::vector<Expr> empty_extents(std::size_t i) const {
    std::vector<Expr> all;
    const Buffer& b = f_.parameters[i].buffer;
    for (std::size_t d = 0; b.defined() && d < b->shape.size(); ++d)
      if (!b->shape[d].is<IntImm>()) all.push_back(equals(extent(i, d), make_int(0)));
    return all;
  }

  void check_layout(std::size_t i) {
    const Buffer& b = f_.parameters[i].buffer;
    const std::vector<Expr> strides = strides_of(b);
    for (std::size_t d = 0; d < strides.size(); ++d) check_stride(i, d, strides[d]);
    if (b->element_offset.defined() && !is_zero(b->element_offset))
      check(not_equals(as_index(b->element_offset), make_int(0)),
            argument(i) + ": its declared offset is {}, must be 0: an array begins at its first element",
            {b->element_offset});
  }

  /// The stride of a dimension with one element is never used, and anything.
  void check_stride(std::size_t i, std::size_t d, const Expr& wanted) {
    const Buffer& b = f_.parameters[i].buffer;
    const Expr given = stride(i, d);
    const Expr matters = not_equals(extent(i, d), make_int(1));
    check(logical_and(matters, not_equals(given, wanted)), wrong_.stride(i, d, "{}", "{}"), {given, wanted});
    if (!b->strides.empty() && !b->strides[d].is<IntImm>())
      check(wanted < make_int(0), wrong_.negative_stride(i, d, "{}"), {wanted});
  }

  void bind_data(std::size_t i) {
    const Parameter& p = f_.parameters[i];
    bind(p.buffer->data, stated_handle(i));
    if (p.var != p.buffer->data && uses(f_.body, p.var)) bind(p.var, p.buffer->data);
    const Expr address = make_call("reinterpret", int64, {p.buffer->data});
    check(equals(address, make_int(0)), argument(i) + " has no memory: its data is null", {});
    std::int64_t alignment = alignments_.at(p.buffer->data);
    if (const auto views = alignments_.find(p.var); views != alignments_.end())
      alignment = std::max(alignment, views->second);
    if (alignment <= 1) return;
    const Expr beyond = floor_mod(address, make_int(alignment));
    check(not_equals(beyond, make_int(0)), wrong_.alignment(i, "{}", alignment), {beyond});
  }

  Expr stated_handle(std::size_t i) const { return make_call("abi_tensor_data", {tensor(i)}); }

  const Function& f_;
  const WrongArguments wrong_{f_};
  Stmt body_ = f_.body;
  const std::vector<Buffer> buffers_ = buffers_in(f_.body);
  std::vector<Step> steps_;
  std::unordered_set<Var> bound_;
  std::unordered_map<Var, std::int64_t> alignments_ = memory_alignments(f_, buffers_);
};

}  // namespace

Function pack_arguments(const Function& f, const target::Target&) { return Head(f).run(); }

}  // namespace ardea::lower
