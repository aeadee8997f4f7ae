#include "ardea/arith/fold_constants.h"

#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

/// Constants beyond this are left to those who know about wrapping.
constexpr std::int64_t largest_folded = std::int64_t{1} << 30;

bool is_integer_sum(const Binary& node, DataType type) {
  return type.is_int() && type.is_scalar() && type.bits >= 32 &&
         (node.op == BinaryOp::add || node.op == BinaryOp::sub || node.op == BinaryOp::mul);
}

class Folding {
 public:
  explicit Folding(const KnownNodes& known) : known_(known) {}

  std::optional<Expr> run(const Expr& e) {
    const Expr folded = visit(e);
    return is_simple_ ? std::optional(folded) : std::nullopt;
  }

 private:
  /// A sum as its terms, in order, and its constant.
  struct Sum {
    std::vector<std::pair<Expr, bool>> terms;  ///< whether the term is subtracted
    std::int64_t constant = 0;
  };

  Expr visit(const Expr& e) {
    if (known_.find(e) != nullptr) return e;
    if (const auto* binary = e.as<Binary>()) {
      if (is_integer_sum(*binary, e.type())) return written(sum_of(e), e.type());
      // Arithmetic on values stays as it is; only its loads are looked into.
      is_simple_ = is_simple_ && !e.type().is_bool() && e.type().is_float();
    } else if (!(e.is<Load>() || e.is<Ramp>() || e.is<Broadcast>() || e.is<Cast>() || e.is<VarNode>() ||
                 e.is<IntImm>() || e.is<FloatImm>())) {
      is_simple_ = false;
    }
    if (!is_simple_) return e;
    return map_children(e, Mapper{.expr = [&](const Expr& part) { return visit(part); }});
  }

  Sum sum_of(const Expr& e) {
    const auto constant = constant_int(e);
    if (constant) return {{}, limited(*constant)};
    const auto* binary = e.as<Binary>();
    if (binary == nullptr || !is_integer_sum(*binary, e.type())) return {{{visit(e), false}}};
    if (binary->op == BinaryOp::mul) return product(sum_of(binary->left), sum_of(binary->right), e.type());
    Sum total = sum_of(binary->left), right = sum_of(binary->right);
    const bool minus = binary->op == BinaryOp::sub;
    for (auto& [term, negative] : right.terms) total.terms.emplace_back(term, negative != minus);
    total.constant = limited(minus ? total.constant - right.constant : total.constant + right.constant);
    return total;
  }

  Sum product(const Sum& a, const Sum& b, DataType type) {
    if (a.terms.empty() && b.terms.empty()) return {{}, limited(a.constant * b.constant)};
    if (a.terms.empty()) return product(b, a, type);
    if (!b.terms.empty()) return {{{written(a, type) * written(b, type), false}}};
    if (b.constant == 0) return {};
    Sum scaled{{}, limited(a.constant * b.constant)};
    for (const auto& [term, negative] : a.terms)
      scaled.terms.emplace_back(b.constant == 1 ? term : scale(term, b.constant, type), negative);
    return scaled;
  }

  /// Keeps every constant small enough that no product of two leaves 64 bits.
  std::int64_t limited(std::int64_t constant) {
    is_simple_ = is_simple_ && -largest_folded <= constant && constant <= largest_folded;
    return is_simple_ ? constant : 0;
  }

  Expr scale(const Expr& term, std::int64_t factor, DataType type) {
    const auto* product = term.as<Binary>();
    const auto inner = product != nullptr && product->op == BinaryOp::mul ? constant_int(product->right)
                                                                          : std::optional<std::int64_t>();
    return inner ? product->left * make_int(limited(limited(*inner) * factor), type)
                 : term * make_int(factor, type);
  }

  /// As a normal form has it: added terms, then subtracted ones, then the constant.
  static Expr written(const Sum& sum, DataType type) {
    Expr total;
    for (const bool subtracted : {false, true})
      for (const auto& [term, negative] : sum.terms) {
        if (negative != subtracted) continue;
        if (!total.defined())
          total = negative ? make_int(0, type) - term : term;
        else
          total = negative ? total - term : total + term;
      }
    if (!total.defined()) return make_int(sum.constant, type);
    if (sum.constant > 0) return total + make_int(sum.constant, type);
    return sum.constant < 0 ? total - make_int(-sum.constant, type) : total;
  }

  const KnownNodes& known_;
  bool is_simple_ = true;
};

}  // namespace

std::optional<Expr> fold_constants(const Expr& e, const KnownNodes& known) { return Folding(known).run(e); }

}  // namespace ardea::arith
