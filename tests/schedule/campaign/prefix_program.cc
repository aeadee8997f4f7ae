#include "tests/schedule/campaign/prefix_program.h"

#include "ardea/arith/regions.h"
#include "ardea/ir/builder.h"
#include "ardea/ir/neutral_element.h"

namespace ardea::schedule {

namespace {

class Prefixes {
 public:
  explicit Prefixes(Random& random) : random_(random), f_("prefixes") {}

  Function write() {
    const Expr size = random_.chance(0.2) ? Expr(Var("n")) : make_int(random_.integer(1, 9));
    rows_ = make_int(random_.integer(1, 4));
    prefixes_ = random_.chance(0.4) ? size : make_int(random_.integer(1, 12));
    steps_ = size;
    others_ = random_.chance(0.15) ? random_.integer(2, 3) : 0;
    type_ = random_.pick(std::vector<DataType>{float32, float32, int32, float64});
    shift_ = random_.integer(-2, 2);
    std::vector<Expr> shape = {rows_, steps_};
    if (others_ > 0) shape.push_back(make_int(others_));
    source_ = f_.parameter("A", shape, type_);
    const bool has_reader = random_.chance(0.4);
    results_.push_back(has_reader ? f_.allocate("S", {rows_, prefixes_}, type_)
                                  : f_.parameter("S", {rows_, prefixes_}, type_));
    if (random_.chance(0.15)) results_.push_back(f_.parameter("M", {rows_, prefixes_}, type_));
    sum();
    if (has_reader) read();
    return arith::complete_regions(f_.build());
  }

 private:
  Expr holds(const Expr& j, const Expr& r) {
    switch (random_.integer(0, 2)) {
      case 0: return r < j + make_int(shift_);
      case 1: return j + make_int(shift_ - 1) >= r;
      default: return r - j <= make_int(shift_ - 1);
    }
  }

  Expr chosen(const Expr& condition, const Expr& term, const Expr& neutral) {
    return random_.chance(0.5) ? make_select(condition, term, neutral)
                               : make_call("if_then_else", {condition, term, neutral});
  }

  void sum() {
    // Only a prefix that has its end has a first step to start with.
    const bool in_condition = shift_ > 0 && random_.chance(0.5);
    const bool is_swapped = random_.chance(0.3);
    std::vector<std::string> names = {"i", is_swapped ? "r" : "j", is_swapped ? "j" : "r"};
    std::vector<Expr> extents = {rows_, is_swapped ? steps_ : prefixes_, is_swapped ? prefixes_ : steps_};
    if (others_ > 0) names.emplace_back("x"), extents.push_back(make_int(others_));
    f_.grid(names, extents, [&](const std::vector<Var>& loops) {
      const Var j = loops[is_swapped ? 2 : 1], r = loops[is_swapped ? 1 : 2];
      f_.block("sums", [&](BlockBuilder& block) {
        const Var vi = block.spatial("vi", rows_, loops[0]), vj = block.spatial("vj", prefixes_, j);
        const Var vr = block.reduce("vr", steps_, r);
        std::vector<Expr> at = {vi, vr};
        if (others_ > 0) at.push_back(block.reduce("vx", make_int(others_), loops[3]));
        if (in_condition) block.where(holds(j, r));
        std::vector<BinaryOp> ops;
        for (std::size_t i = 0; i < results_.size(); ++i)
          ops.push_back(random_.pick(
              std::vector<BinaryOp>{BinaryOp::add, BinaryOp::add, BinaryOp::max, BinaryOp::min}));
        const bool starts_with_neutral = random_.chance(0.7);
        block.init([&] {
          for (std::size_t i = 0; i < results_.size(); ++i)
            f_.store(results_[i], {vi, vj},
                     starts_with_neutral ? neutral_element(ops[i], type_) : make_const(1, type_));
        });
        for (std::size_t i = 0; i < results_.size(); ++i) {
          Expr term = make_load(source_, at);
          if (i == 1) term = term * make_const(2, type_);
          if (!in_condition) term = chosen(holds(vj, vr), term, neutral_element(ops[i], type_));
          f_.store(results_[i], {vi, vj}, make_binary(ops[i], make_load(results_[i], {vi, vj}), term));
        }
      });
    });
  }

  void read() {
    const Buffer out = f_.parameter("Y", {rows_, prefixes_}, type_);
    f_.grid({"i", "j"}, {rows_, prefixes_}, [&](const std::vector<Var>& loops) {
      f_.block("read", [&](BlockBuilder& block) {
        const Var vi = block.spatial("vi", rows_, loops[0]), vj = block.spatial("vj", prefixes_, loops[1]);
        f_.store(out, {vi, vj}, make_load(results_[0], {vi, vj}) * make_const(3, type_));
      });
    });
  }

  Random& random_;
  FunctionBuilder f_;
  Expr rows_, prefixes_, steps_;
  std::int64_t others_ = 0, shift_ = 0;  ///< elements of the second axis, where there is one
  DataType type_;
  Buffer source_;
  std::vector<Buffer> results_;
};

}  // namespace

Function prefix_program(Random& random) { return Prefixes(random).write(); }

}  // namespace ardea::schedule
