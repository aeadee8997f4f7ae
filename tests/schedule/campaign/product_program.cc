#include "tests/schedule/campaign/product_program.h"

#include "ardea/arith/regions.h"
#include "ardea/ir/builder.h"

namespace ardea::schedule {

namespace {

/// Types of the factors and of the sum, and in which order of dimensions, and in which tiles, the matrices
/// lie.
struct Layout {
  DataType a, b, sum;
  std::int64_t row_tile, column_tile, depth_tile;  ///< 0: plain
  bool b_by_columns = false;                       ///< B[j, k], not B[k, j]
  bool vnni = false;                               ///< B[k / 4, j, k % 4]
};

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {float32, float32, float32, 0, 0, 0},       {float32, float32, float32, 0, 0, 0},
      {float64, float64, float64, 0, 0, 0},       {int8, int8, int32, 0, 0, 0, true},
      {int8, int8, int32, 0, 0, 0, true},         {uint8, int8, int32, 0, 0, 0, false, true},
      {int8, uint8, int32, 0, 0, 0, false, true}, {int8, int8, int32, 2, 2, 8, true},
      {uint8, uint8, int32, 2, 2, 8, true},       {bfloat16, bfloat16, float32, 2, 2, 4, true},
  };
  return all;
}

class Product {
 public:
  explicit Product(Random& random) : random_(random), layout_(random.pick(layouts())), f_("product") {}

  Function write() {
    const bool wide = layout_.a == float64 || layout_.vnni;
    m_ = size({4, 4, 8, 8, 2, 3, 5});
    n_ = size(wide ? std::vector<std::int64_t>{16, 16, 32, 16, 17}
                   : std::vector<std::int64_t>{16, 16, 16, 8, 7});
    k_ = size({8, 8, 16, 12, 7});
    if (layout_.row_tile > 0) m_ *= 2, n_ *= 2;
    a_ = matrix("A", m_, k_, layout_.row_tile, layout_.depth_tile, layout_.a);
    b_ = layout_.vnni ? f_.parameter("B", {make_int((k_ + 3) / 4), make_int(n_), make_int(4)}, layout_.b)
         : layout_.b_by_columns ? matrix("B", n_, k_, layout_.column_tile, layout_.depth_tile, layout_.b)
                                : matrix("B", k_, n_, 0, 0, layout_.b);
    const bool biased = layout_.row_tile == 0 && random_.chance(0.4);
    c_ = biased ? f_.allocate("C", {make_int(m_), make_int(n_)}, layout_.sum)
                : matrix("C", m_, n_, layout_.row_tile, layout_.column_tile, layout_.sum);
    multiply(biased || random_.chance(0.6));
    if (biased) add_bias();
    return arith::complete_regions(f_.build());
  }

 private:
  std::int64_t size(const std::vector<std::int64_t>& likely) { return random_.pick(likely); }

  /// rows × columns, in tiles that lie one after another where there are such.
  Buffer matrix(const std::string& name, std::int64_t rows, std::int64_t columns, std::int64_t row_tile,
                std::int64_t column_tile, DataType type) {
    if (row_tile == 0) return f_.parameter(name, {make_int(rows), make_int(columns)}, type);
    return f_.parameter(
        name,
        {make_int((rows + row_tile - 1) / row_tile), make_int((columns + column_tile - 1) / column_tile),
         make_int(row_tile), make_int(column_tile)},
        type);
  }

  static std::vector<Expr> tiled(const Expr& row, const Expr& column, std::int64_t row_tile,
                                 std::int64_t column_tile) {
    if (row_tile == 0) return {row, column};
    return {floor_div(row, row_tile), floor_div(column, column_tile), floor_mod(row, row_tile),
            floor_mod(column, column_tile)};
  }

  void multiply(bool has_init) {
    f_.grid({"i", "j", "k"}, {make_int(m_), make_int(n_), make_int(k_)}, [&](const std::vector<Var>& loops) {
      f_.block("P", [&](BlockBuilder& block) {
        const Var i = block.spatial("vi", make_int(m_), loops[0]),
                  j = block.spatial("vj", make_int(n_), loops[1]);
        const Var k = block.reduce("vk", make_int(k_), loops[2]);
        const std::vector<Expr> at = tiled(i, j, layout_.row_tile, layout_.column_tile);
        if (has_init) block.init([&] { f_.store(c_, at, make_const(0, layout_.sum)); });
        const std::vector<Expr> in_a = tiled(i, k, layout_.row_tile, layout_.depth_tile);
        const std::vector<Expr> in_b = layout_.vnni ? std::vector<Expr>{floor_div(k, 4), j, floor_mod(k, 4)}
                                       : layout_.b_by_columns
                                           ? tiled(j, k, layout_.column_tile, layout_.depth_tile)
                                           : std::vector<Expr>{k, j};
        Expr a = make_cast(layout_.sum, make_load(a_, in_a)), b = make_cast(layout_.sum, make_load(b_, in_b));
        if (random_.chance(0.5)) std::swap(a, b);
        const Expr product = a * b, sum = make_load(c_, at);
        f_.store(c_, at, random_.chance(0.5) ? sum + product : product + sum);
      });
    });
  }

  void add_bias() {
    const Buffer bias = f_.parameter("bias", {make_int(n_)}, layout_.sum);
    const Buffer y = f_.parameter("Y", {make_int(m_), make_int(n_)}, layout_.sum);
    f_.grid({"i", "j"}, {make_int(m_), make_int(n_)}, [&](const std::vector<Var>& loops) {
      f_.block("Y", [&](BlockBuilder& block) {
        const Var i = block.spatial("vi", make_int(m_), loops[0]),
                  j = block.spatial("vj", make_int(n_), loops[1]);
        f_.store(y, {i, j}, make_load(c_, {i, j}) + make_load(bias, {j}));
      });
    });
  }

  Random& random_;
  const Layout& layout_;
  FunctionBuilder f_;
  std::int64_t m_ = 1, n_ = 1, k_ = 1;
  Buffer a_, b_, c_;
};

}  // namespace

Function product_program(Random& random) { return Product(random).write(); }

}  // namespace ardea::schedule
