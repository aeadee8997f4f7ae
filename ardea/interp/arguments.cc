#include "ardea/interp/arguments.h"

#include <algorithm>
#include <unordered_map>

#include "ardea/interp/arithmetic.h"
#include "ardea/intrin/written_parameters.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/overloaded.h"

namespace ardea::interp {

namespace {

/// Binds the parameters of one call. `sources_` remembers what gave a symbolic extent its value, for
/// messages.
class Binder {
 public:
  Binder(const Function& f, const std::vector<Argument>& arguments, const Options& options,
         Executor& executor)
      : function_(f), arguments_(arguments), options_(options), executor_(executor) {}

  std::vector<std::unique_ptr<Allocation>> bind() {
    require(arguments_.size() == function_.parameters.size(), "{}: takes {} arguments, got {}",
            function_.name, function_.parameters.size(), arguments_.size());
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      function_.parameters[i].buffer.defined() ? bind_array(i) : bind_scalar(i);
    // Bare variables first, in all parameters; then every extent has a value to be compared with.
    // Strides that matter come first: that of a dimension with one element is never used, and may be
    // anything.
    const auto bind = [&](const Expr& e, std::int64_t value, const std::string& what) {
      bind_symbol(e, value, what);
    };
    for_each_dimension(bind, Strides::that_matter);
    for_each_dimension(bind, Strides::all);
    for_each_dimension(
        [&](const Expr& e, std::int64_t value, const std::string& what) { check_symbol(e, value, what); },
        Strides::that_matter);
    for (const Parameter& parameter : function_.parameters)
      if (parameter.buffer.defined())
        executor_.declare(parameter.buffer, executor_.view_of(parameter.buffer));
    find_overlaps();
    return std::move(memories_);
  }

 private:
  std::string name(std::size_t i) const {
    const Parameter& parameter = function_.parameters[i];
    return fmt::format("{}: argument {} ({})", function_.name, i + 1,
                       parameter.buffer.defined() ? parameter.buffer->name : parameter.var.name());
  }

  void bind_scalar(std::size_t i) {
    const Var& var = function_.parameters[i].var;
    const DataType type = var.type();
    std::visit(
        overloaded{
            [&](const runtime::Array& array) {
              fail("{}: is the array {}, expected a {}", name(i), array.description(), to_string(type));
            },
            [&](std::int64_t value) {
              if (type.is_float()) return executor_.define(var, convert(integer_lane(value), int64, type));
              require(wrap(static_cast<std::uint64_t>(value), type) == value, "{}: {} does not fit {}",
                      name(i), value, to_string(type));
              executor_.define(var, integer_lane(value));
            },
            [&](double value) {
              require(type.is_float(), "{}: is the float {}, expected a {}", name(i), value, to_string(type));
              executor_.define(var, real_lane(round_to_type(value, type)));
            },
        },
        arguments_[i]);
    sources_[var] = name(i);
  }

  const runtime::Array& array(std::size_t i) const {
    const auto* array = std::get_if<runtime::Array>(&arguments_[i]);
    require(array != nullptr && *array, "{}: is not an array, expected {} with {} dimensions", name(i),
            to_string(function_.parameters[i].buffer->type), function_.parameters[i].buffer->shape.size());
    return *array;
  }

  void bind_array(std::size_t i) {
    const Parameter& parameter = function_.parameters[i];
    const Buffer& buffer = parameter.buffer;
    const runtime::Array& given = array(i);
    require(given.type() == buffer->type, "{}: is an array of {}, expected {}", name(i),
            to_string(given.type()), to_string(buffer->type));
    require(given.shape().size() == buffer->shape.size(), "{}: has {} dimensions, expected {}", name(i),
            given.shape().size(), buffer->shape.size());
    require(given.is_contiguous() || !buffer->strides.empty(),
            "{}: has strides, expected a contiguous array; copy it first", name(i));
    std::int64_t last = 0;  // the element furthest from the first
    for (std::size_t d = 0; d < given.shape().size(); ++d) {
      require(given.strides()[d] >= 0, "{}: stride {} is {}; copy the array first", name(i), d + 1,
              given.strides()[d]);
      last += std::max<std::int64_t>(0, given.shape()[d] - 1) * given.strides()[d];
    }
    const auto alignment = static_cast<std::uintptr_t>(alignments_.at(buffer->data));
    const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(given.data()) % alignment;
    require(beyond == 0,
            "{}: begins {} bytes after a multiple of {}, must begin on one; pass an aligned copy", name(i),
            beyond, alignment);
    const auto& poisoned = options_.uninitialised_arguments;
    const bool initialised = std::find(poisoned.begin(), poisoned.end(), i) == poisoned.end();
    const std::int64_t bytes = given.element_count() == 0 ? 0 : given.type().bytes(last + 1);
    memories_.push_back(std::make_unique<Allocation>(buffer->name, given.data(), bytes, initialised));
    executor_.define(parameter.var, address_lane(memories_.back().get(), 0));
    executor_.define(buffer->data, address_lane(memories_.back().get(), 0));
  }

