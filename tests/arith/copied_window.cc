#include "ardea/arith/copied_window.h"

#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/support/random.h"
#include "evaluate.h"

namespace ardea::arith {
namespace {

using Numbers = std::vector<std::int64_t>;

/// The copy of a panel of a convolution's implicit matrix: rows are output pixels, columns taps and channels.
struct Convolution {
  std::int64_t images = 3, channels = 16;
  Numbers extents = {14, 14}, kernel = {3, 3};
  std::int64_t step = 1, dilation = 1, border = 1;  ///< zeros around the image
  std::int64_t tile_rows = 8, tile_columns = 16;
  bool pads_rows = true;   ///< rows of tiles that go beyond the last pixel are zeros
  bool is_turned = false;  ///< taps go backwards, as those of transposed convolutions
  Var tile = Var("tile"), panel = Var("panel"), row = Var("row"), column = Var("column");

  Numbers out() const {
    Numbers all;
    for (std::size_t d = 0; d < extents.size(); ++d)
      all.push_back((extents[d] + 2 * border - (kernel[d] - 1) * dilation - 1) / step + 1);
    return all;
  }
  static std::int64_t product(const Numbers& numbers) {
    std::int64_t all = 1;
    for (const std::int64_t number : numbers) all *= number;
    return all;
  }
  std::int64_t rows() const { return images * product(out()); }
  std::int64_t tiles() const { return pads_rows ? (rows() + tile_rows - 1) / tile_rows : rows() / tile_rows; }
  std::int64_t panels() const { return product(kernel) * channels / tile_columns; }

