#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/support/random.h"
#include "evaluate.h"

/// Random loop nests, run by counting: regions hold every access, and exact ones hold nothing else.

namespace ardea::arith {
namespace {

using arith_tests::cases;

using Values = std::map<const ExprNode*, std::int64_t>;

std::int64_t rounded_down_quotient(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}

std::int64_t value(const Expr& e, const Values& values) {
  if (const auto* imm = e.as<IntImm>()) return imm->value;
  if (e.is<VarNode>()) {
    const auto found = values.find(e.get());
    if (found == values.end()) throw std::logic_error("a loop is left in a region: " + Var(e).name());
    return found->second;
  }
  if (const auto* cast = e.as<Cast>()) return value(cast->value, values);
  if (const auto* unary = e.as<Unary>()) {
    const std::int64_t x = value(unary->operand, values);
    return unary->op == UnaryOp::negate ? -x : x == 0;
  }
  if (const auto* select = e.as<Select>())
    return value(select->condition, values) ? value(select->when_true, values)
                                            : value(select->when_false, values);
  const auto& binary = *e.as<Binary>();
  const std::int64_t a = value(binary.left, values), b = value(binary.right, values);
  switch (binary.op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::floor_div: return rounded_down_quotient(a, b);
    case BinaryOp::floor_mod: return a - b * rounded_down_quotient(a, b);
    case BinaryOp::min: return std::min(a, b);
    case BinaryOp::max: return std::max(a, b);
    case BinaryOp::eq: return a == b;
    case BinaryOp::ne: return a != b;
    case BinaryOp::lt: return a < b;
    case BinaryOp::le: return a <= b;
    case BinaryOp::gt: return a > b;
    case BinaryOp::ge: return a >= b;
    case BinaryOp::logical_and: return a && b;
    case BinaryOp::logical_or: return a || b;
    default: throw std::logic_error("the generator writes no such operation");
  }
}

using Element = std::vector<std::int64_t>;

/// The elements of each buffer that a statement touches.
struct Touches {
  std::map<const BufferNode*, std::set<Element>> reads, writes;
  std::set<const BufferNode*> left;  ///< an index went outside: a legal program would have stopped there

  void run(const Stmt& s, Values values) {
    if (const auto* loop = s.as<For>()) {
      const std::int64_t first = value(loop->min, values), count = value(loop->extent, values);
      for (std::int64_t i = first; i < first + count; ++i) {
        values[loop->var.get()] = i;
        run(loop->body, values);
      }
    } else if (const auto* branch = s.as<If>()) {
      if (value(branch->condition, values))
        run(branch->then_case, values);
      else if (branch->else_case.defined())
        run(branch->else_case, values);
    } else if (const auto* seq = s.as<Seq>()) {
      for (const Stmt& statement : seq->statements) run(statement, values);
    } else if (const auto* let = s.as<LetStmt>()) {
      values[let->var.get()] = value(let->value, values);
      run(let->body, values);
    } else if (const auto* block = s.as<Block>()) {
      if (block->predicate.defined() && !value(block->predicate, values)) return;
      Values inside = values;
      for (const BlockIterator& i : block->iterators) inside[i.var.get()] = value(i.binding, values);
      run(block->body, inside);
    } else {
      const auto& store = *s.as<Store>();
      touch(writes, store.buffer, store.indices, values);
      run(store.value, values);
    }
  }

 private:
  void run(const Expr& e, const Values& values) {
    if (const auto* load = e.as<Load>()) {
      touch(reads, load->buffer, load->indices, values);
    } else if (const auto* call = e.as<Call>(); call != nullptr && call->op->name == "if_then_else") {
      run(call->arguments[value(call->arguments[0], values) ? 1 : 2], values);
    } else if (const auto* binary = e.as<Binary>()) {
      run(binary->left, values);
      run(binary->right, values);
    }
  }

  void touch(std::map<const BufferNode*, std::set<Element>>& into, const Buffer& buffer,
             const std::vector<Expr>& indices, const Values& values) {
    Element element;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      element.push_back(value(indices[d], values));
      if (element.back() < 0 || element.back() >= value(buffer->shape[d], values)) {
        left.insert(buffer.get());
        return;
      }
    }
    into[buffer.get()].insert(element);
  }
};

class Generator {
 public:
  Generator(Random& random, bool symbolic) : random_(random) {
    if (symbolic)
      for (const char* name : {"n", "m"}) parameters.emplace_back(name);
  }

  std::vector<Var> parameters;
  std::vector<Buffer> buffers;

