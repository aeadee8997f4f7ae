#include "ardea/rules/gpu/elements.h"

#include <algorithm>

#include "ardea/rules/analysis/stage.h"
#include "ardea/rules/model/block_threads.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/program/tree.h"

namespace ardea::rules {

using namespace schedule;

namespace {

/// Vectors that one thread may take: all are under way at once.
constexpr std::int64_t most_vectors_of_thread = 8;
/// By the model: with all threads of a core they are more bytes under way than memory takes to answer, and
/// the indices are computed once for all of them.
constexpr std::int64_t usual_vectors_of_thread = 4;

class ElementThreads {
 public:
  ElementThreads(Derivation& d, const Stage& stage)
      : d_(d),
        s_(d.steps()),
        stage_(stage),
        name_(path_to(s_.program(), stage.block)->block().name),
        threads_(usual_block_threads(d.target())),
        lanes_(widest_lanes()) {}

  void run() {
    const LoopRef all = s_.loops(Fuse{s_.get_loops(stage_.block)})[0];
    if (cuts_rest())
      cut(all);
    else
      use_threads(all, d_.number(name_ + "_lanes", powers_of_two(lanes_), model_lanes()));
    d_.finish(stage_.block);
  }

 private:
  const target::Target& target() const { return d_.target(); }
  bool is_known() const {
    for (std::size_t i = 0; i < stage_.extents.size(); ++i)
      if (!stage_.is_known(i)) return false;
    return true;
  }

  /// Of the widest of the types that are read or written: all accesses are then one each.
  std::int64_t widest_lanes() const {
    int bits = stage_.out->type.bits;
    for (const Load& load : stage_.loads) bits = std::max<int>(bits, load.buffer->type.bits);
    return access_lanes(bits, target());
  }

  /// Whether every core has a block, and each of its threads so many elements.
  bool is_enough(std::int64_t elements_of_thread) const {
    return stage_.elements() >= elements_of_thread * threads_ * target().cores;
  }

  /// Vectors that leave nothing over, of which every core has some.
  std::int64_t model_lanes() const {
    std::int64_t lanes = lanes_;
    while (lanes > 1 && (!is_enough(lanes) || (is_known() && stage_.elements() % lanes != 0))) lanes /= 2;
    return lanes;
  }

  /// Where whole vectors leave something over. By the model of what has many: then a launch more is nothing.
  bool cuts_rest() {
    if (!is_known() || lanes_ == 1 || stage_.elements() % lanes_ == 0 || stage_.elements() < lanes_)
      return false;
    return d_.way(name_ + " left over", {"guarded", "a launch of its own"},
                  is_enough(usual_vectors_of_thread * lanes_) ? 1 : 0) == 1;
  }

  void cut(const LoopRef& all) {
    const std::int64_t whole = stage_.elements() / lanes_;
    const auto parts = s_.loops(Split{.loop = all, .factors = {std::nullopt, lanes_}, .tail = "cut"});
    bind_vectors(parts[0], whole, parts[1]);
    s_.apply(Bind{parts[2], "threadIdx.x"});
  }

  void use_threads(const LoopRef& all, const Number& lanes) {
    const auto parts = s_.loops(Split{all, {std::nullopt, lanes}});
    bind_vectors(parts[0], stage_.elements(), parts[1]);
  }

  /// Neighbouring threads take neighbouring vectors, and all threads of a block the next ones after that.
  void bind_vectors(const LoopRef& vectors, std::int64_t most, const LoopRef& lanes) {
    const std::int64_t model = is_enough(usual_vectors_of_thread * lanes_) ? usual_vectors_of_thread : 1;
    const Number threads = d_.number(name_ + "_threads", block_threads(target()), threads_);
    const Number rounds =
        d_.number(name_ + "_vectors", powers_of_two(std::min(most, most_vectors_of_thread)), model);
    const auto parts = s_.loops(Split{vectors, {std::nullopt, rounds, threads}});
    s_.apply(Reorder{{parts[0], parts[2], parts[1]}});
    s_.apply(Bind{parts[0], "blockIdx.x"});
    s_.apply(Bind{parts[2], "threadIdx.x"});
    s_.apply(Unroll{parts[1]});
    s_.apply(Vectorize{lanes});
  }

  Derivation& d_;
  Schedule& s_;
  const Stage& stage_;
  std::string name_;
  std::int64_t threads_, lanes_;
};

bool is_for_threads(const Derivation& d, const BlockRef& block) {
  if (!d.target().gpu) return false;
  const auto stage = plain_stage(d.steps().program(), block, Lengths::any);
  return stage && !stage->reduces();
}

}  // namespace

Rule elements_by_threads() {
  return {.name = "elements by threads",
          .doc = "each element for itself, some vectors a thread",
          .applies = is_for_threads,
          .apply = [](Derivation& d, const BlockRef& block) {
            const Stage stage = *plain_stage(d.steps().program(), block, Lengths::any);
            ElementThreads(d, stage).run();
          }};
}

}  // namespace ardea::rules
