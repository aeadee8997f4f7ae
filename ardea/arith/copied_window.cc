#include "ardea/arith/copied_window.h"

#include <algorithm>

#include "ardea/arith/copied_box.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/layout.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

/// A dividend as ⌊(first + row) / divisor⌋.
struct CountedRows {
  Expr first;
  std::int64_t divisor = 1;
};

/// The windows are numbered: number first + row, of which each dimension of an image has a digit, the last
/// one the lowest. What the first is, and how many each dimension has, is guessed from the divisions that are
/// there, and then proved.
class WindowsOfArray {
 public:
  WindowsOfArray(const std::vector<std::int64_t>& shape, std::vector<Expr> indices, const Expr& condition,
                 const Var& row, const Var& column, const Analyzer& facts)
      : shape_(shape),
        indices_(std::move(indices)),
        condition_(condition),
        row_(row),
        column_(column),
        facts_(facts),
        where_meant_(facts),
        rows_meant_(facts) {
    if (!condition_.defined()) return;
    where_meant_.assume(condition_);
    // Where windows see nothing anywhere the condition's other parts contradict each other.
    visit_exprs(condition_, [&](const Expr& e) {
      const auto* compared = e.as<Binary>();
      if (compared != nullptr && compared->op == BinaryOp::lt && uses(compared->left, row_) &&
          counted_rows(as_index(compared->left)))
        rows_meant_.assume(e);
    });
  }

  std::optional<WindowCopy> find() {
    const Expr channel = facts_.simplify(at_first(indices_.back(), column_));
    if (uses(channel, row_) || !where_meant_.proves(equals(indices_.back(), channel + as_index(column_))))
      return std::nullopt;
    // What holds where something is meant may hide how indices count, or show it.
    for (const Analyzer* known : std::initializer_list<const Analyzer*>{&facts_, &where_meant_})
      if (auto copy = found_knowing(*known, channel)) return copy;
    return std::nullopt;
  }

 private:
  std::optional<WindowCopy> found_knowing(const Analyzer& known, const Expr& channel) {
    known_ = &known;
    for (std::size_t d = 0; d + 1 < indices_.size(); ++d) {
      indices_[d] = known.simplify(indices_[d]);
      if (uses(indices_[d], column_)) return std::nullopt;
    }
    for (const Expr& first : possible_firsts())
      if (auto copy = counted_from(first, channel)) return copy;
    return std::nullopt;
  }

  static Expr at_first(const Expr& e, const Var& var) { return substitute(e, var, make_int(0, var.type())); }

  /// Of dividends in indices, and of what the condition compares.
  std::vector<Expr> possible_firsts() const {
    std::vector<Expr> all;
    const auto add = [&](const Expr& e) {
      if (!uses(e, row_)) return;
      const auto counted = counted_rows(as_index(e));
      if (counted && std::none_of(all.begin(), all.end(), [&](const Expr& known) {
            return structurally_equal(known, counted->first);
          }))
        all.push_back(counted->first);
    };
    const auto add_divisions = [&](const Expr& e) {
      const auto* binary = e.as<Binary>();
      if (binary != nullptr && (binary->op == BinaryOp::floor_div || binary->op == BinaryOp::floor_mod))
        add(binary->left);
    };
    for (std::size_t d = 0; d + 1 < indices_.size(); ++d) visit_exprs(indices_[d], add_divisions);
    if (condition_.defined())
      visit_exprs(condition_, [&](const Expr& e) {
        add_divisions(e);
        const auto* binary = e.as<Binary>();
        if (binary != nullptr && is_comparison(binary->op)) add(binary->left);
      });
    // Where tiles have whole lines no index needs to count across them.
    all.push_back(make_int(0));
    return all;
  }

  /// Nothing of what grows otherwise.
  std::optional<CountedRows> counted_rows(const Expr& e) const {
    const Expr begin = facts_.simplify(at_first(e, row_));
    if (facts_.proves(equals(e, begin + as_index(row_)))) return CountedRows{begin, 1};
    // c + (first + row) // divisor
    std::optional<CountedRows> found;
    visit_exprs(e, [&](const Expr& part) {
      const auto* quotient = part.as<Binary>();
      if (found || quotient == nullptr || quotient->op != BinaryOp::floor_div || !uses(part, row_)) return;
      const auto divisor = constant_int(quotient->right);
      const Expr rest = facts_.simplify(e - as_index(part));
      if (!divisor || *divisor < 1 || uses(rest, row_)) return;
      const auto inner = counted_rows(as_index(quotient->left));
      if (!inner) return;
      const std::int64_t all = inner->divisor * *divisor;
      found = CountedRows{facts_.simplify(inner->first + rest * all), all};
    });
    return found;
  }

  std::optional<WindowCopy> counted_from(const Expr& first, const Expr& channel) const {
    const std::size_t dimensions = shape_.size() - 2;
    WindowCopy copy;
    copy.images = shape_.front(), copy.channels = shape_.back(), copy.channel = channel;
    copy.extents.assign(shape_.begin() + 1, shape_.end() - 1);
    copy.corner.resize(dimensions), copy.tap.resize(dimensions);
    copy.lower.resize(dimensions), copy.upper.resize(dimensions), copy.steps.resize(dimensions);
    std::vector<Expr> seen(shape_.size());
    seen.back() = channel + as_index(column_);
    return with_dimensions(copy, dimensions, first, /*below=*/1, seen);
  }

