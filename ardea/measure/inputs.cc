#include "ardea/measure/inputs.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "ardea/arith/analyzer.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/support/random.h"
#include "ardea/support/text.h"

namespace ardea::measure {

namespace {

/// What the values of the inputs must respect for the results to stay finite and the indices inside.
struct Demands {
  double longest_reduction = 1;
  bool positive = false;
  std::unordered_map<Var, std::int64_t>
      index_limits;  ///< memory of integers that index a dimension of that extent
};

Demands demands_of(const Function& f) {
  Demands demands;
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* block = s.as<Block>()) {
      double terms = 1;
      for (const BlockIterator& it : block->iterators)
        if (it.kind == IteratorKind::reduce)
          terms *= static_cast<double>(constant_int(it.domain.extent).value_or(64));
      demands.longest_reduction = std::max(demands.longest_reduction, terms);
    }
    // In a program of loops any loop may be a reduction.
    if (const auto* loop = s.as<For>())
      demands.longest_reduction =
          std::max(demands.longest_reduction, static_cast<double>(constant_int(loop->extent).value_or(64)));
    const auto* store = s.as<Store>();
    const auto limit = [&](const Buffer& b, const std::vector<Expr>& indices) {
      for (std::size_t d = 0; d < indices.size(); ++d)
        visit_exprs(indices[d], [&](const Expr& e) {
          const auto* load = e.as<Load>();
          const auto extent = constant_int(b->shape[d]);
          if (load == nullptr || !extent) return;
          const auto [at, added] = demands.index_limits.try_emplace(load->buffer->data, *extent);
          if (!added) at->second = std::min(at->second, *extent);
        });
    };
    if (store != nullptr) limit(store->buffer, store->indices);
    visit_exprs(s, [&](const Expr& e) {
      if (const auto* load = e.as<Load>()) limit(load->buffer, load->indices);
      if (const auto* binary = e.as<Binary>())
        demands.positive = demands.positive || binary->op == BinaryOp::div;
      static const std::unordered_set<std::string> partial = {"log",   "log2", "log10", "log1p", "sqrt",
                                                              "rsqrt", "pow",  "asin",  "acos",  "fmod"};
      if (const auto* call = e.as<Call>())
        demands.positive = demands.positive || partial.contains(call->op->name);
    });
  });
  return demands;
}

void fill_input(const runtime::Array& array, const Demands& demands, const Var& data, Random random) {
  const DataType type = array.type();
  const std::int64_t count = array.element_count();
  if (type.is_float()) {
    // Sums of n random products of size s² grow like s²·√n with signs and like s²·n without: s keeps both
    // near 1.
    const double scale = std::pow(demands.longest_reduction, demands.positive ? -0.5 : -0.25);
    for (std::int64_t i = 0; i < count; ++i) {
      const double draw = random.real();
      array.set_float(i, scale * (demands.positive ? 0.25 + 0.75 * draw : 2 * draw - 1));
    }
    return;
  }
  const auto limit = demands.index_limits.find(data);
  std::int64_t low = type.is_int() ? -8 : 0, high = 7;
  if (type.is_bool()) low = 0, high = 1;
  if (limit != demands.index_limits.end()) low = 0, high = limit->second - 1;
  if (type.bits == 4) high = std::min<std::int64_t>(high, 7);
  for (std::int64_t i = 0; i < count; ++i) array.set_int(i, random.integer(low, high));
}

void poison(const runtime::Array& array) {
  for (std::int64_t i = 0; i < array.element_count(); ++i) {
    if (array.type().is_float())
      array.set_float(i, -77);
    else
      array.set_int(i, array.type().is_bool() ? 1 : 5);
  }
}

std::int64_t size_of(const Var& extent, const InputOptions& options, std::size_t position) {
  const auto given = options.sizes.find(extent.name());
  if (given != options.sizes.end()) {
    require(given->second >= 0, "the size {} is {}, must not be negative", extent.name(), given->second);
    return given->second;
  }
  static constexpr std::int64_t odd_sizes[] = {13, 7, 11, 5, 17, 3};
  return odd_sizes[position % std::size(odd_sizes)];
}

/// Whether the variable is the stride of a parameter, and the extent of none.
bool is_stride_only(const Function& f, const Var& var) {
  bool is_stride = false;
  for (const Parameter& p : f.parameters) {
    if (!p.buffer.defined()) continue;
    const auto has = [&](const std::vector<Expr>& parts) {
      return std::find(parts.begin(), parts.end(), var) != parts.end();
    };
    if (has(p.buffer->shape)) return false;
    is_stride = is_stride || has(p.buffer->strides);
  }
  return is_stride;
}

/// Strides that nobody gave: a few elements more than the other dimensions span, so that no two elements
/// share their memory and there are gaps. Dimensions whose strides are known come first, then the inner ones.
void add_strides(const Function& f, Substitution& sizes) {
  const arith::Analyzer facts;
  const auto value = [&](const Expr& e) { return constant_int(facts.simplify(substitute(e, sizes))); };
  const auto span = [&](const BufferNode& b) {
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < b.strides.size(); ++d)
      elements += (value(b.shape[d]).value_or(1) - 1) * value(b.strides[d]).value_or(0);
    return elements;
  };
  std::vector<const BufferNode*> strided;
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined() && !p.buffer->strides.empty()) strided.push_back(p.buffer.get());
  for (const BufferNode* b : strided)
    for (std::size_t d = b->strides.size(); d-- > 0;) {
      const Expr& stride = b->strides[d];
      if (!stride.is<VarNode>() || sizes.contains(Var(stride))) continue;
      std::int64_t widest = 1;
      for (const BufferNode* other : strided)
        if (std::find(other->strides.begin(), other->strides.end(), stride) != other->strides.end())
          widest = std::max(widest, span(*other));
      sizes.emplace(Var(stride), make_int(widest + 3, stride.type()));
    }
}

