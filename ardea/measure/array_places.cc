#include "ardea/measure/array_places.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "ardea/ir/memory_alignment.h"

namespace ardea::measure {

namespace {

constexpr std::int64_t page_bytes = 4096;  // the bits that loads and stores are compared by first

/// Of `slots` in a page: that of what is read, just beyond it, a little further, and half a page away. Other
/// arrays go through them in other orders.
std::int64_t slot(std::size_t place, std::size_t array, std::int64_t slots) {
  const std::array<std::int64_t, array_places> of_first = {0, 1, 3, slots / 2};
  return of_first[place] * static_cast<std::int64_t>(2 * array + 1) % slots;
}

/// Bytes from an array's first element to behind its last one.
std::int64_t reach_of(const runtime::Array& array) {
  std::int64_t last = 0;
  for (std::int64_t axis = 0; axis < array.rank(); ++axis)
    last += std::max<std::int64_t>(0, array.shape()[axis] - 1) * array.strides()[axis];
  return array.type().bytes(last + 1);
}

}  // namespace

std::vector<std::vector<interp::Argument>> in_several_places(const Function& f,
                                                             const std::vector<interp::Argument>& given,
                                                             const std::vector<std::size_t>& written) {
  std::vector<std::vector<interp::Argument>> all(array_places, given);
  const auto promised = memory_alignments(f);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto& array = std::get<runtime::Array>(given[written[i]]);
    const std::int64_t unit =
        std::max(allocation_alignment_bytes, promised.at(f.parameters[written[i]].buffer->data));
    const std::int64_t reach = reach_of(array), slots = std::max<std::int64_t>(1, page_bytes / unit);
    const auto memory =
        std::make_shared<runtime::Array>(runtime::Array::zeros({reach + unit + page_bytes}, uint8));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory->data());
    const std::int64_t to_unit = -static_cast<std::int64_t>(begin) & (unit - 1);
    for (std::size_t place = 0; place < array_places; ++place)
      all[place][written[i]] = runtime::Array::strided_view(
          memory->data(), array.shape(), array.strides(), array.type(),
          static_cast<std::uint64_t>(to_unit + slot(place, i, slots) * unit), memory);
    std::get<runtime::Array>(all[0][written[i]]).copy_from(array);
  }
  return all;
}

}  // namespace ardea::measure
