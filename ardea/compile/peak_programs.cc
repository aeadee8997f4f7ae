#include "ardea/compile/peak_programs.h"

#include <algorithm>

#include "ardea/ir/builder.h"
#include "ardea/ir/intrinsics.h"

namespace ardea::compile {

namespace {

/// Vectors in memory of their own that LLVM keeps in registers: every access is one whole vector at a
/// constant place.
class Accumulators {
 public:
  Accumulators(DataType type, std::int64_t count, std::int64_t lanes)
      : type_(type),
        count_(count),
        lanes_(lanes),
        buffer_(make_buffer("sums", std::vector<std::int64_t>{count * lanes}, type, "local")) {}

  std::vector<Expr> place(std::int64_t i) const {
    return {make_ramp(make_int(i * lanes_), make_int(1), lanes_)};
  }
  Expr load(std::int64_t i) const { return make_load(buffer_, place(i)); }
  Stmt store(std::int64_t i, Expr value) const { return make_store(buffer_, place(i), std::move(value)); }

  /// body with the accumulators allocated around it and zero before it.
  Stmt around(Stmt body) const {
    std::vector<Stmt> statements;
    for (std::int64_t i = 0; i < count_; ++i)
      statements.push_back(store(i, make_broadcast(make_const(0, type_), lanes_)));
    statements.push_back(std::move(body));
    return Allocate{.data = buffer_->data,
                    .type = type_,
                    .extents = {make_int(count_ * lanes_)},
                    .scope = "local",
                    .body = DeclareBuffer{buffer_, make_seq(std::move(statements))}};
  }

 private:
  DataType type_;
  std::int64_t count_, lanes_;
  Buffer buffer_;
};

}  // namespace

PeakTile peak_tile(const target::Target& target, DataType type) {
  PeakTile tile;
  tile.lanes = std::max(1, target.vector_bits / type.bits);
  tile.rows = std::max(2, (target.vector_registers - 4) / 2);
  return tile;
}

Function peak_product(const PeakTile& tile, DataType type, std::int64_t tiles, bool fused) {
  FunctionBuilder f("peak");
  const std::int64_t columns = tile.vectors * tile.lanes;
  const Buffer a = f.parameter("A", {tiles, tile.depth * tile.rows}, type);
  const Buffer b = f.parameter("B", {tiles, tile.depth * columns}, type);
  const Buffer c = f.parameter("C", {tiles, tile.rows * columns}, type);
  const Var repeats = f.scalar("repeats");
  const Var t("t"), repeat("repeat"), k("k");
  const Accumulators sums(type, tile.rows * tile.vectors, tile.lanes);
  const auto ramp = [&](const Expr& base) { return make_ramp(base, make_int(1), tile.lanes); };

  std::vector<Stmt> updates, results;
  for (std::int64_t row = 0; row < tile.rows; ++row)
    for (std::int64_t v = 0; v < tile.vectors; ++v) {
      const std::int64_t i = row * tile.vectors + v;
      const Expr x = make_broadcast(make_load(a, {t, k * tile.rows + row}), tile.lanes);
      const Expr y = make_load(b, {make_broadcast(t, tile.lanes), ramp(k * columns + v * tile.lanes)});
      updates.push_back(sums.store(i, fused ? make_call("fma", {x, y, sums.load(i)}) : x * y + sums.load(i)));
      results.push_back(
          make_store(c, {make_broadcast(t, tile.lanes), ramp(make_int(i * tile.lanes))}, sums.load(i)));
    }
  const Stmt product = make_for(k, make_int(0), make_int(tile.depth), make_seq(std::move(updates)));
  results.insert(results.begin(), make_for(repeat, make_int(0), repeats, product));
  f.add(make_for(t, make_int(0), make_int(tiles), sums.around(make_seq(std::move(results))),
                 ForKind::parallel));
  return f.build();
}

Function memory_sum(std::int64_t tiles, std::int64_t vectors, std::int64_t lanes) {
  constexpr std::int64_t streams = 8;  // enough sums to hide the latency of an addition
  FunctionBuilder f("sum");
  const Buffer a = f.parameter("A", {tiles, vectors * streams * lanes});
  const Buffer s = f.parameter("S", {tiles, streams * lanes});
  const Var t("t"), i("i");
  const Accumulators sums(float32, streams, lanes);
  std::vector<Stmt> updates, results;
  for (std::int64_t stream = 0; stream < streams; ++stream) {
    const Expr row = make_broadcast(t, lanes);
    const Expr from = make_ramp(i * (streams * lanes) + stream * lanes, make_int(1), lanes);
    updates.push_back(sums.store(stream, sums.load(stream) + make_load(a, {row, from})));
    results.push_back(
        make_store(s, {row, make_ramp(make_int(stream * lanes), make_int(1), lanes)}, sums.load(stream)));
  }
  results.insert(results.begin(), make_for(i, make_int(0), make_int(vectors), make_seq(std::move(updates))));
  f.add(make_for(t, make_int(0), make_int(tiles), sums.around(make_seq(std::move(results))),
                 ForKind::parallel));
  return f.build();
}

}  // namespace ardea::compile
