#include "ardea/te/tensor.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "ardea/ir/fold_literals.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/error.h"
#include "ardea/te/reduce_axes.h"

namespace ardea::te {

namespace {

/// Who made a buffer, and which compute reduces over an axis: expressions mention buffers and variables, and
/// lead back to operations through this. Entries go when their operation does.
class Makers {
 public:
  struct Maker {
    std::weak_ptr<const Operation> operation = {};
    std::size_t output = 0;
  };

  void add(const std::shared_ptr<const Operation>& operation) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < operation->outputs.size(); ++i)
      buffers_[operation->outputs[i]] = {operation, i};
    for (const Axis& axis : reduce_axes(*operation)) {
      axes_[axis.var] = operation;
      unused_axes_.erase(axis.var);
    }
  }

  void remove(const Operation& operation) {
    const std::lock_guard lock(mutex_);
    for (const Buffer& buffer : operation.outputs) buffers_.erase(buffer);
    for (const Axis& axis : reduce_axes(operation)) axes_.erase(axis.var);
  }

  Tensor find(const Buffer& buffer) {
    const std::lock_guard lock(mutex_);
    const auto at = buffers_.find(buffer);
    if (at == buffers_.end()) return {};
    std::shared_ptr<const Operation> operation = at->second.operation.lock();
    return operation ? Tensor(std::move(operation), at->second.output) : Tensor();
  }

  void add(const Var& reduce_axis) {
    const std::lock_guard lock(mutex_);
    unused_axes_.insert(reduce_axis);
  }

  bool has(const Var& reduce_axis) {
    const std::lock_guard lock(mutex_);
    return unused_axes_.contains(reduce_axis) || axes_.contains(reduce_axis);
  }

  std::shared_ptr<const Operation> reducer_over(const Var& axis) {
    const std::lock_guard lock(mutex_);
    const auto at = axes_.find(axis);
    return at == axes_.end() ? nullptr : at->second.lock();
  }

 private:
  static std::vector<Axis> reduce_axes(const Operation& operation) {
    const auto* compute = operation.as<Compute>();
    const auto* reduction = compute ? std::get_if<Reduction>(&compute->body) : nullptr;
    return reduction ? reduction->axes : std::vector<Axis>{};
  }

  std::mutex mutex_;
  std::unordered_map<Buffer, Maker> buffers_;
  std::unordered_map<Var, std::weak_ptr<const Operation>> axes_;
  std::unordered_set<Var> unused_axes_;  ///< reduce axes that no compute reduces over yet
};

Makers& makers() {
  static Makers* const all = new Makers;  // outlives tensors in other static objects
  return *all;
}

std::vector<Tensor> tensors_of(const std::vector<Buffer>& buffers) {
  std::vector<Tensor> tensors;
  for (const Buffer& buffer : buffers)
    if (Tensor tensor = tensor_of(buffer); tensor.defined()) tensors.push_back(std::move(tensor));
  return tensors;
}

void check_strides(const std::string& name, std::size_t rank, const std::vector<Expr>& strides) {
  require(strides.size() == rank, "placeholder({}): {} stride{} for {} dimension{}; give one for each", name,
          strides.size(), strides.size() == 1 ? "" : "s", rank, rank == 1 ? "" : "s");
  for (std::size_t d = 0; d < rank; ++d) {
    require(strides[d].defined(), "placeholder({}): a stride is an empty expression", name);
    const auto stride = constant_int(strides[d]);
    require(
        !stride || *stride >= 0,
        "placeholder({}): the stride of dimension {} is {}, must not be negative; index it from the other "
        "end",
        name, d + 1, stride.value_or(0));
  }
}

}  // namespace

Shape::Shape(std::initializer_list<Index> extents) {
  for (const Index& extent : extents) extents_.push_back(fold_literals(extent.expr));
}

Shape::Shape(const std::vector<std::int64_t>& extents) {
  for (const std::int64_t extent : extents) extents_.push_back(make_int(extent));
}

Tensor::Tensor(std::shared_ptr<const Operation> operation, std::size_t output)
    : operation_(std::move(operation)), output_(output) {}

const Buffer& Tensor::buffer() const {
  require(operation_ != nullptr,
          "a default-constructed te::Tensor was used; make one with placeholder or compute");
  return operation_->outputs[output_];
}

Expr Tensor::at(std::vector<Expr> indices) const {
  require(indices.size() == rank(), "{}: it has {} dimension{}, but is indexed with {} ind{}", name(), rank(),
          rank() == 1 ? "" : "s", indices.size(), indices.size() == 1 ? "ex" : "ices");
  return make_load(buffer(), std::move(indices));
}

Tensor placeholder(std::string name, const Shape& shape, DataType type, const Layout& layout) {
  for (const Expr& extent : shape.extents()) {
    require(extent.defined(), "placeholder({}): an extent is an empty expression", name);
    require(extent.type().is_integer() && extent.type().is_scalar(),
            "placeholder({}): an extent is {}, must be an integer", name, to_string(extent.type()));
    const auto size = constant_int(extent);
    require(!size || *size > 0, "placeholder({}): an extent is {}, must be at least 1", name,
            size.value_or(0));
  }
  require(layout.alignment_bytes >= 0 && (layout.alignment_bytes & (layout.alignment_bytes - 1)) == 0,
          "placeholder({}): an alignment of {} bytes, must be a power of two, or 0 where none is promised",
          name, layout.alignment_bytes);
  const std::vector<Expr>& strides = layout.strides.extents();
  if (!strides.empty()) check_strides(name, shape.extents().size(), strides);
  BufferNode node = *make_buffer(name, shape.extents(), type);
  node.strides = strides;
  node.alignment_bytes = layout.alignment_bytes;
  return {publish({std::move(name), {Buffer(std::move(node))}, {}, Placeholder{}}), 0};
}

Var size(std::string name) { return Var(std::move(name), int64); }

std::vector<Tensor> results(const std::shared_ptr<const Operation>& operation) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < operation->outputs.size(); ++i) tensors.emplace_back(operation, i);
  return tensors;
}

std::shared_ptr<const Operation> publish(Operation operation) {
  if (const auto* compute = operation.as<Compute>())
    if (const auto* reduction = std::get_if<Reduction>(&compute->body))
      for (const Axis& axis : reduction->axes)
        if (const auto other = makers().reducer_over(axis.var))
          fail(
              "compute({}): the reduce axis {} belongs to compute({}) already; make another reduce_axis for "
              "{}",
              operation.name, axis.name(), other->name, operation.name);
  const std::shared_ptr<const Operation> shared(new Operation(std::move(operation)), [](const Operation* o) {
    makers().remove(*o);
    delete o;
  });
  makers().add(shared);
  return shared;
}

void know_reduce_axis(const Var& axis) { makers().add(axis); }
bool is_reduce_axis(const Var& var) { return makers().has(var); }

Tensor tensor_of(const Buffer& buffer) { return makers().find(buffer); }

std::vector<Tensor> tensors_in(const Expr& e) { return tensors_of(buffers_in(e)); }
std::vector<Tensor> tensors_in(const Stmt& s) { return tensors_of(buffers_in(s)); }

}  // namespace ardea::te