  Analyzer facts() const {
    Analyzer all;
    for (const auto& [var, extent] :
         {std::pair{tile, tiles()}, {panel, panels()}, {row, tile_rows}, {column, tile_columns}})
      all.bind(var, {make_int(0), make_int(extent)});
    return all;
  }
  Buffer array() const {
    Numbers shape = {images};
    shape.insert(shape.end(), extents.begin(), extents.end());
    shape.push_back(channels);
    return make_buffer("A", shape, float16);
  }
  std::vector<Expr> indices() const {
    const Expr m = tile * tile_rows + row, k = panel * tile_columns + column;
    std::vector<Expr> all(extents.size() + 2);
    all.back() = k % make_int(channels);
    std::int64_t below = 1, taps = channels;
    const Numbers pixels = out();
    for (std::size_t d = extents.size(); d-- > 0;) {
      const Expr pixel = floor_div(m, make_int(below)) % make_int(pixels[d]);
      Expr tap = floor_div(k, make_int(taps)) % make_int(kernel[d]) * dilation;
      if (is_turned) tap = make_int((kernel[d] - 1) * dilation) - tap;
      all[d + 1] = pixel * step + tap - border;
      below *= pixels[d], taps *= kernel[d];
    }
    all[0] = floor_div(m, make_int(below));
    return all;
  }
  Expr condition() const {
    Expr all = make_bool(true);
    const auto add = [&](const Expr& e) { all = logical_and(all, e); };
    if (rows() % tile_rows != 0) add(tile * tile_rows + row < make_int(rows()));
    const std::vector<Expr> at = indices();
    if (border > 0)
      for (std::size_t d = 0; d < extents.size(); ++d) {
        add(at[d + 1] >= make_int(0));
        add(at[d + 1] < make_int(extents[d]));
      }
    return all;
  }
  std::optional<WindowCopy> copy() const { return copy(indices(), condition()); }
  std::optional<WindowCopy> copy(const std::vector<Expr>& at, const Expr& where) const {
    return copied_window(array(), at, where, row, column, facts());
  }
};

std::string text_of(const std::optional<WindowCopy>& copy) {
  if (!copy) return "none";
  std::vector<std::string> corner, tap;
  for (std::size_t d = 0; d < copy->dimensions(); ++d)
    corner.push_back(print(copy->corner[d])), tap.push_back(print(copy->tap[d]));
  return fmt::format("image {}, corner {}, channel {}, tap {}; from {} to {} beyond the end, steps {}",
                     print(copy->image), fmt::join(corner, " and "), print(copy->channel),
                     fmt::join(tap, " and "), fmt::join(copy->lower, ", "), fmt::join(copy->upper, ", "),
                     fmt::join(copy->steps, ", "));
}

TEST(CopiedWindow, is_where_windows_begin_and_what_they_see) {
  EXPECT_EQ(
      text_of(Convolution{}.copy()),
      "image tile * 2 // 49, corner tile * 4 // 7 % 14 - 1 and tile * 4 % 7 * 2 - 1, channel 0, tap panel "
      "// 3 and panel % 3; from -1, -1 to -1, -1 beyond the end, steps 1, 1");
  EXPECT_EQ(
      text_of(Convolution{.extents = {15}, .kernel = {4}, .step = 2, .border = 0}.copy()),
      "image tile * 4 // 3, corner tile * 4 % 3 * 4, channel 0, tap panel; from 0 to -4 beyond the end, "
      "steps 2");
}

/// The element that the unit brings of a window: nothing for a zero.
std::optional<Numbers> brought(const WindowCopy& copy, std::int64_t row, std::int64_t column,
                               const std::function<std::int64_t(const Expr&)>& value) {
  std::int64_t image = value(copy.image);
  Numbers corner;
  for (const Expr& e : copy.corner) corner.push_back(value(e));
  for (std::int64_t i = 0; i < row; ++i) {
    std::size_t d = copy.dimensions();
    while (d > 0 && (corner[d - 1] += copy.steps[d - 1]) >= copy.extents[d - 1] + copy.upper[d - 1]) {
      corner[d - 1] = copy.lower[d - 1];
      --d;
    }
    if (d == 0) ++image;
  }
  bool is_inside = image >= 0 && image < copy.images;
  Numbers at = {image};
  for (std::size_t d = 0; d < copy.dimensions(); ++d) {
    at.push_back(corner[d] + value(copy.tap[d]));
    is_inside = is_inside && at.back() >= 0 && at.back() < copy.extents[d];
  }
  at.push_back(value(copy.channel) + column);
  is_inside = is_inside && at.back() >= 0 && at.back() < copy.channels;
  return is_inside ? std::optional(at) : std::nullopt;
}

/// For some values of the variables: the elements are those of the indices, zeros are where the condition
/// says so, and the numbers are those that the unit counts.
void expect_right(const Convolution& c, const WindowCopy& copy, const std::vector<Expr>& indices,
                  const Expr& condition, Random& random) {
  const WindowLimits limits = window_limits(copy.dimensions());
  for (std::size_t d = 0; d < copy.dimensions(); ++d)
    for (const std::int64_t corner : {copy.lower[d], copy.upper[d]})
      EXPECT_TRUE(corner >= limits.lowest && corner <= limits.highest);
  for (int sample = 0; sample < 40; ++sample) {
    const std::int64_t tile = random.integer(0, c.tiles() - 1), panel = random.integer(0, c.panels() - 1),
                       row = random.integer(0, c.tile_rows - 1),
                       column = random.integer(0, c.tile_columns - 1);
    const auto value_in = [&](const Expr& e, std::int64_t r, std::int64_t l) {
      return arith_tests::evaluate(e, {{c.tile, tile}, {c.panel, panel}, {c.row, r}, {c.column, l}});
    };
    const auto value = [&](const Expr& e) { return value_in(e, 0, 0); };
    for (std::size_t d = 0; d < copy.dimensions(); ++d) {
      EXPECT_GE(value(copy.corner[d]), copy.lower[d]);
      EXPECT_LT(value(copy.corner[d]), copy.extents[d] + copy.upper[d]);
      EXPECT_GE(value(copy.tap[d]), 0);
      EXPECT_LE(value(copy.tap[d]), limits.farthest_tap);
    }
    const auto got = brought(copy, row, column, value);
    if (value_in(condition, row, column) == 0) {
      EXPECT_FALSE(got.has_value());
      continue;
    }
    Numbers meant;
    for (const Expr& index : indices) meant.push_back(value_in(index, row, column));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(*got, meant);
  }
}

Convolution by_chance(Random& random) {
  Convolution c{.images = random.integer(1, 4), .channels = 16 * random.integer(1, 3)};
  c.extents = c.kernel = {};
  for (std::int64_t dimensions = random.integer(1, 3), d = 0; d < dimensions; ++d) {
    c.extents.push_back(random.integer(6, dimensions == 3 ? 9 : 24));
    c.kernel.push_back(random.integer(1, 3));
  }
  c.step = random.integer(1, 3), c.dilation = random.integer(1, 2), c.border = random.integer(0, 2);
  c.tile_rows = std::int64_t{1} << random.integer(2, 6);
  c.is_turned = random.integer(0, 3) == 0;
  return c;
}

TEST(CopiedWindow, is_proved_of_convolutions_by_chance) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Convolution c = by_chance(random);
    const auto copy = c.copy();
    EXPECT_TRUE(copy.has_value()) << "seed " << seed;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, text_of(copy)));
    if (copy) expect_right(c, *copy, c.indices(), c.condition(), random);
  }
}