  enum class Strides { all, that_matter };

  template <class Visit>
  void for_each_dimension(const Visit& visit, Strides strides) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const Buffer& buffer = function_.parameters[i].buffer;
      if (!buffer.defined()) continue;
      for (std::size_t d = 0; d < buffer->shape.size(); ++d)
        visit(buffer->shape[d], array(i).shape()[d], fmt::format("{}: extent {}", name(i), d + 1));
      for (std::size_t d = 0; d < buffer->strides.size(); ++d)
        if (strides == Strides::all || array(i).shape()[d] != 1)
          visit(buffer->strides[d], array(i).strides()[d], fmt::format("{}: stride {}", name(i), d + 1));
      if (buffer->element_offset.defined())
        visit(buffer->element_offset, 0, fmt::format("{}: the offset", name(i)));
    }
  }

  void bind_symbol(const Expr& e, std::int64_t value, const std::string& what) {
    if (!e.is<VarNode>() || executor_.find(Var(e)) != nullptr) return;
    require(wrap(static_cast<std::uint64_t>(value), e.type()) == value, "{} is {}, which does not fit {}",
            what, value, to_string(e.type()));
    executor_.define(Var(e), integer_lane(value));
    sources_[e] = what;
  }

  void check_symbol(const Expr& e, std::int64_t value, const std::string& what) {
    const std::int64_t expected = executor_.evaluate_integer(e);
    if (expected == value) return;
    const auto source = sources_.find(e);
    fail("{} is {}, expected {}{}", what, value, expected,
         e.is<IntImm>()             ? std::string()
         : source == sources_.end() ? fmt::format(", the value of {}", print(e))
                                    : fmt::format(", the value of {} by {}", print(e),
                                                  source->second.substr(function_.name.size() + 2)));
  }

  void find_overlaps() {
    for (const auto& a : memories_)
      for (const auto& b : memories_)
        if (a != b && a->data < b->data + b->byte_count && b->data < a->data + a->byte_count)
          a->overlapping = b.get();
  }

  const Function& function_;
  const std::vector<Argument>& arguments_;
  const Options& options_;
  Executor& executor_;
  std::vector<std::unique_ptr<Allocation>> memories_;
  std::unordered_map<Expr, std::string> sources_;
  std::unordered_map<Var, std::int64_t> alignments_ = memory_alignments(function_);
};

bool is_empty(const Argument& argument) {
  const auto* array = std::get_if<runtime::Array>(&argument);
  return array != nullptr && array->element_count() == 0;
}

}  // namespace

bool has_nothing_to_do(const Function& f, const std::vector<Argument>& arguments) {
  const auto empty = std::find_if(arguments.begin(), arguments.end(), is_empty);
  if (empty == arguments.end()) return false;
  const std::string name = f.parameters[static_cast<std::size_t>(empty - arguments.begin())].buffer->name;
  const std::vector<bool> written = intrin::written_parameters(f);
  require(std::find(written.begin(), written.end(), true) != written.end(),
          "{}: {} is empty, and there is no array to write to", f.name, name);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    require(!written[i] || is_empty(arguments[i]),
            "{}: {} is empty, but {}, which it writes, is not: nothing would be computed for it; fill it "
            "yourself, or "
            "leave the call out",
            f.name, name, f.parameters[i].buffer->name);
  return true;
}

std::vector<std::unique_ptr<Allocation>> bind_arguments(const Function& f,
                                                        const std::vector<Argument>& arguments,
                                                        const Options& options, Executor& executor) {
  return Binder(f, arguments, options, executor).bind();
}

}  // namespace ardea::interp