void check_size_names(const Function& f, const InputOptions& options) {
  std::vector<std::string> known;
  for (const Var& v : shape_variables(f)) known.push_back(v.name());
  for (const Parameter& p : f.parameters)
    if (!p.buffer.defined()) known.push_back(p.var.name());
  for (const auto& [name, size] : options.sizes)
    require(std::find(known.begin(), known.end(), name) != known.end(), "the program has no size called {}{}",
            name, known.empty() ? "; all its sizes are fixed" : "; it has " + join(known, ", "));
}

}  // namespace

std::vector<interp::Argument> make_arguments(const Function& f, const InputOptions& options) {
  check_size_names(f, options);
  Substitution sizes;
  const std::vector<Var> extents = shape_variables(f);
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (options.sizes.contains(extents[i].name()) || !is_stride_only(f, extents[i]))
      sizes.emplace(extents[i], make_int(size_of(extents[i], options, i), extents[i].type()));
  for (std::size_t i = 0; i < f.parameters.size(); ++i)
    if (!f.parameters[i].buffer.defined() && f.parameters[i].var.type().is_integer())
      sizes.emplace(f.parameters[i].var, make_int(size_of(f.parameters[i].var, options, extents.size() + i),
                                                  f.parameters[i].var.type()));
  add_strides(f, sizes);
  const Function sized = substitute(f, sizes);
  const std::vector<Role> roles = argument_roles(f);
  const Demands demands = demands_of(sized);
  const arith::Analyzer facts;
  std::vector<interp::Argument> arguments;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    Random random(options.seed * 0x9e3779b97f4a7c15ULL + i);
    const Parameter& p = f.parameters[i];
    if (!p.buffer.defined()) {
      const DataType type = p.var.type();
      if (type.is_float())
        arguments.emplace_back(0.25 + 0.5 * random.real());
      else
        arguments.emplace_back(type.is_bool() ? std::int64_t{1} : *constant_int(sizes.at(p.var)));
      continue;
    }
    const auto values = [&](const std::vector<Expr>& parts, const char* what) {
      std::vector<std::int64_t> known;
      for (const Expr& part : parts) {
        const auto value = constant_int(facts.simplify(part));
        require(value.has_value(),
                "argument {}: the {} of a dimension does not follow from the other arguments", p.buffer->name,
                what);
        known.push_back(*value);
      }
      return known;
    };
    const Buffer& b = sized.parameters[i].buffer;
    const std::vector<std::int64_t> shape = values(b->shape, "size");
    for (std::size_t d = 0; d < shape.size(); ++d)
      require(shape[d] >= 0, "argument {}: its extent {}, {}, comes out as {}; give larger sizes",
              p.buffer->name, d + 1, print(facts.simplify(p.buffer->shape[d])), shape[d]);
    const runtime::Array array = b->strides.empty()
                                     ? runtime::Array::zeros(shape, b->type)
                                     : runtime::Array::zeros(shape, values(b->strides, "stride"), b->type);
    if (roles[i] == Role::output)
      poison(array);
    else
      fill_input(array, demands, sized.parameters[i].buffer->data, random);
    arguments.emplace_back(array);
  }
  return arguments;
}

std::vector<interp::Argument> copy_arguments(const std::vector<interp::Argument>& arguments) {
  std::vector<interp::Argument> copies = arguments;
  for (interp::Argument& argument : copies)
    if (auto* array = std::get_if<runtime::Array>(&argument)) *array = array->copy_with_strides();
  return copies;
}

std::vector<std::pair<Var, std::int64_t>> extents_of(const Function& f,
                                                     const std::vector<interp::Argument>& arguments) {
  std::vector<std::pair<Var, std::int64_t>> sizes;
  std::unordered_set<Expr> seen;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Parameter& p = f.parameters[i];
    if (!p.buffer.defined()) {
      const auto* value = std::get_if<std::int64_t>(&arguments[i]);
      if (value != nullptr && seen.insert(p.var).second) sizes.emplace_back(p.var, *value);
      continue;
    }
    const auto& array = std::get<runtime::Array>(arguments[i]);
    for (std::size_t d = 0; d < p.buffer->shape.size(); ++d)
      if (p.buffer->shape[d].is<VarNode>() && seen.insert(p.buffer->shape[d]).second)
        sizes.emplace_back(Var(p.buffer->shape[d]), array.shape()[d]);
    for (std::size_t d = 0; d < p.buffer->strides.size(); ++d)
      if (p.buffer->strides[d].is<VarNode>() && seen.insert(p.buffer->strides[d]).second)
        sizes.emplace_back(Var(p.buffer->strides[d]), array.strides()[d]);
  }
  return sizes;
}

}  // namespace ardea::measure
