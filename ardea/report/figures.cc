#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ardea/report/markup.h"
#include "ardea/report/parts.h"

namespace ardea::report {

namespace {

/// Equal values share the mean of their places.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t j = i; j < end; ++j) ranks[order[j]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

}  // namespace

std::string figure(const std::string& content, const std::string& caption) {
  return "<figure>\n" + content + "<figcaption>" + caption + "</figcaption>\n</figure>\n";
}

std::string bars(const std::vector<Bar>& all) {
  double most = 0;
  for (const Bar& bar : all) most = std::max(most, bar.value);
  std::string out = "<table class=bars>\n";
  for (const Bar& bar : all)
    out += fmt::format(
        "<tr class=\"{}\"><th scope=row>{}</th><td class=bar><span "
        "style=\"width:{:.2f}%\"></span></td><td>{}</td></tr>\n",
        bar.kind, in_markup(bar.name), most > 0 ? 100 * bar.value / most : 0, in_markup(bar.says));
  return out + "</table>\n";
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> ra = ranks(a), rb = ranks(b);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double both = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < ra.size(); ++i) {
    both += (ra[i] - mean) * (rb[i] - mean);
    of_a += (ra[i] - mean) * (ra[i] - mean);
    of_b += (rb[i] - mean) * (rb[i] - mean);
  }
  return of_a > 0 && of_b > 0 ? both / std::sqrt(of_a * of_b) : 0;
}

}  // namespace ardea::report
