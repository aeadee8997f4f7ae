#include <algorithm>
#include <cstring>

#include <fmt/ranges.h>

#include "ardea/interp/executor.h"
#include "ardea/interp/place.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/window_copy.h"
#include "ardea/support/error.h"

/// Asynchronous copies: they land at the wait of the thread that started them, and until then nobody may read
/// or write the destination or write the source. So a program cannot tell when the bytes really move.

namespace ardea::interp {

namespace {

void take_off(Allocation& memory, std::uint64_t copy) {
  std::erase_if(memory.flights, [&](const Flight& flight) { return flight.copy == copy; });
}

// The element type is that of the address: T.address_of(A[i]).
const Load* element_at(const Expr& address) {
  const auto* call = address.as<Call>();
  return call != nullptr && call->op->name == "address_of" ? call->arguments[0].as<Load>() : nullptr;
}

std::int64_t copied_bytes(const Expr& address, std::int64_t count) {
  const Load* element = element_at(address);
  return element == nullptr || count < 0 ? -1 : element->buffer->type.bytes(count);
}

}  // namespace

void Executor::start_copy(const Call& call) {
  const Lane target = evaluate(call.arguments[0])[0];
  const bool is_zero = call.arguments.size() == 4 && evaluate_integer(call.arguments[3]) == 0;
  const Lane source = is_zero ? target : evaluate(call.arguments[1])[0];
  const std::int64_t count = evaluate_integer(call.arguments[2]);
  const std::int64_t bytes = copied_bytes(call.arguments[0], count);
  if (bytes < 0 || bytes != copied_bytes(call.arguments[1], count))
    report(fmt::format("T.async_copy of {} elements needs two T.address_of of one element type", count));
  const AsyncCopy copy{++machine_.copies,  target.memory, source.memory, target.integer / 8,
                       source.integer / 8, bytes,         statement_,    is_zero};
  if (copy.target_byte + bytes > target.memory->byte_count ||
      copy.source_byte + bytes > source.memory->byte_count)
    report(
        fmt::format("T.async_copy of {} bytes from byte {} of {} to byte {} of {} leaves the memory, which "
                    "has {} and {} bytes",
                    bytes, copy.source_byte, source.memory->name, copy.target_byte, target.memory->name,
                    source.memory->byte_count, target.memory->byte_count));
  begin(copy);
}

void Executor::begin(const AsyncCopy& copy) {
  const std::int64_t target_end = copy.target_byte + copy.byte_count,
                     source_end = copy.source_byte + copy.byte_count;
  if (!copy.is_zero) check_read({*copy.source, copy.source_byte, source_end});
  check_write({*copy.target, copy.target_byte, target_end});
  if (!copy.is_zero)
    copy.source->flights.push_back({copy.source_byte, source_end, false, copy.number, statement_});
  copy.target->flights.push_back({copy.target_byte, target_end, true, copy.number, statement_});
  open_group_.push_back(copy);
}

void Executor::start_box_copy(const Call& call) {
  const std::optional<BoxCopy> box = box_copy_of(call);
  if (!box)
    report("T.async_copy_box needs two T.address_of of one element type, and numbers for all extents");
  const std::int64_t outer = evaluate_integer(box->outer), first_row = evaluate_integer(box->row);
  start_unit_copy(call,
                  {.elements = box->outers * box->rows * box->columns,
                   .columns = box->columns,
                   .box_rows = box->box_rows,
                   .box_columns = box->box_columns,
                   .first_column = evaluate_integer(box->column),
                   .is_swizzled = box->is_swizzled,
                   .array = fmt::format("{} x {} x {}", box->outers, box->rows, box->columns)},
                  [&](std::int64_t i) -> std::optional<std::int64_t> {
                    const std::int64_t row = first_row + i;
                    if (outer < 0 || outer >= box->outers || row < 0 || row >= box->rows) return std::nullopt;
                    return outer * box->rows + row;
                  });
}

/// A window after the other, as the unit goes through them.
void Executor::start_window_copy(const Call& call) {
  const std::optional<WindowCopy> copy = window_copy_of(call);
  if (!copy)
    report(
        "T.async_copy_window needs two T.address_of of one element type, numbers for all extents, and at "
        "least "
        "one window in an image");
  const std::size_t dimensions = copy->dimensions();
  std::int64_t image = evaluate_integer(copy->image), pixels = copy->images;
  std::vector<std::int64_t> corner, tap;
  for (std::size_t d = 0; d < dimensions; ++d) {
    corner.push_back(evaluate_integer(copy->corner[d]));
    tap.push_back(evaluate_integer(copy->tap[d]));
    pixels *= copy->extents[d];
    const std::int64_t lower = copy->lower[d], upper = copy->extents[d] + copy->upper[d];
    if (corner[d] < lower || corner[d] >= upper)
      report(fmt::format("T.async_copy_window: the first corner {} is outside of [{}, {}), where corners are",
                         corner[d], lower, upper));
    if (tap[d] < 0)
      report(fmt::format(
          "T.async_copy_window: the element lies {} from the corner, and may only lie behind it", tap[d]));
  }
  const auto go_to_next = [&] {
    for (std::size_t d = dimensions; d-- > 0;) {
      corner[d] += copy->steps[d];
      if (corner[d] < copy->extents[d] + copy->upper[d]) return;
      corner[d] = copy->lower[d];
    }
    ++image;
  };
  start_unit_copy(call,
                  {.elements = pixels * copy->channels,
                   .columns = copy->channels,
                   .box_rows = copy->box_windows,
                   .box_columns = copy->box_channels,
                   .first_column = evaluate_integer(copy->channel),
                   .is_swizzled = copy->is_swizzled,
                   .array = fmt::format("{} images of {} x {}", copy->images, fmt::join(copy->extents, " x "),
                                        copy->channels)},
                  [&](std::int64_t i) -> std::optional<std::int64_t> {
                    if (i > 0) go_to_next();
                    bool is_inside = image >= 0 && image < copy->images;
                    std::int64_t pixel = image;
                    for (std::size_t d = 0; d < dimensions; ++d) {
                      const std::int64_t at = corner[d] + tap[d];
                      is_inside = is_inside && at >= 0 && at < copy->extents[d];
                      pixel = pixel * copy->extents[d] + at;
                    }
                    return is_inside ? std::optional(pixel) : std::nullopt;
                  });
}

/// Piece by piece: what stays together in shared memory, and is inside of the array or is not.
void Executor::start_unit_copy(const Call& call, const UnitCopy& copy, const RowOfArray& row_of) {
  const Load *target = element_at(call.arguments[0]), *source = element_at(call.arguments[1]);
  if (target == nullptr || source == nullptr || target->buffer->type != source->buffer->type)
    report(fmt::format("T.{} needs two T.address_of of one element type", call.op->name));
  const DataType type = target->buffer->type;
  const Lane to = evaluate(call.arguments[0])[0], from = evaluate(call.arguments[1])[0];
  const RowSwizzle swizzle =
      copy.is_swizzled ? swizzle_of_tensor_units(type) : RowSwizzle{.rows = 1, .unit = copy.box_columns};
  if (copy.is_swizzled && type.bytes(copy.box_columns) != tensor_row_bytes)
    report(fmt::format("T.{}: rows that lie swizzled take {} bytes, {} elements take {}", call.op->name,
                       tensor_row_bytes, copy.box_columns, type.bytes(copy.box_columns)));
  if (to.integer / 8 + type.bytes(copy.box_rows * copy.box_columns) > to.memory->byte_count ||
      from.integer / 8 + type.bytes(copy.elements) > from.memory->byte_count)
    report(fmt::format(
        "T.{}: {} x {} elements of {}, and the array of {} elements of {}, must lie in their "
        "memory",
        call.op->name, copy.box_rows, copy.box_columns, to.memory->name, copy.array, from.memory->name));
  const auto start = [&](std::int64_t place, std::int64_t element, std::int64_t count, bool is_zero) {
    if (count == 0) return;
    begin({++machine_.copies, to.memory, from.memory, to.integer / 8 + type.bytes(place),
           from.integer / 8 + (is_zero ? 0 : type.bytes(element)), type.bytes(count), statement_, is_zero});
  };
  for (std::int64_t i = 0; i < copy.box_rows; ++i) {
    const std::optional<std::int64_t> row = row_of(i);
    for (std::int64_t u = 0; u < copy.box_columns / swizzle.unit; ++u) {
      const std::int64_t place = i * copy.box_columns + (u ^ (i % swizzle.rows)) * swizzle.unit;
      const std::int64_t column = copy.first_column + u * swizzle.unit;
      const std::int64_t begin_inside =
          row ? std::clamp<std::int64_t>(-column, 0, swizzle.unit) : swizzle.unit;
      const std::int64_t end_inside =
          std::max(begin_inside, std::clamp<std::int64_t>(copy.columns - column, 0, swizzle.unit));
      start(place, 0, begin_inside, true);
      start(place + begin_inside, row.value_or(0) * copy.columns + column + begin_inside,
            end_inside - begin_inside, false);
      start(place + end_inside, 0, swizzle.unit - end_inside, true);
    }
  }
}

void Executor::commit_copies() { groups_.push_back(std::exchange(open_group_, {})); }

void Executor::land(const AsyncCopy& copy) {
  if (!copy.is_zero) take_off(*copy.source, copy.number);
  take_off(*copy.target, copy.number);
  if (!copy.is_zero)
    tell_observer(*copy.source, copy.source_byte * 8, (copy.source_byte + copy.byte_count) * 8, false);
  tell_observer(*copy.target, copy.target_byte * 8, (copy.target_byte + copy.byte_count) * 8, true);
  if (!copy.is_zero) check_read({*copy.source, copy.source_byte, copy.source_byte + copy.byte_count});
  check_write({*copy.target, copy.target_byte, copy.target_byte + copy.byte_count});
  const auto count = static_cast<std::size_t>(copy.byte_count);
  if (copy.is_zero)
    std::memset(copy.target->data + copy.target_byte, 0, count);
  else
    std::memmove(copy.target->data + copy.target_byte, copy.source->data + copy.source_byte, count);
  std::fill_n(copy.target->written.begin() + copy.target_byte, copy.byte_count, 1);
}

void Executor::wait_for_copies(std::int64_t groups_left) {
  while (!groups_.empty() && static_cast<std::int64_t>(groups_.size()) > groups_left) {
    for (const AsyncCopy& copy : groups_.front()) land(copy);
    groups_.pop_front();
  }
}

void Executor::check_no_flight(const Allocation& memory) const {
  if (!memory.flights.empty())
    report(fmt::format("{} is released while the copy `{}` is still in flight; T.async_wait must come first",
                       memory.name, first_line_of(*memory.flights.front().statement)));
}

}  // namespace ardea::interp