  /// The copy with the first so many dimensions, whose digits count as `below` windows and more; `seen` is
  /// where the elements lie in the others.
  std::optional<WindowCopy> with_dimensions(WindowCopy copy, std::size_t count, const Expr& first,
                                            std::int64_t below, std::vector<Expr> seen) const {
    const Expr above = floor_div(first + as_index(row_), make_int(below));
    if (count == 0) {
      // Of one image all windows that are meant are.
      for (const Expr& image : {known_->simplify(indices_[0] - above), make_int(0)}) {
        if (uses(image, row_)) continue;
        copy.image = facts_.simplify(image + floor_div(first, make_int(below)));
        seen[0] = image + above;
        if (is_what_is_meant(seen)) return copy;
      }
      return std::nullopt;
    }
    const std::size_t d = count - 1;
    for (const DigitOfWindow& digit : possible_digits(indices_[d + 1], above)) {
      if (!put(copy, d, digit)) continue;
      const auto place = [&](const Expr& number) { return number % make_int(digit.count) * digit.step; };
      copy.corner[d] = facts_.simplify(place(floor_div(first, make_int(below))) + copy.lower[d]);
      seen[d + 1] = place(above) + copy.lower[d] + copy.tap[d];
      if (auto whole = with_dimensions(copy, d, first, below * digit.count, seen)) return whole;
    }
    return std::nullopt;
  }

  struct DigitOfWindow {
    std::int64_t count = 1, step = 1;
    Expr tap;  ///< what the index has beside the digit's steps
  };

  /// The lowest of the number `above`, of which the index may be made.
  std::vector<DigitOfWindow> possible_digits(const Expr& index, const Expr& above) const {
    std::vector<DigitOfWindow> all;
    if (!uses(index, row_)) all.push_back({.tap = index});
    const auto add = [&](std::int64_t count, const Expr& digit) {
      for (std::int64_t step = 1; step <= WindowLimits::longest_step; ++step) {
        const Expr tap = known_->simplify(index - digit * make_int(step));
        if (!uses(tap, row_)) return all.push_back({count, step, tap});
      }
    };
    visit_exprs(index, [&](const Expr& e) {
      const auto* remainder = e.as<Binary>();
      if (remainder == nullptr || remainder->op != BinaryOp::floor_mod || !uses(e, row_)) return;
      if (const auto count = constant_int(remainder->right)) add(*count, above % make_int(*count));
    });
    // One that has one value only where something is meant, so that the index does not tell.
    if (condition_.defined() && !uses(index, row_))
      visit_exprs(condition_, [&](const Expr& e) {
        const auto* remainder = e.as<Binary>();
        if (remainder == nullptr || remainder->op != BinaryOp::floor_mod || !uses(e, row_)) return;
        const auto count = constant_int(remainder->right);
        if (!count || *count < 1) return;
        const ConstantBounds values = where_meant_.constant_bounds(above % make_int(*count));
        if (values.low && values.low == values.high)
          all.push_back({*count, 1, known_->simplify(index - make_int(*values.low))});
      });
    // One that never begins again, or not where something is meant.
    for (const Analyzer* facts : std::initializer_list<const Analyzer*>{&facts_, &where_meant_, &rows_meant_})
      if (const auto most = facts->constant_bounds(above).high; most && *most >= 0) add(*most + 1, above);
    return all;
  }

  /// Whether the unit counts so far.
  bool put(WindowCopy& copy, std::size_t d, const DigitOfWindow& digit) const {
    const ConstantBounds taps = facts_.constant_bounds(digit.tap);
    if (!taps.low || !taps.high) return false;
    const WindowLimits limits = window_limits(copy.dimensions());
    copy.lower[d] = *taps.low;
    copy.upper[d] = (digit.count - 1) * digit.step + 1 - copy.extents[d] + copy.lower[d];
    copy.steps[d] = digit.step;
    copy.tap[d] = facts_.simplify(digit.tap - *taps.low);
    return copy.lower[d] >= limits.lowest && copy.lower[d] <= limits.highest &&
           copy.upper[d] >= limits.lowest && copy.upper[d] <= limits.highest &&
           *taps.high - *taps.low <= limits.farthest_tap;
  }

  bool is_what_is_meant(const std::vector<Expr>& seen) const {
    for (std::size_t d = 0; d < seen.size(); ++d)
      if (!where_meant_.proves(equals(indices_[d], seen[d]))) return false;
    if (!condition_.defined()) return true;
    Analyzer inside = facts_;
    for (std::size_t d = 0; d < seen.size(); ++d)
      for (const Expr& bound : {seen[d] >= make_int(0), seen[d] < make_int(shape_[d])}) {
        if (inside.prove(bound) == Proof::refuted) return true;  // it never is
        inside.assume(bound);
      }
    return inside.proves(condition_);
  }

  const std::vector<std::int64_t>& shape_;
  std::vector<Expr> indices_;
  const Expr& condition_;
  const Var &row_, &column_;
  const Analyzer& facts_;
  Analyzer where_meant_,
      rows_meant_;                   ///< facts where the condition holds, and where what it says of rows does
  const Analyzer* known_ = &facts_;  ///< by which guesses are made
};

}  // namespace

std::optional<WindowCopy> copied_window(const Buffer& array, const std::vector<Expr>& indices,
                                        const Expr& condition, const Var& row, const Var& column,
                                        const Analyzer& facts) {
  const std::size_t rank = array->shape.size();
  const auto extents = extents_for_unit(array);
  if (rank < 3 || rank > most_image_dimensions + 2 || indices.size() != rank || !extents) return std::nullopt;
  std::vector<Expr> wide;
  for (const Expr& index : indices) wide.push_back(as_index(index));
  return WindowsOfArray(*extents, std::move(wide), condition, row, column, facts).find();
}

}  // namespace ardea::arith
