#include "ardea/interp/memory.h"

#include "ardea/runtime/element.h"

namespace ardea::interp {

Allocation::Allocation(std::string called, std::string in_scope, std::int64_t bytes)
    : name(std::move(called)),
      scope(std::move(in_scope)),
      byte_count(bytes),
      written(static_cast<std::size_t>(bytes), 0),
      own_(static_cast<std::size_t>(bytes), 0xa5) {
  data = own_.data();
}

Allocation::Allocation(std::string called, void* memory, std::int64_t bytes, bool initialised)
    : name(std::move(called)),
      scope("global"),
      data(static_cast<unsigned char*>(memory)),
      byte_count(bytes),
      written(static_cast<std::size_t>(bytes), initialised) {}

std::optional<std::vector<std::int64_t>> compact_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    if (__builtin_mul_overflow(strides[d], shape[d], &strides[d - 1])) return std::nullopt;
  return strides;
}

std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& shape, DataType type) {
  std::int64_t count = 1, bits = 0;
  for (const std::int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  if (__builtin_mul_overflow(count, element_bits(type), &bits)) return std::nullopt;
  return count;
}

Lane read_lane(const Allocation& memory, std::int64_t bit, DataType element) {
  // Elements need not lie at a multiple of their size: a view may begin anywhere. Only int4 begins in
  // mid-byte.
  const unsigned char* base = memory.data + bit / 8;
  const std::int64_t half = bit % 8 / 4;
  return element.is_float() ? real_lane(runtime::load_float(base, half, element))
                            : integer_lane(runtime::load_int(base, half, element));
}

void write_lane(Allocation& memory, std::int64_t bit, DataType element, Lane value) {
  unsigned char* base = memory.data + bit / 8;
  const std::int64_t half = bit % 8 / 4;
  if (element.is_float())
    runtime::store_float(base, half, element, value.real);
  else
    runtime::store_int(base, half, element, value.integer);
}

}  // namespace ardea::interp
