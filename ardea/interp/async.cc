#include <algorithm>
#include <cstring>

#include "ardea/interp/executor.h"
#include "ardea/interp/place.h"
#include "ardea/support/error.h"

/// Asynchronous copies: they land at the wait of the thread that started them, and until then nobody may read
/// or write the destination or write the source. So a program cannot tell when the bytes really move.

namespace ardea::interp {

namespace {

void take_off(Allocation& memory, std::uint64_t copy) {
  std::erase_if(memory.flights, [&](const Flight& flight) { return flight.copy == copy; });
}

// The element type is that of the address: T.address_of(A[i]).
std::int64_t copied_bytes(const Expr& address, std::int64_t count) {
  const auto* call = address.as<Call>();
  const auto* element =
      call != nullptr && call->op->name == "address_of" ? call->arguments[0].as<Load>() : nullptr;
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
  if (!is_zero) check_read({*copy.source, copy.source_byte, copy.source_byte + bytes});
  check_write({*copy.target, copy.target_byte, copy.target_byte + bytes});
  if (!is_zero)
    copy.source->flights.push_back(
        {copy.source_byte, copy.source_byte + bytes, false, copy.number, statement_});
  copy.target->flights.push_back({copy.target_byte, copy.target_byte + bytes, true, copy.number, statement_});
  open_group_.push_back(copy);
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