  Stmt nest() {
    for (const char* name : {"A", "B", "C"}) {
      std::vector<Expr> shape;
      for (std::int64_t d = random_.integer(1, 2); d > 0; --d)
        shape.push_back(make_int(random_.chance(0.3) ? 25 : 200));
      buffers.push_back(make_buffer(name, shape));
    }
    return loops(static_cast<int>(random_.integer(1, 4)));
  }

 private:
  Stmt loops(int depth) {
    if (depth == 0) return body();
    const Var var("i" + std::to_string(depth));
    const Expr extent = random_.chance(0.1) && !vars_.empty() ? random_.pick(vars_) + 1 : this->extent();
    const Expr first = make_int(random_.chance(0.8) ? 0 : random_.integer(0, 3));
    vars_.push_back(var);
    Stmt inside = loops(depth - 1);
    if (random_.chance(0.15)) inside = make_if(condition(), inside);
    vars_.pop_back();
    return make_for(var, first, extent, inside);
  }

  Expr extent() {
    if (!parameters.empty() && random_.chance(0.5)) return random_.pick(parameters);
    return make_int(random_.pick(std::vector<std::int64_t>{1, 2, 3, 4, 5, 7}));
  }

  Stmt body() {
    if (random_.chance(0.3)) return block();
    std::vector<Stmt> statements;
    for (std::int64_t n = random_.integer(1, 2); n > 0; --n) statements.push_back(store());
    return make_seq(std::move(statements));
  }

  Stmt block() {
    Block block{.name = "b"};
    std::vector<Var> inner;
    for (const Var& var : vars_) {
      const Var v("v" + var.name());
      block.iterators.push_back(
          {v, {make_int(0), make_int(100)}, IteratorKind::opaque, var + random_.integer(0, 2)});
      inner.push_back(v);
    }
    if (random_.chance(0.4)) block.predicate = condition();
    std::swap(inner, vars_);
    block.body = store();
    std::swap(inner, vars_);
    return block;
  }

  Stmt store() {
    const Buffer& to = random_.pick(buffers);
    const Buffer& from = random_.pick(buffers);
    Expr read = make_load(from, indices(from));
    if (random_.chance(0.3)) read = make_call("if_then_else", {condition(), read, make_float(0)});
    Stmt out = make_store(to, indices(to), read);
    if (random_.chance(0.2)) out = make_if(condition(), out);
    return out;
  }

  std::vector<Expr> indices(const Buffer& buffer) {
    std::vector<Expr> out;
    for (std::size_t d = 0; d < buffer->shape.size(); ++d) out.push_back(affine());
    return out;
  }

  Expr affine() {
    Expr sum = make_int(random_.chance(0.7) ? random_.integer(0, 12) : random_.integer(-3, 40));
    for (const Var& var : vars_) {
      if (random_.chance(0.4)) continue;
      Expr term = var;
      if (random_.chance(0.15)) term = floor_div(var, random_.integer(2, 4));
      if (random_.chance(0.15)) term = floor_mod(var, random_.integer(2, 4));
      sum = sum + term * random_.pick(std::vector<std::int64_t>{1, 1, 1, 2, 3, 4, -1, -2});
    }
    return sum;
  }

  Expr condition() {
    const Expr left = affine(), right = make_int(random_.integer(0, 20));
    switch (random_.integer(0, 4)) {
      case 0: return left >= right;
      case 1: return equals(left, right);
      case 2: return logical_and(left<right, affine()> make_int(random_.integer(0, 9)));
      case 3: return logical_or(left<right, affine()> make_int(random_.integer(0, 9)));
      default: return left < right;
    }
  }

