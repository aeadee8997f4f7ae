#include "ardea/ir/storage_alignment.h"

#include "ardea/ir/layout.h"
#include "ardea/support/error.h"

namespace ardea {

namespace {

constexpr auto expected =
    "buffer_dim_align: expected a list, each of it [buffer, axis, factor, offset] with a positive factor and "
    "an offset from 0 to less than the factor";

const std::vector<Attribute>& items_of(const Attribute& attribute) {
  const auto* items = std::get_if<std::vector<Attribute>>(&attribute.value);
  require(items != nullptr, "{}", expected);
  return *items;
}

/// An integer, which may be one of the program's sizes.
Expr size_of(const Attribute& attribute) {
  const auto* value = std::get_if<Expr>(&attribute.value);
  require(value != nullptr && value->type().is_integer(), "{}", expected);
  return as_index(*value);
}

std::int64_t integer_of(const Attribute& attribute) {
  const auto number = constant_int(size_of(attribute));
  require(number.has_value(), "{}", expected);
  return *number;
}

/// Whether numbers are what they must be. Of sizes the step that wrote them has required it.
bool is_possible(const StorageAlignment& one) {
  const auto factor = constant_int(one.factor), offset = constant_int(one.offset);
  return (!factor || *factor > 0) && (!offset || *offset >= 0) && (!factor || !offset || *offset < *factor);
}

}  // namespace

std::vector<StorageAlignment> storage_alignments(const Attributes& annotations) {
  const auto at = annotations.find(storage_alignment_key);
  if (at == annotations.end()) return {};
  std::vector<StorageAlignment> all;
  for (const Attribute& item : items_of(at->second)) {
    const std::vector<Attribute>& numbers = items_of(item);
    require(numbers.size() == 4, "{}", expected);
    const StorageAlignment one{integer_of(numbers[0]), integer_of(numbers[1]), size_of(numbers[2]),
                               size_of(numbers[3])};
    require(is_possible(one), "{}", expected);
    all.push_back(one);
  }
  return all;
}

Attribute attribute_of(const std::vector<StorageAlignment>& alignments) {
  std::vector<Attribute> all;
  for (const StorageAlignment& one : alignments) {
    std::vector<Attribute> numbers = {
        {make_int(one.buffer)}, {make_int(one.axis)}, {one.factor}, {one.offset}};
    all.push_back({std::move(numbers)});
  }
  return {std::move(all)};
}

}  // namespace ardea
