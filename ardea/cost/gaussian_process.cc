#include "ardea/cost/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "ardea/support/error.h"

namespace ardea::cost {

namespace {

/// Within how many spreads of all columns labels change, and how much of their variance is noise: what is
/// tried.
constexpr double lengths[] = {0.35, 0.7, 1.4, 2.8, 5.6};
constexpr double noises[] = {1e-3, 1e-2, 5e-2, 0.2};
/// How much of a prior is believed.
constexpr double beliefs[] = {1, 0.75, 0.5, 0.25, 0};

/// The lower triangle whose product with its transpose is the matrix, by rows; nothing where rounding makes
/// it indefinite.
std::optional<std::vector<double>> cholesky(std::vector<double> matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = &matrix[i * n];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = &matrix[j * n];
      const double rest = row[j] - std::inner_product(row, row + j, other, 0.0);
      if (i == j) {
        if (!(rest > 1e-12)) return std::nullopt;
        row[i] = std::sqrt(rest);
      } else {
        row[j] = rest / other[j];
      }
    }
  }
  return matrix;
}

/// x with lower · x = right.
void solve_lower(const std::vector<double>& lower, std::size_t n, double* x) {
  for (std::size_t i = 0; i < n; ++i)
    x[i] = (x[i] - std::inner_product(x, x + i, &lower[i * n], 0.0)) / lower[i * n + i];
}

/// x with lowerᵀ · x = right.
void solve_upper(const std::vector<double>& lower, std::size_t n, double* x) {
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= lower[i * n + i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= lower[i * n + j] * x[i];
  }
}

/// Squared, per column.
double distance(const double* a, const double* b, std::size_t columns) {
  double sum = 0;
  for (std::size_t c = 0; c < columns; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum / static_cast<double>(columns);
}

double covariance(double distance, double length) { return std::exp(-0.5 * distance / (length * length)); }

}  // namespace

GaussianProcess::GaussianProcess(const Rows& rows, const std::vector<double>& labels,
                                 const std::vector<std::size_t>& ignored, const std::vector<double>& prior) {
  const std::size_t n = rows.size();
  ensure(n >= 2 && labels.size() == n, "GaussianProcess: {} rows with {} labels", n, labels.size());
  for (std::size_t c = 0; c < rows.columns; ++c) {
    if (std::find(ignored.begin(), ignored.end(), c) != ignored.end()) continue;
    double sum = 0, squares = 0, count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = static_cast<double>(rows.row(i)[c]);
      if (!std::isfinite(value)) continue;
      sum += value;
      squares += value * value;
      ++count;
    }
    if (count < 2) continue;
    const double middle = sum / count, variance = squares / count - middle * middle;
    if (variance > 1e-6) columns_.push_back({c, middle, 1 / std::sqrt(variance)});
  }
  known_ = scaled(rows);
  const auto rest_of = [&](double belief) {
    std::vector<double> rest = labels;
    for (std::size_t i = 0; i < prior.size(); ++i) rest[i] -= belief * prior[i];
    return rest;
  };
  std::vector<double> distances(n * n);
  const std::size_t columns = std::max<std::size_t>(columns_.size(), 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      distances[i * n + j] = distances[j * n + i] =
          columns_.empty() ? 0 : distance(&known_[i * columns], &known_[j * columns], columns);

  double likeliest = -std::numeric_limits<double>::infinity();
  for (const double length : lengths)
    for (const double noise : noises) {
      std::vector<double> matrix(n * n);
      for (std::size_t i = 0; i < n * n; ++i) matrix[i] = covariance(distances[i], length);
      for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += noise;
      auto lower = cholesky(std::move(matrix), n);
      if (!lower) continue;
      double determinant = 0;
      for (std::size_t i = 0; i < n; ++i) determinant += std::log((*lower)[i * n + i]);
      for (const double belief : beliefs) {
        if (prior.empty() && belief != 0) continue;
        std::vector<double> weights = rest_of(belief);
        const auto count = static_cast<double>(n);
        const double middle = std::accumulate(weights.begin(), weights.end(), 0.0) / count;
        for (double& weight : weights) weight -= middle;
        solve_lower(*lower, n, weights.data());
        const double fit = std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
        const double likelihood = -0.5 * count * std::log(std::max(fit / count, 1e-300)) - determinant;
        if (likelihood <= likeliest) continue;
        likeliest = likelihood;
        solve_upper(*lower, n, weights.data());
        middle_ = middle;
        length_ = length;
        noise_ = noise;
        belief_ = belief;
        variance_ = fit / count;
        lower_ = *lower;
        weights_ = std::move(weights);
      }
    }
  ensure(!weights_.empty(), "GaussianProcess: no covariance of {} rows is definite", n);

  // The inverse's diagonal says what a row adds to its own prediction.
  std::vector<double> unit(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(unit.begin(), unit.end(), 0);
    unit[i] = 1;
    solve_lower(lower_, n, unit.data());
    const double own = std::inner_product(unit.begin(), unit.end(), unit.begin(), 0.0);
    left_out_.push_back(labels[i] - weights_[i] / own);
  }
}

std::vector<double> GaussianProcess::scaled(const Rows& rows) const {
  std::vector<double> values(rows.size() * std::max<std::size_t>(columns_.size(), 1));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto value = static_cast<double>(rows.row(i)[columns_[c].place]);
      if (std::isfinite(value))
        values[i * columns_.size() + c] = (value - columns_[c].middle) * columns_[c].scale;
    }
  return values;
}

std::vector<GaussianProcess::Answer> GaussianProcess::predict(const Rows& rows) const {
  const std::size_t n = weights_.size(), columns = std::max<std::size_t>(columns_.size(), 1);
  const std::vector<double> asked = scaled(rows);
  std::vector<Answer> answers(rows.size());
  std::vector<double> shared(n);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < n; ++j)
      shared[j] = covariance(distance(&asked[i * columns], &known_[j * columns], columns), length_);
    answers[i].mean = middle_ + std::inner_product(shared.begin(), shared.end(), weights_.begin(), 0.0);
    solve_lower(lower_, n, shared.data());
    const double told = std::inner_product(shared.begin(), shared.end(), shared.begin(), 0.0);
    answers[i].deviation = std::sqrt(variance_ * std::max(0.0, 1 - told));
  }
  return answers;
}

}  // namespace ardea::cost
