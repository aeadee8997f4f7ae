#include "ardea/interp/arguments.h"

#include <algorithm>
#include <unordered_map>

#include "ardea/interp/arithmetic.h"
#include "ardea/intrin/written_parameters.h"
#include "ardea/ir/memory_alignment.h"
#include "ardea/ir/print.h"
#include "ardea/ir/wrong_arguments.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/overloaded.h"

namespace ardea::interp {

namespace {

/// The dimension in which the argument has no element; nothing where it has some, or is no array.
std::optional<std::size_t> empty_dimension(const Argument& argument) {
  const auto* array = std::get_if<runtime::Array>(&argument);
  if (array == nullptr) return std::nullopt;
  const auto at = std::find(array->shape().begin(), array->shape().end(), 0);
  if (at == array->shape().end()) return std::nullopt;
  return static_cast<std::size_t>(at - array->shape().begin());
}

/// Whether an array of the call, whose extents agree, has no element, and all that the call would write has
/// none: then nothing runs. Error where something is there to be written.
bool has_nothing_to_do(const Function& f, const std::vector<Argument>& arguments) {
  if (std::none_of(arguments.begin(), arguments.end(),
                   [](const Argument& argument) { return empty_dimension(argument).has_value(); }))
    return false;
  const WrongArguments wrong(f);
  const std::vector<bool> written = intrin::written_parameters(f);
  if (std::find(written.begin(), written.end(), true) == written.end()) throw Error(wrong.nothing_to_write());
  for (std::size_t w = 0; w < arguments.size(); ++w)
    for (std::size_t i = 0; written[w] && !empty_dimension(arguments[w]) && i < arguments.size(); ++i)
      if (const auto dimension = empty_dimension(arguments[i])) throw Error(wrong.empty(i, *dimension, w));
  return true;
}

/// Binds the parameters of one call. Faults are looked for in the order in which compiled code looks for
/// them, so that both name the same one.
class Binder {
 public:
  Binder(const Function& f, const std::vector<Argument>& arguments, const Options& options,
         Executor& executor)
      : function_(f), arguments_(arguments), options_(options), executor_(executor) {}

  BoundMemory bind() {
    if (arguments_.size() != function_.parameters.size())
      throw Error(wrong_.count(std::to_string(arguments_.size())));
    for (std::size_t i = 0; i < arguments_.size(); ++i) check_kind(i);
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (!function_.parameters[i].buffer.defined()) bind_scalar(i);
    for_each_array([&](std::size_t i) { check_form(i); });
    bind_symbols();
    for_each_array([&](std::size_t i) { check_extents(i); });
    if (has_nothing_to_do(function_, arguments_)) return std::nullopt;
    for_each_array([&](std::size_t i) { check_strides(i); });
    for (const Expr& condition : function_.assumptions)
      if (executor_.evaluate_integer(condition) == 0) throw Error(wrong_.assumption(condition));
    for_each_array([&](std::size_t i) { bind_memory(i); });
    for_each_array([&](std::size_t i) {
      const Buffer& buffer = function_.parameters[i].buffer;
      executor_.declare(buffer, executor_.view_of(buffer));
    });
    find_overlaps();
    return std::move(memories_);
  }

 private:
  template <class Visit>
  void for_each_array(const Visit& visit) {
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (function_.parameters[i].buffer.defined()) visit(i);
  }

  const runtime::Array& array(std::size_t i) const { return std::get<runtime::Array>(arguments_[i]); }

  void check_kind(std::size_t i) {
    const std::string given =
        std::visit(overloaded{[](const runtime::Array& array) { return array ? "a tensor" : "null"; },
                              [](std::int64_t) { return "an integer"; }, [](double) { return "a float"; }},
                   arguments_[i]);
    const std::string expected = WrongArguments::expected_kind(function_.parameters[i]);
    // An integer is taken for the float that it is.
    if (given != expected && !(given == "an integer" && expected == "a float"))
      throw Error(wrong_.kind(i, given));
  }

  void bind_scalar(std::size_t i) {
    const Var& var = function_.parameters[i].var;
    const DataType type = var.type();
    if (const auto* real = std::get_if<double>(&arguments_[i]))
      return executor_.define(var, real_lane(round_to_type(*real, type)));
    const std::int64_t value = std::get<std::int64_t>(arguments_[i]);
    if (type.is_float()) return executor_.define(var, convert(integer_lane(value), int64, type));
    if (wrap(static_cast<std::uint64_t>(value), type) != value)
      throw Error(wrong_.value(i, std::to_string(value)));
    executor_.define(var, integer_lane(value));
  }

  void check_form(std::size_t i) {
    const Buffer& buffer = function_.parameters[i].buffer;
    if (array(i).type() != buffer->type) throw Error(wrong_.element_type(i, to_string(array(i).type())));
    if (array(i).shape().size() != buffer->shape.size())
      throw Error(wrong_.rank(i, std::to_string(array(i).shape().size())));
  }

