#include "ardea/cost/touched_memory.h"

#include <algorithm>
#include <iterator>

#include "ardea/ir/scope.h"

namespace ardea::cost {

using Value = Formulas::Value;

bool is_cached(const Buffer& buffer) {
  return buffer->scope != register_scope && buffer->scope.find('.') == std::string::npos;
}

TouchedMemory::TouchedMemory(const limits::Limits& limits, const target::Target& target,
                             Surroundings& surroundings)
    : surroundings_(surroundings),
      f_(surroundings.formulas()),
      target_(target),
      zero_(f_.number(0)),
      one_(f_.number(1)) {
  for (const limits::Memory& memory : limits.memory) memory_.emplace(memory.data, &memory);
}

/// The extents that its memory has in the end: of an allocation what is kept of it.
std::vector<Value> TouchedMemory::shape_of(const Buffer& buffer) {
  const auto memory = memory_.find(buffer->data);
  const std::size_t rank = buffer->shape.size();
  const bool is_known = memory != memory_.end() && memory->second->shape.size() >= rank;
  const std::vector<Expr>& kept = is_known ? memory->second->shape : buffer->shape;
  std::vector<Value> shape;  // versions stand before
  for (std::size_t d = kept.size() - rank; d < kept.size(); ++d)
    shape.push_back(surroundings_.size_of(kept[d]));
  return shape;
}

std::vector<Value> TouchedMemory::strides_of_memory(const Buffer& buffer, const std::vector<Value>& shape) {
  if (!buffer->strides.empty()) {
    std::vector<Value> strides;
    for (const Expr& stride : buffer->strides) strides.push_back(surroundings_.size_of(stride));
    return strides;
  }
  std::vector<Value> strides(shape.size(), one_);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = f_.multiply(strides[d], shape[d]);
  return strides;
}

Access TouchedMemory::access_of(const Buffer& buffer, const std::vector<Expr>& indices,
                                const std::vector<std::int64_t>& window, Value is_there) {
  const std::vector<Around>& loops = surroundings_.loops();
  Access access{buffer, {}, {}, {}, is_there, loops.size()};
  const std::vector<Value> shape = shape_of(buffer), strides = strides_of_memory(buffer, shape);
  const auto known = depth_of_.find(buffer->data);
  access.outside = known == depth_of_.end() ? 0 : known->second;
  access.steps.assign(loops.size(), zero_);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    std::vector<Value>& spans = access.spans.emplace_back(loops.size(), zero_);
    const std::size_t from_end = indices.size() - d;
    access.box.push_back(
        from_end <= window.size() ? f_.number(static_cast<double>(window[window.size() - from_end])) : one_);
    // Loops around its memory move nothing: each of their iterations has memory of its own.
    for (std::size_t l = access.outside; l < loops.size(); ++l) {
      const auto distance = [&](Value from, Value to) {
        const Value end = surroundings_.value_of(indices[d], loops[l].var, to);
        return surroundings_.or_zero(
            f_.subtract(end, surroundings_.value_of(indices[d], loops[l].var, from)));
      };
      const Value middle = surroundings_.middle_of(loops[l]);
      const Value step = distance(middle, f_.add(middle, one_));
      access.steps[l] = f_.add(access.steps[l], f_.multiply(strides[d], step));
      const Value last = f_.add(loops[l].min, f_.max(zero_, f_.subtract(loops[l].extent, one_)));
      spans[l] = f_.magnitude(distance(loops[l].min, last));
    }
  }
  return access;
}