  Random& random_;
  std::vector<Var> vars_;
};

/// Every element that was touched lies in the box, and an exact box holds no other.
void check(const std::vector<Touched>& boxes, const std::map<const BufferNode*, std::set<Element>>& touched,
           const std::set<const BufferNode*>& left, const Values& parameters, std::size_t& exact_boxes) {
  std::set<const BufferNode*> seen;
  for (const Touched& box : boxes) {
    EXPECT_TRUE(seen.insert(box.region.buffer.get()).second) << "two boxes of one buffer";
    Element low, end;
    std::int64_t volume = 1;
    for (const Range& range : box.region.region) {
      low.push_back(value(range.min, parameters));
      end.push_back(low.back() + value(range.extent, parameters));
      volume *= std::max<std::int64_t>(0, end.back() - low.back());
    }
    const auto found = touched.find(box.region.buffer.get());
    const std::set<Element> elements = found == touched.end() ? std::set<Element>() : found->second;
    for (const Element& element : elements)
      for (std::size_t d = 0; d < element.size(); ++d)
        EXPECT_TRUE(low[d] <= element[d] && element[d] < end[d])
            << print(box.region) << " does not hold " << element[d] << " in dimension " << d;
    if (!box.exact || left.contains(box.region.buffer.get())) continue;
    ++exact_boxes;
    EXPECT_EQ(static_cast<std::int64_t>(elements.size()), volume) << "not exact: " << print(box.region);
  }
  for (const auto& [buffer, elements] : touched)
    EXPECT_TRUE(seen.contains(buffer)) << "no box of " << buffer->name;
}

/// Rows and columns by the digits of one number that several loops make, in tails and tiles that hang over:
/// what copies by threads do. Another number of digits, another order of the loops and digits of which some
/// are missing come, too.
Stmt fused_copy(Random& random, const Buffer& to) {
  std::vector<Var> vars;
  std::vector<std::int64_t> extents;
  Expr number = make_int(0);
  std::int64_t length = 1;
  for (std::int64_t n = random.integer(1, 4); n > 0; --n) {
    vars.emplace_back("i" + std::to_string(n));
    extents.push_back(random.integer(1, 5));
    number = number + vars.back() * make_int(length);
    length *= random.chance(0.9) ? extents.back() : extents.back() + 1;
  }
  const std::int64_t columns = random.integer(1, 6), rows = random.chance(0.3) ? random.integer(1, 3) : 0;
  const Expr lane = random.chance(0.3) ? number * make_int(2) : number;
  Expr row = floor_div(lane, make_int(columns));
  if (rows > 0) row = floor_mod(row, make_int(rows));
  const Expr column = random.chance(0.9) ? floor_mod(lane, make_int(columns)) : number;
  Stmt out = make_store(to, {row + make_int(random.integer(0, 3)), column}, make_float(1));
  if (random.chance(0.6)) out = make_if(number < make_int(random.integer(1, length + 1)), out);
  if (random.chance(0.5)) out = make_if(row < make_int(random.integer(1, 8)), out);
  if (random.chance(0.3)) out = make_if(column < make_int(random.integer(1, 6)), out);
  while (!vars.empty()) {
    const std::size_t at = static_cast<std::size_t>(random.integer(0, std::int64_t(vars.size()) - 1));
    out = make_for(vars[at], make_int(0), make_int(extents[at]), out);
    vars.erase(vars.begin() + std::ptrdiff_t(at));
    extents.erase(extents.begin() + std::ptrdiff_t(at));
  }
  return out;
}

void run(std::uint64_t seed, bool symbolic, std::size_t& exact_boxes) {
  Random random(seed);
  Generator generator(random, symbolic);
  const Stmt nest = generator.nest();
  Analyzer facts;
  for (const Var& parameter : generator.parameters) facts.parameter(parameter);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print(nest));
  const Accesses found = accesses(nest, facts);
  for (int i = 0; i < (symbolic ? 3 : 1); ++i) {
    Values parameters;
    std::string where = "seed " + std::to_string(seed);
    for (const Var& p : generator.parameters) {
      parameters[p.get()] = random.integer(1, 6);
      where += ", " + p.name() + " = " + std::to_string(parameters[p.get()]);
    }
    SCOPED_TRACE(where + "\n" + print(nest));
    Touches touches;
    touches.run(nest, parameters);
    check(found.reads, touches.reads, touches.left, parameters, exact_boxes);
    check(found.writes, touches.writes, touches.left, parameters, exact_boxes);
  }
}

TEST(RegionsOfRandomNests, hold_every_access_and_exact_ones_nothing_else) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 1; seed <= cases(300) && !testing::Test::HasFailure(); ++seed)
    run(seed, false, exact);
  EXPECT_GT(exact, cases(300) / 4) << "the exact ones are too few to mean anything";
}

TEST(RegionsOfRandomNests, hold_what_fused_loops_copy_and_mostly_exactly) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 1; seed <= cases(400) && !testing::Test::HasFailure(); ++seed) {
    Random random(seed);
    const Buffer to = make_buffer("A", {make_int(700), make_int(700)});
    const Stmt copy = fused_copy(random, to);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print(copy));
    Touches touches;
    touches.run(copy, {});
    check(accesses(copy, {}).writes, touches.writes, touches.left, {}, exact);
  }
  EXPECT_GT(exact, cases(400) / 3) << "the exact ones are too few to mean anything";
}

TEST(RegionsOfRandomNests, hold_for_every_value_of_symbolic_extents) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 1; seed <= cases(150) && !testing::Test::HasFailure(); ++seed)
    run(seed, true, exact);
  EXPECT_GT(exact, cases(150) / 4) << "the exact ones are too few to mean anything";
}

}  // namespace
}  // namespace ardea::arith
