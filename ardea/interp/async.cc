#include <algorithm>
#include <cstring>

#include "ardea/interp/executor.h"
#include "ardea/interp/place.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/row_swizzle.h"
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

/// Piece by piece: what stays together in shared memory, and is inside of the array or is not.
void Executor::start_box_copy(const Call& call) {
  const std::optional<BoxCopy> box = box_copy_of(call);
  const Load *target = element_at(call.arguments[0]), *source = element_at(call.arguments[1]);
  if (!box || target == nullptr || source == nullptr || target->buffer->type != source->buffer->type)
    report("T.async_copy_box needs two T.address_of of one element type, and numbers for all extents");
  const DataType type = target->buffer->type;
  const Lane to = evaluate(call.arguments[0])[0], from = evaluate(call.arguments[1])[0];
  const std::int64_t outer = evaluate_integer(box->outer), first_row = evaluate_integer(box->row),
                     first_column = evaluate_integer(box->column);
  const RowSwizzle swizzle =
      box->is_swizzled ? swizzle_of_tensor_units(type) : RowSwizzle{.rows = 1, .unit = box->box_columns};
  if (box->is_swizzled && type.bytes(box->box_columns) != tensor_row_bytes)
    report(fmt::format("T.async_copy_box: rows that lie swizzled take {} bytes, {} elements take {}",
                       tensor_row_bytes, box->box_columns, type.bytes(box->box_columns)));
  if (to.integer / 8 + type.bytes(box->box_rows * box->box_columns) > to.memory->byte_count ||
      from.integer / 8 + type.bytes(box->outers * box->rows * box->columns) > from.memory->byte_count)
    report(
        fmt::format("T.async_copy_box: {} x {} elements of {}, and the array of {} x {} x {} elements of {}, "
                    "must lie in their memory",
                    box->box_rows, box->box_columns, to.memory->name, box->outers, box->rows, box->columns,
                    from.memory->name));
  const auto start = [&](std::int64_t place, std::int64_t element, std::int64_t count, bool is_zero) {
    if (count == 0) return;
    begin({++machine_.copies, to.memory, from.memory, to.integer / 8 + type.bytes(place),
           from.integer / 8 + (is_zero ? 0 : type.bytes(element)), type.bytes(count), statement_, is_zero});
  };
  for (std::int64_t i = 0; i < box->box_rows; ++i) {
    const std::int64_t row = first_row + i;
    const bool is_inside = outer >= 0 && outer < box->outers && row >= 0 && row < box->rows;
    for (std::int64_t u = 0; u < box->box_columns / swizzle.unit; ++u) {
      const std::int64_t place = i * box->box_columns + (u ^ (i % swizzle.rows)) * swizzle.unit;
      const std::int64_t column = first_column + u * swizzle.unit;
      const std::int64_t begin_inside =
          is_inside ? std::clamp<std::int64_t>(-column, 0, swizzle.unit) : swizzle.unit;
      const std::int64_t end_inside =
          std::max(begin_inside, std::clamp<std::int64_t>(box->columns - column, 0, swizzle.unit));
      start(place, 0, begin_inside, true);
      start(place + begin_inside, (outer * box->rows + row) * box->columns + column + begin_inside,
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
