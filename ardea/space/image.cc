#include "ardea/space/image.h"

#include <algorithm>

#include "ardea/space/evaluate.h"
#include "ardea/support/overloaded.h"

namespace ardea::space {
namespace {

using WideValue = __int128;

/// So many tuples of operands are tried one by one.
constexpr std::uint64_t most_tuples = 256;

class Image {
 public:
  Image(const Store& store, const Body& definition)
      : store_(store), definition_(definition), result_(result_of(definition)->variable().index) {}

  bool is_left() {
    if (const auto* x = std::get_if<Extreme>(&definition_)) return all_left(*x);
    for_each_operand(definition_, [&](const Operand& operand) {
      if (!operand.is_variable()) return;
      const int v = operand.variable().index;
      if (v != result_ && !store_.fixed(v) && std::find(open_.begin(), open_.end(), v) == open_.end())
        open_.push_back(v);
    });
    // The ends first: most of what is forbidden is forbidden there.
    values_ = store_.state().low;
    if (!gives_one()) return false;
    for (const int v : open_) at(v) = store_.high(v);
    if (!gives_one()) return false;
    return can_be_tried() ? each_gives_one(0) : hull_is_left();
  }

 private:
  std::int64_t& at(int v) { return values_[static_cast<std::size_t>(v)]; }
  std::int64_t low(const Operand& x) const {
    return x.is_variable() ? store_.low(x.variable().index) : x.number();
  }
  std::int64_t high(const Operand& x) const {
    return x.is_variable() ? store_.high(x.variable().index) : x.number();
  }

  bool gives_one() const {
    const auto value = value_of(definition_, values_);
    return value && is_left(*value);
  }

  bool is_left(std::int64_t value) const { return store_.contains(result_, value); }

  /// Every number between the two.
  bool are_left(WideValue least, WideValue most) const {
    if (least < store_.low(result_) || most > store_.high(result_)) return false;
    if (!store_.layout().is_listed(result_)) {
      const std::vector<Range>& ranges = store_.layout().domain(result_).ranges();
      return std::any_of(ranges.begin(), ranges.end(),
                         [&](const Range& range) { return range.low <= least && most <= range.high; });
    }
    if (most - least >= static_cast<WideValue>(store_.count(result_))) return false;
    for (WideValue value = least; value <= most; ++value)
      if (!store_.contains(result_, static_cast<std::int64_t>(value))) return false;
    return true;
  }

  bool can_be_tried() const {
    std::uint64_t tuples = 1;
    for (const int v : open_) {
      if (!store_.layout().is_listed(v)) return false;
      tuples *= store_.count(v);
      if (tuples > most_tuples) return false;
    }
    return true;
  }

  bool each_gives_one(std::size_t next) {
    if (next == open_.size()) return gives_one();
    bool all = true;
    store_.for_each(open_[next], [&](std::int64_t value) {
      if (!all) return;
      at(open_[next]) = value;
      all = each_gives_one(next + 1);
    });
    return all;
  }

  /// An operand's value is the largest of all only where it is no less than the least of each.
  bool all_left(const Extreme& x) const {
    std::int64_t least = low(x.operands[0]), most = high(x.operands[0]);
    for (const Operand& operand : x.operands) {
      least = x.largest ? std::max(least, low(operand)) : least;
      most = x.largest ? most : std::min(most, high(operand));
    }
    const auto can_be = [&](std::int64_t value) { return x.largest ? value >= least : value <= most; };
    return std::all_of(x.operands.begin(), x.operands.end(), [&](const Operand& operand) {
      if (!operand.is_variable()) return !can_be(operand.number()) || is_left(operand.number());
      const int v = operand.variable().index;
      if (store_.layout().is_listed(v)) {
        bool all = true;
        store_.for_each(v, [&](std::int64_t value) { all = all && (!can_be(value) || is_left(value)); });
        return all;
      }
      const std::int64_t from = x.largest ? std::max(least, low(operand)) : low(operand);
      const std::int64_t to = x.largest ? high(operand) : std::min(most, high(operand));
      return from > to || are_left(from, to);
    });
  }

  bool hull_is_left() const {
    return std::visit(
        overloaded{[&](const Linear& x) {
                     WideValue least = x.constant, most = x.constant;
                     for (const auto& [coefficient, variable] : x.terms) {
                       const WideValue a = static_cast<WideValue>(coefficient) * low(variable),
                                       b = static_cast<WideValue>(coefficient) * high(variable);
                       least += std::min(a, b);
                       most += std::max(a, b);
                     }
                     return are_left(least, most);
                   },
                   [&](const Product& x) { return product_is_left(x); },
                   [&](const Truth&) { return are_left(0, 1); }, [](const auto&) { return false; }},
        definition_);
  }

  /// Of factors that are not negative, as sizes are.
  bool product_is_left(const Product& x) const {
    WideValue least = 1, most = 1;
    for (const Operand& factor : x.factors) {
      if (low(factor) < 0) return false;
      least *= low(factor);
      most *= std::max<std::int64_t>(high(factor), 1);  // with a 0 among them it is 0, and no more
      if (most > largest_value) return false;
    }
    return are_left(least, most);
  }

  const Store& store_;
  const Body& definition_;
  int result_;
  std::vector<int> open_;
  Point values_;
};

}  // namespace

bool gives_a_value_left(const Store& store, const Body& definition) {
  return Image(store, definition).is_left();
}

}  // namespace ardea::space
