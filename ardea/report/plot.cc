#include "ardea/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardea/report/markup.h"

namespace ardea::report {

namespace {

constexpr double left = 58, top = 14, bottom = 44, name_height = 13;

/// The round number from which on there are at most so many of them in a range.
double round_step(double range, int about) {
  const double raw = range / std::max(about, 1);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

double Axis::place(double value) const {
  if (!is_logarithmic) return high > low ? (value - low) / (high - low) : 0.5;
  return high > low ? std::log(value / low) / std::log(high / low) : 0.5;
}

std::vector<double> Axis::ticks(int about) const {
  std::vector<double> all;
  if (!(high > low)) return {low};
  if (!is_logarithmic || high / low < 8) {
    const double step = round_step(high - low, about);
    for (double tick = std::ceil(low / step - 1e-9) * step; tick <= high + step * 1e-6; tick += step)
      all.push_back(std::abs(tick) < step * 1e-6 ? 0 : tick);
    return all;
  }
  const bool is_wide = std::log10(high / low) > about / 2.0;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (is_wide && factor != 1) continue;
      const double tick = factor * power;
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) all.push_back(tick);
    }
  return all;
}

Axis axis_from_zero(const std::vector<double>& values, std::string label) {
  double most = 0;
  for (const double value : values) most = std::max(most, value);
  return {0, most > 0 ? most * 1.06 : 1, false, std::move(label)};
}

Axis axis_around(const std::vector<double>& values, bool is_logarithmic, std::string label) {
  if (values.empty()) return {is_logarithmic ? 0.1 : 0.0, 1, is_logarithmic, std::move(label)};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (is_logarithmic) return {*least / 1.15, *most * 1.15, true, std::move(label)};
  const double margin = *most > *least ? (*most - *least) * 0.06 : std::max(std::abs(*most) * 0.05, 1e-12);
  return {*least - margin, *most + margin, false, std::move(label)};
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.3g}k", value / 1e3);
  if (size != 0 && size < 1e-3) return fmt::format("{:.0e}", value);
  return fmt::format("{:.4g}", value);
}

Plot::Plot(Axis x, Axis y, const std::vector<Level>& levels, double width, double height)
    : x_(std::move(x)),
      y_(std::move(y)),
      levels_(levels),
      width_(width),
      height_(height),
      right_(width - (levels.empty() ? 14 : 88)) {}

double Plot::at_x(double value) const { return left + x_.place(value) * (right_ - left); }
double Plot::at_y(double value) const {
  return height_ - bottom - y_.place(value) * (height_ - top - bottom);
}

void Plot::dots(const std::vector<Dot>& dots, int series, double radius, const char* kind) {
  for (const Dot& dot : dots)
    body_ += fmt::format("<circle class=\"{} s{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">{}</circle>\n",
                         kind, series, at_x(dot.x), at_y(dot.y), radius,
                         dot.says.empty() ? "" : fmt::format("<title>{}</title>", in_markup(dot.says)));
}

void Plot::steps(const std::vector<Dot>& corners, int series) {
  if (corners.empty()) return;
  std::string path = fmt::format("M{:.1f} {:.1f}", at_x(corners[0].x), at_y(corners[0].y));
  for (std::size_t i = 1; i < corners.size(); ++i) {
    path += fmt::format("H{:.1f}", at_x(corners[i].x));
    if (corners[i].y != corners[i - 1].y) path += fmt::format("V{:.1f}", at_y(corners[i].y));
  }
  body_ += fmt::format("<path class=\"line s{}\" d=\"{}\"/>\n", series, path);
}

void Plot::diagonal() {
  const double low = std::max(x_.low, y_.low), high = std::min(x_.high, y_.high);
  if (low < high)
    body_ += fmt::format("<line class=\"level\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                         at_x(low), at_y(low), at_x(high), at_y(high));
}

std::string Plot::svg(const std::string& title) const {
  std::string out =
      fmt::format("<svg class=\"plot\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\"><title>{}</title>\n",
                  width_, height_, in_markup(title));
  for (const double tick : y_.ticks(5)) {
    const double y = at_y(tick);
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text class=\"tick\" "
        "x=\"{3}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        left, right_, y, left - 8, y + 3.5, tick_text(tick));
  }
  for (const double tick : x_.ticks(6))
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       at_x(tick), height_ - bottom + 18, tick_text(tick));
  out += fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>\n", left, right_,
                     height_ - bottom);
  out += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                     (left + right_) / 2, height_ - 8, in_markup(x_.label));
  out += fmt::format(
      "<text class=\"label\" transform=\"translate(14 {:.1f}) rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>\n",
      (top + height_ - bottom) / 2, in_markup(y_.label));
  out += body_;
  // Names of levels stand beside them; those that lie close together are moved apart, upwards.
  std::vector<Level> levels = levels_;
  std::stable_sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) { return a.y < b.y; });
  double free_below = height_ - bottom + name_height;
  for (const Level& level : levels) {
    const double y = at_y(level.y), name_y = std::min(y, free_below - name_height);
    free_below = name_y;
    out += fmt::format(
        "<path class=\"{}\" d=\"M{} {:.1f}H{}L{} {:.1f}\"/><text class=\"levelname\" x=\"{}\" "
        "y=\"{:.1f}\">{}</text>\n",
        level.kind, left, y, right_, right_ + 7, name_y, right_ + 10, name_y + 3.5, in_markup(level.name));
  }
  return out + "</svg>\n";
}

}  // namespace ardea::report
