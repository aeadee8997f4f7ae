#include "ardea/ir/storage_alignment.h"

#include "ardea/support/error.h"

namespace ardea {

namespace {

constexpr auto expected =
    "buffer_dim_align: expected a list, each of it [buffer, axis, factor, offset] with a positive factor and "
    "an "
    "offset from 0 to less than the factor";

const std::vector<Attribute>& items_of(const Attribute& attribute) {
  const auto* items = std::get_if<std::vector<Attribute>>(&attribute.value);
  require(items != nullptr, "{}", expected);
  return *items;
}

std::int64_t integer_of(const Attribute& attribute) {
  const auto* value = std::get_if<Expr>(&attribute.value);
  const auto number = value != nullptr && (*value).type().is_integer() ? constant_int(*value) : std::nullopt;
  require(number.has_value(), "{}", expected);
  return *number;
}

}  // namespace

std::vector<StorageAlignment> storage_alignments(const Attributes& annotations) {
  const auto at = annotations.find(storage_alignment_key);
  if (at == annotations.end()) return {};
  std::vector<StorageAlignment> all;
  for (const Attribute& item : items_of(at->second)) {
    const std::vector<Attribute>& numbers = items_of(item);
    require(numbers.size() == 4, "{}", expected);
    const StorageAlignment one{integer_of(numbers[0]), integer_of(numbers[1]), integer_of(numbers[2]),
                               integer_of(numbers[3])};
    require(one.factor > 0 && one.offset >= 0 && one.offset < one.factor, "{}", expected);
    all.push_back(one);
  }
  return all;
}

Attribute attribute_of(const std::vector<StorageAlignment>& alignments) {
  std::vector<Attribute> all;
  for (const StorageAlignment& one : alignments) {
    std::vector<Attribute> numbers;
    for (const std::int64_t number : {one.buffer, one.axis, one.factor, one.offset})
      numbers.push_back({make_int(number)});
    all.push_back({std::move(numbers)});
  }
  return {std::move(all)};
}

}  // namespace ardea