Value TouchedMemory::bytes_of(const std::vector<Access>& accesses) {
  std::vector<std::pair<Buffer, std::vector<Value>>> boxes;
  for (const Access& access : accesses) {
    const auto same = [&](const auto& one) {
      return one.first->data == access.buffer->data && one.second.size() == access.box.size();
    };
    auto found = std::find_if(boxes.begin(), boxes.end(), same);
    if (found == boxes.end())
      found = boxes.insert(boxes.end(), {access.buffer, std::vector<Value>(access.box.size(), zero_)});
    for (std::size_t d = 0; d < access.box.size(); ++d)
      found->second[d] = f_.max(found->second[d], f_.multiply(access.box[d], access.is_there));
  }
  Value sum = zero_;
  for (const auto& [buffer, box] : boxes) sum = f_.add(sum, bytes_of_box(buffer, box));
  return sum;
}

Value TouchedMemory::bytes_of_box(const Buffer& buffer, const std::vector<Value>& box) {
  const std::vector<Value> shape = shape_of(buffer);
  const Value element = f_.number(static_cast<double>(buffer->type.bytes()));
  if (box.empty()) return element;
  Value whole = element, bytes = element;
  for (std::size_t d = 0; d < box.size(); ++d) {
    whole = f_.multiply(whole, shape[d]);
    if (d + 1 < box.size()) bytes = f_.multiply(bytes, f_.min(box[d], shape[d]));
  }
  const Value row = f_.min(box.back(), shape.back());
  const double line_bytes = target_.caches.empty() ? 64 : target_.caches.front().line_bytes;
  const Value line = f_.number(line_bytes / static_cast<double>(buffer->type.bytes()));
  const Value lines = f_.multiply(f_.ceil_div(row, line), line);
  bytes = f_.multiply(bytes, f_.select(f_.less(row, shape.back()), lines, row));
  return f_.min(bytes, whole);
}

Value TouchedMemory::cache_bytes(std::size_t level) {
  constexpr double usable_share = 0.75;
  if (level >= target_.caches.size()) return f_.number(1e18);
  return f_.number(usable_share * static_cast<double>(target_.caches[level].bytes));
}

Part TouchedMemory::nothing() { return {{}, std::vector<Value>(cache_levels, zero_)}; }

Part TouchedMemory::once(std::vector<Access> accesses) {
  const Value bytes = bytes_of(accesses);
  return {std::move(accesses), std::vector<Value>(cache_levels, bytes)};
}

Part TouchedMemory::sequence(std::vector<Part> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  Part all = nothing();
  for (Part& part : parts) {
    for (std::size_t c = 0; c < cache_levels; ++c)
      all.bytes_into[c] = f_.add(all.bytes_into[c], part.bytes_into[c]);
    std::move(part.accesses.begin(), part.accesses.end(), std::back_inserter(all.accesses));
  }
  const Value bytes = bytes_of(all.accesses);
  for (std::size_t c = 0; c < cache_levels; ++c)
    all.bytes_into[c] = f_.select(f_.less(cache_bytes(c), bytes), all.bytes_into[c], bytes);
  return all;
}

Part TouchedMemory::repeated(Part body) {
  const Value extent = surroundings_.loops().back().extent;
  const std::size_t depth = surroundings_.loops().size() - 1;
  const Value inner_bytes = bytes_of(body.accesses);
  for (Access& access : body.accesses) {
    access.is_there = f_.multiply(access.is_there, f_.less(zero_, extent));
    if (access.free_loops <= depth) continue;
    for (std::size_t d = 0; d < access.box.size(); ++d)
      access.box[d] = f_.add(access.box[d], access.spans[d][depth]);
  }
  const Value bytes = bytes_of(body.accesses);
  for (std::size_t c = 0; c < cache_levels; ++c)
    body.bytes_into[c] =
        f_.select(f_.less(cache_bytes(c), inner_bytes), f_.multiply(extent, body.bytes_into[c]), bytes);
  return body;
}

Part TouchedMemory::under(Part part, Value share) {
  for (Access& access : part.accesses) access.is_there = f_.multiply(access.is_there, f_.less(zero_, share));
  for (Value& bytes : part.bytes_into) bytes = f_.multiply(bytes, share);
  return part;
}

}  // namespace ardea::cost