  /// Bare variables, in all parameters: then every extent has a value to be compared with. Strides that
  /// matter come first: that of a dimension with one element is never used, and may be anything.
  void bind_symbols() {
    for_each_array([&](std::size_t i) {
      const Buffer& buffer = function_.parameters[i].buffer;
      for (std::size_t d = 0; d < buffer->shape.size(); ++d)
        bind_symbol(buffer->shape[d], array(i).shape()[d]);
      if (buffer->element_offset.defined()) bind_symbol(buffer->element_offset, 0);
    });
    for (const bool that_matter : {true, false})
      for_each_array([&](std::size_t i) {
        const Buffer& buffer = function_.parameters[i].buffer;
        for (std::size_t d = 0; d < buffer->strides.size(); ++d)
          if (!that_matter || matters(i, d)) bind_symbol(buffer->strides[d], array(i).strides()[d]);
      });
  }

  bool matters(std::size_t i, std::size_t d) const { return array(i).shape()[d] != 1; }

  void bind_symbol(const Expr& e, std::int64_t value) {
    if (!e.is<VarNode>() || executor_.find(Var(e)) != nullptr) return;
    require(wrap(static_cast<std::uint64_t>(value), e.type()) == value, "{}: {} is {}, which does not fit {}",
            function_.name, print(e), value, to_string(e.type()));
    executor_.define(Var(e), integer_lane(value));
  }

  void check_extents(std::size_t i) {
    const Buffer& buffer = function_.parameters[i].buffer;
    for (std::size_t d = 0; d < buffer->shape.size(); ++d) {
      const std::int64_t given = array(i).shape()[d], wanted = executor_.evaluate_integer(buffer->shape[d]);
      if (given != wanted) throw Error(wrong_.extent(i, d, std::to_string(given), std::to_string(wanted)));
    }
  }

  /// Those that are declared, or else those of a compact array.
  void check_strides(std::size_t i) {
    const Buffer& buffer = function_.parameters[i].buffer;
    std::vector<std::int64_t> wanted(buffer->shape.size(), 1);
    for (std::size_t d = wanted.size(); d-- > 0;) {
      if (!buffer->strides.empty())
        wanted[d] = executor_.evaluate_integer(buffer->strides[d]);
      else if (d + 1 < wanted.size())
        wanted[d] = wanted[d + 1] * array(i).shape()[d + 1];
    }
    for (std::size_t d = 0; d < wanted.size(); ++d) {
      const std::int64_t given = array(i).strides()[d];
      if (given != wanted[d] && matters(i, d))
        throw Error(wrong_.stride(i, d, std::to_string(given), std::to_string(wanted[d])));
      if (wanted[d] < 0) throw Error(wrong_.negative_stride(i, d, std::to_string(wanted[d])));
    }
    require(!buffer->element_offset.defined() || executor_.evaluate_integer(buffer->element_offset) == 0,
            "{}: its declared offset is {}, must be 0: an array begins at its first element",
            wrong_.argument(i), buffer->element_offset.defined() ? print(buffer->element_offset) : "");
  }

  void bind_memory(std::size_t i) {
    const Parameter& parameter = function_.parameters[i];
    const Buffer& buffer = parameter.buffer;
    const runtime::Array& given = array(i);
    std::int64_t last = 0;  // the element furthest from the first
    for (std::size_t d = 0; d < given.shape().size(); ++d)
      if (matters(i, d)) last += (given.shape()[d] - 1) * given.strides()[d];
    const std::int64_t alignment = alignments_.at(buffer->data);
    const auto address = reinterpret_cast<std::uintptr_t>(given.data());
    if (const std::uintptr_t beyond = address % static_cast<std::uintptr_t>(alignment); beyond != 0)
      throw Error(wrong_.alignment(i, std::to_string(beyond), alignment));
    const auto& poisoned = options_.uninitialised_arguments;
    const bool initialised = std::find(poisoned.begin(), poisoned.end(), i) == poisoned.end();
    memories_.push_back(
        std::make_unique<Allocation>(buffer->name, given.data(), given.type().bytes(last + 1), initialised));
    executor_.define(parameter.var, address_lane(memories_.back().get(), 0));
    executor_.define(buffer->data, address_lane(memories_.back().get(), 0));
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
  const WrongArguments wrong_{function_};
  std::unordered_map<Var, std::int64_t> alignments_ = memory_alignments(function_);
};

}  // namespace

BoundMemory bind_arguments(const Function& f, const std::vector<Argument>& arguments, const Options& options,
                           Executor& executor) {
  return Binder(f, arguments, options, executor).bind();
}

}  // namespace ardea::interp