/// What is nearly a convolution's copy is refused, or is one still.
TEST(CopiedWindow, is_right_where_something_is_changed_by_chance) {
  int refused = 0, found = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const Convolution c = by_chance(random);
    std::vector<Expr> indices = c.indices();
    Expr condition = c.condition();
    const auto d = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(indices.size()) - 2));
    const std::int64_t extent = constant_int(c.array()->shape[d]).value();
    switch (random.integer(0, 4)) {
      case 0: condition = logical_and(condition, indices[d] < make_int(extent - 1)); break;
      case 1: condition = logical_and(condition, indices[d] >= make_int(1)); break;
      case 2: indices[d] = indices[d] + c.row % make_int(2); break;
      case 3: std::swap(indices[0], indices[d]); break;
      default: indices[d] = make_int(extent - 1) - indices[d];
    }
    // What is read outside of the array has no meaning.
    for (std::size_t i = 0; i < indices.size(); ++i)
      condition =
          logical_and(condition, logical_and(indices[i] >= make_int(0), indices[i] < c.array()->shape[i]));
    const auto copy = c.copy(indices, condition);
    ++(copy ? found : refused);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, text_of(copy)));
    if (copy) expect_right(c, *copy, indices, condition, random);
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(found, 40);
}

TEST(CopiedWindow, is_none_where_elements_are_none) {
  EXPECT_NE(text_of(Convolution{}.copy()), "none");
  // A panel has channels of one tap.
  EXPECT_EQ(text_of(Convolution{.channels = 24}.copy()), "none");
  // Channels are the last dimension.
  const Convolution c;
  std::vector<Expr> indices = c.indices();
  std::swap(indices[1], indices[3]);
  EXPECT_EQ(text_of(copied_window(make_buffer("A", {3, 16, 14, 14}, float16), indices, c.condition(), c.row,
                                  c.column, c.facts())),
            "none");
  // Zeros are meant where the array has elements.
  indices = c.indices();
  EXPECT_EQ(text_of(c.copy(indices, logical_and(c.condition(), indices[2] < make_int(13)))), "none");
  EXPECT_EQ(text_of(c.copy(indices, logical_and(c.condition(), c.row < make_int(7)))), "none");
  EXPECT_EQ(text_of(c.copy(indices, logical_and(c.condition(), c.column < make_int(15)))), "none");
  // Columns go with the rows.
  indices[3] = c.column + c.row;
  EXPECT_EQ(text_of(c.copy(indices, c.condition())), "none");
  EXPECT_EQ(
      text_of(copied_window(
          make_buffer("A", std::vector<Expr>{Var("n"), make_int(14), make_int(14), make_int(16)}, float16),
          c.indices(), c.condition(), c.row, c.column, c.facts())),
      "none");
}

TEST(CopiedWindow, is_none_where_the_unit_counts_no_so_far_corners_taps_or_steps) {
  // Of two dimensions 128 pixels, of three 16, and twice as far for taps.
  EXPECT_NE(
      text_of(Convolution{.extents = {200, 300}, .kernel = {2, 2}, .dilation = 128, .border = 64}.copy()),
      "none");
  EXPECT_EQ(
      text_of(Convolution{.extents = {200, 300}, .kernel = {2, 2}, .dilation = 129, .border = 129}.copy()),
      "none");
  EXPECT_NE(
      text_of(Convolution{.extents = {200, 300}, .kernel = {2, 2}, .dilation = 255, .border = 127}.copy()),
      "none");
  EXPECT_EQ(
      text_of(Convolution{.extents = {200, 300}, .kernel = {2, 2}, .dilation = 256, .border = 128}.copy()),
      "none");
  EXPECT_NE(
      text_of(Convolution{.extents = {8, 8, 30}, .kernel = {1, 1, 2}, .dilation = 16, .border = 0}.copy()),
      "none");
  EXPECT_EQ(
      text_of(Convolution{.extents = {8, 8, 30}, .kernel = {1, 1, 2}, .dilation = 17, .border = 0}.copy()),
      "none");
  EXPECT_NE(text_of(Convolution{.extents = {30, 30}, .step = 8}.copy()), "none");
  EXPECT_EQ(text_of(Convolution{.extents = {30, 30}, .step = 9}.copy()), "none");
}

}  // namespace
}  // namespace ardea::arith
