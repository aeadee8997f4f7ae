#include "ardea/space/gecode_model.h"

#include <algorithm>
#include <cmath>
#include <gecode/search.hh>

#include "ardea/space/evaluate.h"
#include "ardea/space/gecode_post.h"
#include "ardea/support/error.h"

namespace ardea::space {

namespace gc = Gecode;

struct GecodeModel::Inside {
  std::unique_ptr<GecodeSpace> root;
  std::vector<int> place;  ///< of each variable among the knobs or the defined ones; −1 where it is left out
};

void Weight::multiply(std::uint64_t factor) {
  int shift = 0;
  mantissa = std::frexp(mantissa * static_cast<double>(factor), &shift);
  exponent += shift;
}

double Weight::in_units(int unit) const { return std::ldexp(mantissa, exponent - unit); }

std::optional<std::string> GecodeModel::refusal(const Engine& engine) {
  if (!engine.satisfiable()) return std::nullopt;
  for (const Var knob : engine.system().knobs())
    if (!fits_int(engine.layout().domain(knob.index)))
      return "knob " + engine.system()[knob].name +
             " has values beyond 32 bits: " + engine.layout().domain(knob.index).to_string();
  return std::nullopt;
}

GecodeModel::GecodeModel(const Engine& engine)
    : engine_(&engine),
      relaxed_(std::make_shared<std::vector<std::string>>()),
      inside_(std::make_unique<Inside>()) {
  inside_->root = std::make_unique<GecodeSpace>();
  GecodeSpace& model = *inside_->root;
  const System& system = engine.system();
  inside_->place.assign(system.variables().size(), -1);
  if (!engine.satisfiable()) {
    model.fail();
    model.status();
    return;
  }
  ensure(!refusal(engine), "{}", refusal(engine).value_or(""));
  int knobs = 0, defined = 0;
  for (std::size_t i = 0; i < system.variables().size(); ++i) {
    const bool knob = system.variables()[i].is_knob();
    if (!knob && !fits_int(engine.layout().domain(static_cast<int>(i)))) continue;
    inside_->place[i] = knob ? knobs++ : defined++;
  }
  model.knobs = gc::IntVarArray(model, knobs);
  model.defined = gc::IntVarArray(model, defined);
  for (std::size_t i = 0; i < system.variables().size(); ++i) {
    const int place = inside_->place[i];
    if (place < 0) continue;
    const Variable& variable = system.variables()[i];
    const Domain& domain = engine.layout().domain(static_cast<int>(i));
    // Each walk copies the model, and most of that would be the gaps between the values of products. They
    // follow from the values that the product is of; gaps that somebody has asked for stay.
    const bool has_own_gaps = variable.is_knob() || variable.domain.ranges().size() > 1;
    auto& array = variable.is_knob() ? model.knobs : model.defined;
    array[place] = has_own_gaps
                       ? gc::IntVar(model, as_int_set(domain))
                       : gc::IntVar(model, static_cast<int>(domain.min()), static_cast<int>(domain.max()));
  }
  GecodePoster poster(engine, model, inside_->place);
  for (std::size_t c = 0; c < system.constraints().size(); ++c) {
    const Constraint& constraint = system.constraints()[c];
    if (system.is_definition(static_cast<int>(c)) &&
        poster.only_divides(result_of(constraint.body)->variable()))
      continue;
    if (!poster.post(constraint, true)) relaxed_->push_back(constraint.name);
  }
  model.status();
}

GecodeModel::~GecodeModel() = default;
GecodeModel::GecodeModel(GecodeModel&&) noexcept = default;
GecodeModel& GecodeModel::operator=(GecodeModel&&) noexcept = default;

bool GecodeModel::failed() const { return inside_->root->failed(); }

GecodeModel GecodeModel::clone() const {
  GecodeModel copy;
  copy.engine_ = engine_;
  copy.extra_ = extra_;
  copy.relaxed_ = relaxed_;
  copy.inside_ = std::make_unique<Inside>();
  copy.inside_->place = inside_->place;
  if (failed()) {
    copy.inside_->root = std::make_unique<GecodeSpace>();
    copy.inside_->root->fail();
    copy.inside_->root->status();
  } else {
    copy.inside_->root.reset(static_cast<GecodeSpace*>(inside_->root->clone()));
  }
  return copy;
}

GecodeModel GecodeModel::with(std::span<const Constraint> extra) const {
  GecodeModel copy = clone();
  copy.extra_.insert(copy.extra_.end(), extra.begin(), extra.end());
  if (copy.failed()) return copy;
  GecodePoster poster(*engine_, *copy.inside_->root, inside_->place);
  for (const Constraint& constraint : extra) poster.post(constraint, false);  // what it cannot say is checked
  copy.inside_->root->status();
  return copy;
}

std::optional<GecodeModel::Walk> GecodeModel::walk(Random& random) const {
  if (failed()) return std::nullopt;
  const std::unique_ptr<GecodeSpace> model(static_cast<GecodeSpace*>(inside_->root->clone()));
  Walk walk;
  std::vector<std::int64_t> values;
  for (int k = 0; k < model->knobs.size(); ++k) {
    const gc::IntVar knob = model->knobs[k];
    if (!knob.assigned()) {
      walk.weight.multiply(knob.size());
      auto skip = static_cast<unsigned int>(random.integer(0, static_cast<std::int64_t>(knob.size()) - 1));
      int value = 0;
      for (gc::IntVarRanges r(knob); r(); ++r) {
        if (skip < r.width()) {
          value = r.min() + static_cast<int>(skip);
          break;
        }
        skip -= r.width();
      }
      gc::rel(*model, knob, gc::IRT_EQ, value);
      if (model->status() == gc::SS_FAILED) return std::nullopt;
    }
    values.push_back(knob.val());
  }
  auto point = complete_knobs(engine_->system(), values);
  if (!point || !is_solution(engine_->system(), *point)) return std::nullopt;
  for (const Constraint& constraint : extra_)
    if (!holds(constraint, *point)) return std::nullopt;
  walk.point = std::move(*point);
  return walk;
}

std::vector<Point> GecodeModel::all(std::size_t most) const {
  std::vector<Point> points;
  if (failed()) return points;
  std::unique_ptr<GecodeSpace> model(static_cast<GecodeSpace*>(inside_->root->clone()));
  gc::branch(*model, model->knobs, gc::INT_VAR_NONE(), gc::INT_VAL_MIN());
  gc::DFS<GecodeSpace> search(model.get());
  while (const std::unique_ptr<GecodeSpace> found{search.next()}) {
    std::vector<std::int64_t> values;
    for (const gc::IntVar& knob : found->knobs) values.push_back(knob.val());
    auto point = complete_knobs(engine_->system(), values);
    if (!point || !is_solution(engine_->system(), *point)) continue;
    if (std::all_of(extra_.begin(), extra_.end(), [&](const Constraint& c) { return holds(c, *point); }))
      points.push_back(std::move(*point));
    if (points.size() >= most) break;
  }
  return points;
}

}  // namespace ardea::space
