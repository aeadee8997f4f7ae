#include "ardea/limits/register_tile.h"

namespace ardea::limits {

namespace {

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
Expr divided_up(const Expr& a, std::int64_t b) { return floor_div(a + make_int(b - 1), make_int(b)); }

std::int64_t times(std::int64_t a, std::int64_t b) { return a * b; }
Expr times(const Expr& a, std::int64_t b) { return a * make_int(b); }

void set(std::int64_t& number, std::int64_t value) { number = value; }
void set(Expr& number, std::int64_t value) { number = make_int(value); }

template <class Number>
Number number(std::int64_t value) {
  Number out;
  set(out, value);
  return out;
}

/// The registers that so many values side by side fill.
template <class Number>
Number registers_of_row(const Number& count, DataType type, const target::Target& target) {
  const std::int64_t bits = type.bytes() * 8;
  return target.vector_bits == 0 ? number<Number>(1) : divided_up(times(count, bits), target.vector_bits);
}

template <class Number>
Number registers_of_update(const TileOf<Number>& tile, const target::Target& target) {
  const Number row = registers_of_row(tile.columns, tile.type, target);
  const Number left = target.arch == target::Arch::aarch64 ? registers_of_row(tile.rows, tile.type, target)
                                                           : number<Number>(1);
  return tile.rows * row + times(row, tile.is_written_out ? 2 : 1) + left;
}

}  // namespace

std::int64_t registers_of(DataType type, const target::Target& target) {
  const std::int64_t bits = type.bytes() * 8;
  return target.vector_bits == 0 ? 1 : divided_up(bits, target.vector_bits);
}

std::int64_t registers_of(const RegisterTile& tile, const target::Target& target) {
  return registers_of_update(tile, target);
}

Expr symbolic_registers_of(const SymbolicRegisterTile& tile, const target::Target& target) {
  return registers_of_update(tile, target);
}

}  // namespace ardea::limits
