#include "tests/interp/programs.h"

#include <fmt/ranges.h>

#include "ardea/support/random.h"

/// Copies of what windows see of images, beside loops of this test.

namespace ardea::interp {
namespace {

using Counts = std::vector<std::int64_t>;

/// Of 2 images of 3 x 4 pixels of 8 channels, unless said otherwise; one zero around them, windows of 3 x 3.
struct Windows {
  std::int64_t image = 0, channel = 0, images = 2, channels = 8;
  Counts corner = {-1, -1}, tap = {0, 0}, extents = {3, 4}, lower = {-1, -1}, upper = {-1, -1},
         steps = {1, 1};
  std::int64_t box_windows = 4, box_channels = 8;
  bool is_swizzled = false;

  std::int64_t elements() const {
    std::int64_t all = images * channels;
    for (const std::int64_t extent : extents) all *= extent;
    return all;
  }
  std::string arguments() const {
    return fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}", image, fmt::join(corner, ", "),
                       channel, fmt::join(tap, ", "), images, fmt::join(extents, ", "), channels,
                       fmt::join(lower, ", "), fmt::join(upper, ", "), fmt::join(steps, ", "), box_windows,
                       box_channels, is_swizzled ? 1 : 0);
  }
};

/// Windows of A to shared memory, which held sevens, and all of that to B.
Function copying(const Windows& w, const std::string& after = "    T.async_commit()\n    T.async_wait(0)\n") {
  const std::int64_t elements = w.box_windows * w.box_channels;
  return program(fmt::format(
      R"(def main(A: T.Buffer(({0},), "float16"), B: T.Buffer(({1},), "float16")):
    S = T.allocate([{1}], "float16", "shared")
    S_1 = T.Buffer(({1},), "float16", data=S, scope="shared")
    for i in range({1}):
        S_1[i] = T.float16(7)
    T.async_copy_window(T.address_of(S_1[0]), T.address_of(A[0]), {2})
{3}    for i in range({1}):
        B[i] = S_1[i]
)",
      w.elements(), elements, w.arguments(), after));
}

runtime::Array numbered(const Windows& w) {
  const runtime::Array a = zeros(float16, {w.elements()});
  for (std::int64_t i = 0; i < a.element_count(); ++i) a.set_float(i, static_cast<double>(1 + i % 2000));
  return a;
}

std::vector<double> copied(const Windows& w) {
  const runtime::Array to = zeros(float16, {w.box_windows * w.box_channels});
  run(copying(w), {numbered(w), to});
  return elements(to);
}

/// By the windows' numbers, of which each dimension has a digit.
std::vector<double> expected(const Windows& w) {
  const std::size_t dimensions = w.extents.size();
  Counts counts(dimensions);
  std::int64_t in_image = 1, first = 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    counts[d] = (w.extents[d] + w.upper[d] - w.lower[d] + w.steps[d] - 1) / w.steps[d];
    in_image *= counts[d];
    first = first * counts[d] + (w.corner[d] - w.lower[d]) / w.steps[d];
  }
  std::vector<double> all(static_cast<std::size_t>(w.box_windows * w.box_channels), 7);
  for (std::int64_t i = 0; i < w.box_windows; ++i) {
    const std::int64_t image = w.image + (first + i) / in_image;
    bool is_inside = image >= 0 && image < w.images;
    std::int64_t rest = (first + i) % in_image;
    Counts at(dimensions);
    for (std::size_t d = dimensions; d-- > 0; rest /= counts[d]) {
      at[d] = w.lower[d] + rest % counts[d] * w.steps[d] + w.tap[d];
      is_inside = is_inside && at[d] >= 0 && at[d] < w.extents[d];
    }
    std::int64_t pixel = image;
    for (std::size_t d = 0; d < dimensions; ++d) pixel = pixel * w.extents[d] + at[d];
    for (std::int64_t j = 0; j < w.box_channels; ++j) {
      const std::int64_t channel = w.channel + j;
      const std::int64_t place = w.is_swizzled ? ((j / 8) ^ (i % 8)) * 8 + j % 8 : j;
      all[static_cast<std::size_t>(i * w.box_channels + place)] =
          is_inside && channel >= 0 && channel < w.channels
              ? static_cast<double>(1 + (pixel * w.channels + channel) % 2000)
              : 0;
    }
  }
  return all;
}

