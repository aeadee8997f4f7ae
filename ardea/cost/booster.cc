#include "ardea/cost/booster.h"

#include <fmt/core.h>
#include <xgboost/c_api.h>

#include <cmath>
#include <cstdlib>

#include "ardea/support/error.h"

namespace ardea::cost {

namespace {

void check(int status) { ensure(status == 0, "XGBoost: {}", XGBGetLastError()); }

const char* objective(Loss loss) {
  switch (loss) {
    case Loss::rank: return "rank:pairwise";
    case Loss::regression: return "reg:squarederror";
    case Loss::logistic: return "binary:logistic";
  }
  return "";
}

/// Rows as XGBoost keeps them to learn from.
class Matrix {
 public:
  explicit Matrix(const Rows& rows) {
    check(XGDMatrixCreateFromMat_omp(rows.values.data(), rows.size(), rows.columns, NAN, &handle_, 1));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  void labels(const std::vector<float>& values) {
    check(XGDMatrixSetFloatInfo(handle_, "label", values.data(), values.size()));
  }
  void margins(const std::vector<float>& values) {
    if (!values.empty()) check(XGDMatrixSetFloatInfo(handle_, "base_margin", values.data(), values.size()));
  }
  void groups(const std::vector<Booster::Group>& groups, Loss loss) {
    std::vector<float> weights;
    std::vector<unsigned> sizes;
    for (const Booster::Group& group : groups) {
      sizes.push_back(static_cast<unsigned>(group.rows));
      // Ranking weighs groups, the other losses weigh rows.
      weights.insert(weights.end(), loss == Loss::rank ? 1 : group.rows, group.weight);
    }
    if (loss == Loss::rank) check(XGDMatrixSetUIntInfo(handle_, "group", sizes.data(), sizes.size()));
    check(XGDMatrixSetFloatInfo(handle_, "weight", weights.data(), weights.size()));
  }
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

}  // namespace

struct Booster::Handle {
  BoosterHandle booster = nullptr;

  ~Handle() {
    if (booster != nullptr) XGBoosterFree(booster);
  }
  void set(const char* name, const std::string& value) {
    check(XGBoosterSetParam(booster, name, value.c_str()));
  }
};

Booster::Booster(const Lesson& lesson, const Boosting& options)
    : handle_(std::make_unique<Handle>()), columns_(lesson.rows.columns) {
  ensure(lesson.rows.size() > 0 && lesson.rows.size() == lesson.labels.size(),
         "Booster: {} rows with {} labels", lesson.rows.size(), lesson.labels.size());
  Matrix matrix(lesson.rows);
  matrix.labels(lesson.labels);
  matrix.groups(lesson.groups, options.loss);
  matrix.margins(lesson.margins);
  const DMatrixHandle handle = matrix.handle();
  check(XGBoosterCreate(&handle, 1, &handle_->booster));
  handle_->set("verbosity", "0");
  handle_->set("nthread", "1");
  handle_->set("booster", "gbtree");
  handle_->set("tree_method", "exact");
  handle_->set("objective", objective(options.loss));
  handle_->set("base_score", options.loss == Loss::logistic ? "0.5" : "0");
  handle_->set("seed", std::to_string(options.seed % 2147483647U));
  handle_->set("max_depth", std::to_string(options.depth));
  handle_->set("eta", fmt::format("{}", options.rate));
  handle_->set("min_child_weight", fmt::format("{}", options.least_weight));
  handle_->set("colsample_bytree", fmt::format("{}", options.columns_share));
  for (int round = 0; round < options.rounds; ++round)
    check(XGBoosterUpdateOneIter(handle_->booster, round, handle));
}

Booster::~Booster() = default;
Booster::Booster(Booster&&) noexcept = default;
Booster& Booster::operator=(Booster&&) noexcept = default;

std::vector<float> Booster::predict(const Rows& rows) const {
  ensure(rows.columns == columns_, "Booster::predict: {} columns, learned from {}", rows.columns, columns_);
  if (rows.size() == 0) return {};
  // Rows are read where they lie: building XGBoost's own matrix takes longer than the trees.
  const std::string values =
      fmt::format(R"({{"data":[{},true],"shape":[{},{}],"typestr":"<f4","version":3}})",
                  reinterpret_cast<std::uintptr_t>(rows.values.data()), rows.size(), rows.columns);
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* result = nullptr;
  check(XGBoosterPredictFromDense(
      handle_->booster, values.c_str(),
      R"({"type":0,"iteration_begin":0,"iteration_end":0,"strict_shape":false,"cache_id":0,"missing":NaN})",
      nullptr, &shape, &dimensions, &result));
  return {result, result + rows.size()};
}

std::vector<double> Booster::gains() const {
  bst_ulong count = 0, dimensions = 0;
  const char** names = nullptr;
  const bst_ulong* shape = nullptr;
  const float* scores = nullptr;
  check(XGBoosterFeatureScore(handle_->booster, R"({"importance_type":"total_gain"})", &count, &names,
                              &dimensions, &shape, &scores));
  std::vector<double> gains(columns_, 0);
  for (bst_ulong i = 0; i < count; ++i)  // named f0, f1, … by column
    gains.at(std::strtoul(names[i] + 1, nullptr, 10)) = static_cast<double>(scores[i]);
  return gains;
}

}  // namespace ardea::cost
