#include "tests/schedule/campaign/row_chain.h"

#include "ardea/arith/regions.h"
#include "ardea/ir/builder.h"

namespace ardea::schedule {

namespace {

class RowChain {
 public:
  explicit RowChain(Random& random) : random_(random), builder_("main") {}

  Function run() {
    const bool symbolic = random_.chance(0.25);
    rows_ = make_int(random_.integer(1, 6));
    columns_ = symbolic ? Expr(Var("n")) : make_int(random_.integer(1, 7));
    source_ = builder_.parameter("A", {rows_, columns_});
    weights_ = builder_.parameter("B", {columns_});
    const std::int64_t stages = random_.integer(1, 3);
    for (std::int64_t s = 0; s < stages; ++s) stage(std::to_string(s), s + 1 == stages);
    return arith::complete_regions(builder_.build());
  }

 private:
  void stage(const std::string& suffix, bool last) {
    const std::vector<Expr> shape = {rows_, columns_};
    const Buffer result = last ? builder_.parameter("Y", shape) : builder_.allocate("C" + suffix, shape);
    const bool in_block = random_.chance(0.8);
    Buffer shared;
    if (!in_block) shared = builder_.allocate("M" + suffix, {columns_});
    builder_.loop("i", make_int(0), rows_, [&](const Var& i) {
      if (!in_block) return row(suffix, i, shared, result, false);
      builder_.block("row" + suffix, [&](BlockBuilder& block) {
        const Var vi = block.spatial("vi", rows_, i);
        row(suffix, vi, builder_.allocate("L" + suffix, {columns_}), result, true);
      });
    });
    source_ = result;
  }

  /// Fill and use of one row; `i` is a loop, or the iterator of a block around both.
  void row(const std::string& suffix, const Var& i, const Buffer& filled, const Buffer& result,
           bool in_block) {
    const bool depends = random_.chance(0.2);
    const bool sums = random_.chance(0.3);
    const Buffer source = source_;
    builder_.loop("k", make_int(0), columns_, [&](const Var& k) {
      builder_.block("fill" + suffix, [&](BlockBuilder& block) {
        const Var vk = block.spatial("vk", columns_, k);
        Var vi = i;
        // Every row writes the same elements.
        if (depends && !in_block) vi = block.iterator("vi", {make_int(0), rows_}, IteratorKind::ordered, i);
        const Expr value = depends ? make_load(source, {vi, vk}) : make_load(weights_, {vk});
        builder_.store(filled, {vk}, value * make_float(2) + make_float(1));
      });
    });
    if (sums) return sum(suffix, i, filled, result, in_block);
    const double order = random_.real();
    const std::int64_t by = random_.integer(1, 3);
    builder_.loop("j", make_int(0), columns_, [&](const Var& j) {
      builder_.block("use" + suffix, [&](BlockBuilder& block) {
        const Var vj = block.spatial("vj", columns_, j);
        Var vi = i;
        if (!in_block) vi = block.spatial("vi", rows_, i);
        if (order < 0.25) {  // held at the end of the row, in both
          const Expr at = min(vj + by, columns_ - 1);
          builder_.store(result, {vi, vj}, make_load(source, {vi, at}) + make_load(filled, {at}));
          return;
        }
        const Expr at = order < 0.5 ? columns_ - 1 - vj : Expr(vj);
        builder_.store(result, {vi, vj}, make_load(source, {vi, vj}) + make_load(filled, {at}));
      });
    });
  }

  void sum(const std::string& suffix, const Var& i, const Buffer& filled, const Buffer& result,
           bool in_block) {
    builder_.grid({"j", "k"}, {columns_, columns_}, [&](const std::vector<Var>& loops) {
      builder_.block("use" + suffix, [&](BlockBuilder& block) {
        Var vi = i;
        if (!in_block) vi = block.spatial("vi", rows_, i);
        const Var vj = block.spatial("vj", columns_, loops[0]), vk = block.reduce("vk", columns_, loops[1]);
        block.init([&] { builder_.store(result, {vi, vj}, make_float(0)); });
        builder_.store(result, {vi, vj},
                       make_load(result, {vi, vj}) + make_load(source_, {vi, vk}) * make_load(filled, {vj}));
      });
    });
  }

  Random& random_;
  FunctionBuilder builder_;
  Expr rows_, columns_;
  Buffer source_, weights_;
};

}  // namespace

Function row_chain(Random& random) { return RowChain(random).run(); }

}  // namespace ardea::schedule