std::string refusal_of(const Windows& w,
                       const std::string& after = "    T.async_commit()\n    T.async_wait(0)\n") {
  const runtime::Array to = zeros(float16, {w.box_windows * w.box_channels});
  return error_of([&] { run(copying(w, after), {numbered(w), to}); });
}

/// The first channels: what they are of is a number of a pixel.
std::vector<double> pixels(const Windows& w) {
  std::vector<double> all;
  const std::vector<double> elements = copied(w);
  for (std::size_t i = 0; i < elements.size(); i += static_cast<std::size_t>(w.box_channels))
    all.push_back(elements[i] == 0 ? -1 : (elements[i] - 1) / 8);
  return all;
}

TEST(WindowCopies, bring_a_pixel_of_each_window) {
  EXPECT_EQ(pixels({.tap = {1, 1}, .box_windows = 6}), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(pixels({.tap = {0, 0}, .box_windows = 6}), (std::vector<double>{-1, -1, -1, -1, -1, 0}));
  EXPECT_EQ(pixels({.tap = {2, 2}, .box_windows = 6}), (std::vector<double>{5, 6, 7, -1, 9, 10}));
}

TEST(WindowCopies, go_on_in_the_next_image_and_end_with_the_last) {
  EXPECT_EQ(pixels({.corner = {1, 1}, .tap = {1, 1}}), (std::vector<double>{10, 11, 12, 13}));
  EXPECT_EQ(pixels({.image = 1, .corner = {1, 1}, .tap = {1, 1}}), (std::vector<double>{22, 23, -1, -1}));
  EXPECT_EQ(pixels({.image = 7}), std::vector<double>(4, -1));
}

TEST(WindowCopies, go_in_steps) {
  EXPECT_EQ(pixels({.tap = {1, 1}, .steps = {2, 3}, .box_windows = 6}),
            (std::vector<double>{0, 3, 8, 11, 12, 15}));
}

TEST(WindowCopies, bring_what_loops_would) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Windows w{.images = random.integer(1, 3), .channels = random.integer(1, 70)};
    w.is_swizzled = random.integer(0, 1) == 1;
    w.box_windows = random.integer(1, 40);
    w.box_channels = w.is_swizzled ? 64 : random.integer(1, 20);
    w.image = random.integer(-1, w.images);
    w.channel = random.integer(-4, w.channels);
    w.corner = w.tap = w.extents = w.lower = w.upper = w.steps = {};
    for (std::int64_t dimensions = random.integer(1, 3), d = 0; d < dimensions; ++d) {
      w.extents.push_back(random.integer(1, 6));
      w.lower.push_back(random.integer(-4, 3));
      w.steps.push_back(random.integer(1, 3));
      const std::int64_t count = random.integer(1, 5);
      w.upper.push_back(w.lower.back() + (count - 1) * w.steps.back() + 1 - w.extents.back() +
                        random.integer(0, w.steps.back() - 1));
      w.corner.push_back(w.lower.back() + random.integer(0, count - 1) * w.steps.back());
      w.tap.push_back(random.integer(0, 5));
    }
    EXPECT_EQ(copied(w), expected(w)) << "seed " << seed << ": " << w.arguments();
  }
}

TEST(WindowCopies, land_at_the_wait) {
  EXPECT_TRUE(says(refusal_of({.tap = {1, 1}}, ""), "reads S_1[0] while the copy `T.async_copy_window("));
  EXPECT_TRUE(says(refusal_of({}, "    T.async_commit()\n"), "still in flight"));
}

TEST(WindowCopies, say_what_is_wrong) {
  EXPECT_EQ(refusal_of({}), "");
  EXPECT_TRUE(says(refusal_of({.corner = {0, 3}}), "the first corner 3 is outside of [-1, 3)"));
  EXPECT_TRUE(says(refusal_of({.corner = {-2, 0}}), "the first corner -2 is outside of [-1, 2)"));
  EXPECT_TRUE(says(refusal_of({.tap = {0, -1}}), "lies -1 from the corner, and may only lie behind it"));
  EXPECT_TRUE(says(refusal_of({.upper = {-1, -5}}), "at least one window in an image"));
  EXPECT_TRUE(says(refusal_of({.steps = {1, 0}}), "numbers for all extents"));
  EXPECT_TRUE(says(refusal_of({.is_swizzled = true}), "rows that lie swizzled take 128 bytes, 8 elements"));
}

}  // namespace
}  // namespace ardea::interp
