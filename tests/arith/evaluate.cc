#include "evaluate.h"

#include <algorithm>
#include <cstdlib>

#include "ardea/ir/intrinsics.h"

namespace ardea::arith_tests {

std::uint64_t cases(std::uint64_t usual) {
  const char* wanted = std::getenv("ARDEA_RANDOM_CASES");
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

namespace {

__int128 floor_of(__int128 a, __int128 b) {
  const __int128 q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

__int128 binary_value(BinaryOp op, std::int64_t left, std::int64_t right, DataType type) {
  const __int128 a = left, b = right;
  const bool divides = op == BinaryOp::floor_div || op == BinaryOp::floor_mod || op == BinaryOp::trunc_div ||
                       op == BinaryOp::trunc_mod;
  if (divides && b == 0) throw Undefined("division by zero");
  switch (op) {
    case BinaryOp::add: return a + b;
    case BinaryOp::sub: return a - b;
    case BinaryOp::mul: return a * b;
    case BinaryOp::floor_div: return floor_of(a, b);
    case BinaryOp::floor_mod: return a - b * floor_of(a, b);
    case BinaryOp::trunc_div: return a / b;
    case BinaryOp::trunc_mod: return a % b;
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
    case BinaryOp::bit_and: return left & right;
    case BinaryOp::bit_or: return left | right;
    case BinaryOp::bit_xor: return left ^ right;
    case BinaryOp::shift_left: return b < 0 || b >= type.bits ? 0 : a << right;
    case BinaryOp::shift_right: return b < 0 || b >= type.bits ? (a < 0 ? -1 : 0) : a >> right;
    case BinaryOp::div: break;
  }
  throw Undefined("not an integer operation");
}

std::int64_t load_value(const Load& load, const Point& point, int lane, Overflow overflow) {
  std::uint64_t hash = std::hash<std::string>()(load.buffer->name);
  for (const Expr& index : load.indices)
    hash = Random(hash + static_cast<std::uint64_t>(evaluate(index, point, lane, overflow))).next();
  // int64 data stay small, so that few points leave the 64 bits.
  const auto value = static_cast<std::int64_t>(hash >> 1);
  return wrapped(load.buffer->type.bits == 64 ? value % 1000 : value, load.buffer->type);
}

}  // namespace

std::int64_t wrapped(__int128 value, DataType type) {
  if (type.is_bool()) return value != 0;
  const __int128 turn = __int128{1} << type.bits;
  __int128 result = value % turn;
  if (result < 0) result += turn;
  if (type.is_int() && result >= turn / 2) result -= turn;
  return static_cast<std::int64_t>(result);
}

std::int64_t evaluate(const Expr& e, const Point& point, int lane, Overflow overflow) {
  const DataType type = e.type();
  const auto of = [&](const Expr& part) { return evaluate(part, point, lane, overflow); };
  const auto typed = [&](__int128 value) {
    if (overflow == Overflow::undefined && type.bits == 64 && type.is_int() &&
        (value > INT64_MAX || value < INT64_MIN))
      throw Undefined("overflow");
    return wrapped(value, type);
  };
  if (const auto* imm = e.as<IntImm>()) return imm->value;
  if (e.is<VarNode>()) return point.at(Var(e));
  if (const auto* cast = e.as<Cast>()) return wrapped(of(cast->value), type);
  if (const auto* unary = e.as<Unary>()) {
    const __int128 value = of(unary->operand);
    return unary->op == UnaryOp::negate    ? typed(-value)
           : unary->op == UnaryOp::bit_not ? typed(~value)
                                           : value == 0;
  }
  if (const auto* binary = e.as<Binary>()) {
    const bool lazy =
        type.is_scalar() && (binary->op == BinaryOp::logical_and || binary->op == BinaryOp::logical_or);
    const std::int64_t left = of(binary->left);
    if (lazy && (left != 0) == (binary->op == BinaryOp::logical_or)) return left;
    return typed(binary_value(binary->op, left, of(binary->right), binary->left.type()));
  }
  if (const auto* select = e.as<Select>()) {
    const std::int64_t yes = of(select->when_true), no = of(select->when_false);
    return of(select->condition) ? yes : no;
  }
  if (const auto* let = e.as<Let>()) {
    Point inner = point;
    inner[let->var] = of(let->value);
    return evaluate(let->body, inner, lane, overflow);
  }
  if (const auto* load = e.as<Load>()) return load_value(*load, point, lane, overflow);
  if (const auto* call = e.as<Call>(); call && call->op->name == "if_then_else")
    return of(of(call->arguments[0]) ? call->arguments[1] : call->arguments[2]);
  if (const auto* call = e.as<Call>(); call && call->op->name == "likely") return of(call->arguments[0]);
  if (const auto* ramp = e.as<Ramp>())
    return typed(of(ramp->base) + static_cast<__int128>(of(ramp->stride)) * lane);
  if (const auto* broadcast = e.as<Broadcast>()) return of(broadcast->value);
  throw Undefined("not an integer expression");
}

Point World::draw(Random& random) const {
  Point point;
  for (const auto& [var, value] : draws) point[var] = value(random, point);
  return point;
}

World random_world(Random& random, DataType type) {
  World world;
  const auto add = [&](const std::string& name, std::function<std::int64_t(Random&, const Point&)> value) {
    Var var(name, type);
    world.variables.push_back(var);
    world.draws.emplace_back(var, std::move(value));
    return var;
  };
  const bool wide = type.bits >= 32;
  const std::int64_t largest = wide ? 40 : 100;
  // A parameter, sometimes a multiple of something.
  const std::int64_t divisor = random.pick<std::int64_t>({1, 1, 2, 4, 6}), least = random.integer(1, 5);
  const Var n = add("n", [=](Random& r, const Point&) {
    return (least + divisor - 1) / divisor * divisor + divisor * r.integer(0, largest / divisor / 2);
  });
  world.facts.parameter(n, least, divisor);
  for (const char* name : {"i", "j", "k"}) {
    const std::int64_t low =
        type.is_uint() ? random.integer(0, 3) : random.integer(-6, 6) * random.integer(0, 1);
    const std::int64_t extent = random.pick<std::int64_t>({1, 2, 3, 4, 7, 8, 13, 16, 32});
    const Var var = add(name, [=](Random& r, const Point&) {
      return r.pick<std::int64_t>({low, low + extent - 1, r.integer(low, low + extent - 1)});
    });
    world.facts.bind(var, {make_int(low, type), make_int(extent, type)});
  }
  // A loop over the parameter; its last value is n - 1.
  const Var m = add("m", [n](Random& r, const Point& p) {
    return r.pick<std::int64_t>({0, p.at(n) - 1, r.integer(0, p.at(n) - 1)});
  });
  world.facts.bind(m, {make_int(0, type), n});
  // Nothing is known of this one.
  add("u", [=](Random& r, const Point&) {
    const std::int64_t reach = type.bits == 64 ? 60 : INT64_MAX;
    return wrapped(r.chance(0.5) ? r.integer(-60, 60) : r.integer(-reach, reach), type);
  });
  return world;
}

namespace {

std::int64_t random_constant(Random& random, DataType type) {
  const std::int64_t value =
      random.pick<std::int64_t>({0, 1, 1, 2, 2, 3, 4, 4, 5, 7, 8, 16, 12, -1, -2, -3, -4, 100});
  return type.is_uint() ? std::abs(value) : value;
}

}  // namespace

Expr random_integer(Random& random, const World& world, DataType type, Shape shape) {
  const DataType full = type.with_lanes(shape.lanes);
  const auto spread = [&](const Expr& e) { return shape.lanes == 1 ? e : make_broadcast(e, shape.lanes); };
  if (shape.depth == 0 || random.chance(0.1)) {
    if (random.chance(0.35)) return spread(make_int(random_constant(random, type), type));
    if (shape.lanes > 1 && random.chance(0.5))
      return make_ramp(random.pick(world.variables),
                       make_int(random.integer(type.is_uint() ? 0 : -2, 3), type), shape.lanes);
    return spread(random.pick(world.variables));
  }
  Shape smaller = shape;
  --smaller.depth;
  const auto part = [&] { return random_integer(random, world, type, smaller); };
  switch (random.integer(0, 15)) {
    case 0:
    case 1:
    case 2:
    case 3: return make_binary(BinaryOp::add, part(), part());
    case 4:
    case 5: return make_binary(BinaryOp::sub, part(), part());
    case 6:
    case 7: {
      const std::int64_t c = random_constant(random, type);
      return make_binary(BinaryOp::mul, part(), random.chance(0.7) ? spread(make_int(c, type)) : part());
    }
    case 8:
    case 9:
    case 10:
    case 11: {
      const BinaryOp op =
          random.pick<BinaryOp>({BinaryOp::floor_div, BinaryOp::floor_mod, BinaryOp::floor_div,
                                 BinaryOp::floor_mod, BinaryOp::trunc_div, BinaryOp::trunc_mod});
      const std::int64_t c = random_constant(random, type);
      const Expr divisor = random.chance(0.7)   ? spread(make_int(c == 0 ? 6 : c, type))
                           : random.chance(0.6) ? spread(world.variables[0])
                                                : part();
      return make_binary(op, part(), divisor);
    }
    case 12: return make_binary(random.pick<BinaryOp>({BinaryOp::min, BinaryOp::max}), part(), part());
    case 13: {
      const Expr condition = random_condition(random, world, type, smaller);
      if (shape.lanes > 1 || random.chance(0.5)) return make_select(condition, part(), part());
      return make_call("if_then_else", {condition, part(), part()});
    }
    case 14: {
      if (shape.lanes > 1 || !shape.loads) return make_unary(UnaryOp::negate, part());
      if (random.chance(0.3))
        return make_binary(random.pick<BinaryOp>({BinaryOp::shift_left, BinaryOp::shift_right,
                                                  BinaryOp::bit_and, BinaryOp::bit_xor}),
                           part(), part());
      static const Buffer buffers[] = {make_buffer("A", std::vector<std::int64_t>{100}, int8),
                                       make_buffer("B", std::vector<std::int64_t>{100}, int32)};
      return make_cast(type, make_load(buffers[random.integer(0, 1)], {part()}));
    }
    default: {
      const DataType other =
          random.pick<DataType>({int8, uint8, int16, int32, int64, boolean}).with_lanes(shape.lanes);
      if (other.is_bool()) return make_cast(full, random_condition(random, world, type, smaller));
      return make_cast(full, make_cast(other, part()));
    }
  }
}

Expr random_condition(Random& random, const World& world, DataType type, Shape shape) {
  Shape smaller = shape;
  smaller.depth = std::max(0, shape.depth - 1);
  if (shape.depth > 1 && random.chance(0.25)) {
    const Expr left = random_condition(random, world, type, smaller),
               right = random_condition(random, world, type, smaller);
    if (random.chance(0.2)) return logical_not(left);
    return random.chance(0.5) ? logical_and(left, right) : logical_or(left, right);
  }
  const BinaryOp op = random.pick<BinaryOp>({BinaryOp::eq, BinaryOp::ne, BinaryOp::lt, BinaryOp::le,
                                             BinaryOp::gt, BinaryOp::ge, BinaryOp::lt, BinaryOp::ge});
  return make_binary(op, random_integer(random, world, type, smaller),
                     random_integer(random, world, type, smaller));
}

}  // namespace ardea::arith_tests
