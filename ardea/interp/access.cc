#include <array>

#include "ardea/interp/executor.h"
#include "ardea/interp/place.h"
#include "ardea/support/error.h"

/// Loads and stores: where an element is, whether it may be touched, and the touch.

namespace ardea::interp {

namespace {

constexpr std::size_t max_rank = 32;

bool flies_through(const Flight& flight, const Touch& touch) {
  return flight.begin_byte < touch.end && touch.begin < flight.end_byte;
}

// touch(indices, k) for every lane k that the mask lets through, in order.
template <class Touching>
void for_each_element(const std::vector<Lanes>& indices, const Lanes& mask, int count,
                      const Touching& touch) {
  std::vector<std::int64_t> at(indices.size());
  for (int k = 0; k < count; ++k) {
    if (mask.broadcast(k).integer == 0) continue;
    for (std::size_t d = 0; d < at.size(); ++d) at[d] = indices[d].broadcast(k).integer;
    touch(std::span<const std::int64_t>(at), k);
  }
}

}  // namespace

std::string Touch::name() const {
  return buffer != nullptr ? element_name(*buffer, indices)
                           : fmt::format("bytes [{}, {}) of {}", begin, end, memory.name);
}

const View& Executor::view(const Buffer& buffer) const {
  const std::size_t slot = machine_.buffers.find(buffer);
  if (slot >= views_.size() || views_[slot].memory == nullptr)
    report(fmt::format("the buffer {} is not declared here", buffer->name));
  return views_[slot];
}

std::int64_t Executor::locate(const Buffer& buffer, const View& view, std::span<const std::int64_t> indices,
                              const char* verb) const {
  std::int64_t element = view.offset;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (indices[d] < 0 || indices[d] >= view.shape[d])
      report(fmt::format("{} {}, but index {} must be in [0, {})", verb, element_name(buffer, indices), d + 1,
                         view.shape[d]));
    element += indices[d] * view.strides[d];
  }
  const std::int64_t bits = element_bits(buffer->type);
  const std::int64_t bit = view.data_bit + element * bits;
  if (bit < 0 || bit + bits > view.memory->byte_count * 8)
    report(fmt::format("{} {}, which is element {} from the start of {}, whose {} bytes do not reach there",
                       verb, element_name(buffer, indices), element, view.memory->name,
                       view.memory->byte_count));
  return bit;
}

void Executor::check_race(const Touch& touch, bool writes) {
  Allocation& memory = touch.memory;
  if (block_ == nullptr || memory.one_thread) return;
  if (!memory.shadow || memory.shadow->launch() != machine_.launches)
    memory.shadow = std::make_unique<Shadow>(machine_.launches, memory.byte_count);
  const Access here{thread_, static_cast<std::int32_t>(block_->number()), block_->block_barriers(),
                    block_->warp_barriers(thread_), statement_};
  for (std::int64_t byte = touch.begin; byte < touch.end; ++byte) {
    ByteHistory& history = memory.shadow->at(byte);
    const std::optional<Access> other = writes ? history.write(here) : history.read(here);
    if (!other) continue;
    report(fmt::format(
        "{} races on {} with `{}` on {}: {}", writes ? "a write" : "a read", touch.name(),
        first_line_of(*other->statement), grid_->name(other->block, other->thread),
        other->block == here.block ? "a barrier is missing between them" : "no barrier joins blocks"));
  }
}

void Executor::tell_observer(const Allocation& memory, std::int64_t begin_bit, std::int64_t end_bit,
                             bool writes) {
  if (Observer* observer = machine_.options.observer)
    observer->touches(&memory, memory.name, begin_bit, end_bit, writes, *statement_);
}

void Executor::check_read(const Touch& touch) {
  for (const Flight& flight : touch.memory.flights)
    if (flight.is_destination && flies_through(flight, touch))
      report(fmt::format("reads {} while the copy `{}` is still in flight; T.async_wait must come first",
                         touch.name(), first_line_of(*flight.statement)));
  for (std::int64_t byte = touch.begin; byte < touch.end; ++byte)
    if (touch.memory.written[static_cast<std::size_t>(byte)] == 0)
      report(fmt::format("reads {}, which was never written", touch.name()));
  check_race(touch, false);
}

void Executor::check_write(const Touch& touch) {
  if (touch.memory.overlapping != nullptr)
    report(fmt::format("writes {}, but the arguments {} and {} share memory; such arguments may only be read",
                       touch.name(), touch.memory.name, touch.memory.overlapping->name));
  for (const Flight& flight : touch.memory.flights)
    if (flies_through(flight, touch))
      report(fmt::format("writes {} while the copy `{}` is still in flight; T.async_wait must come first",
                         touch.name(), first_line_of(*flight.statement)));
  check_race(touch, true);
}

void Executor::load_lane(const Buffer& buffer, std::span<const std::int64_t> indices, Lanes& result,
                         int first) {
  const View& at = view(buffer);
  const DataType type = buffer->type;
  std::int64_t bit = locate(buffer, at, indices, "reads");
  tell_observer(*at.memory, bit, bit + element_bits(type), false);
  check_read({*at.memory, bit / 8, (bit + element_bits(type) + 7) / 8, &buffer, indices});
  for (int k = 0; k < type.lanes; ++k, bit += element_bits(type.element()))
    result[first + k] = read_lane(*at.memory, bit, type.element());
}

void Executor::store_lane(const Buffer& buffer, std::span<const std::int64_t> indices, const Lanes& value,
                          int first) {
  const View& at = view(buffer);
  const DataType type = buffer->type;
  std::int64_t bit = locate(buffer, at, indices, "writes");
  const std::int64_t begin = bit / 8, end = (bit + element_bits(type) + 7) / 8;
  tell_observer(*at.memory, bit, bit + element_bits(type), true);
  check_write({*at.memory, begin, end, &buffer, indices});
  for (int k = 0; k < type.lanes; ++k, bit += element_bits(type.element()))
    write_lane(*at.memory, bit, type.element(), value[first + k]);
  for (std::int64_t byte = begin; byte < end; ++byte) at.memory->written[static_cast<std::size_t>(byte)] = 1;
}

std::vector<Lanes> Executor::evaluate_each(const std::vector<Expr>& expressions) {
  std::vector<Lanes> values;
  for (const Expr& e : expressions) values.push_back(evaluate(e));
  return values;
}

Lanes Executor::load(const Load& load, DataType type) {
  const int step = load.buffer->type.lanes;
  Lanes result(type.lanes);  // 0 in the lanes that the predicate masks off
  if (type.lanes == step && !load.predicate.defined() && load.indices.size() <= max_rank) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): all that is read of it is set, for each access
    std::array<std::int64_t, max_rank> at;
    for (std::size_t d = 0; d < load.indices.size(); ++d) at[d] = evaluate_integer(load.indices[d]);
    load_lane(load.buffer, std::span(at.data(), load.indices.size()), result, 0);
    return result;
  }
  const std::vector<Lanes> indices = evaluate_each(load.indices);
  const Lanes mask = load.predicate.defined() ? evaluate(load.predicate) : Lanes(integer_lane(1));
  for_each_element(indices, mask, type.lanes / step, [&](std::span<const std::int64_t> at, int k) {
    load_lane(load.buffer, at, result, k * step);
  });
  return result;
}

void Executor::execute_store(const Store& store) {
  const int step = store.buffer->type.lanes, lanes = store.value.type().lanes;
  if (lanes == step && !store.predicate.defined() && store.indices.size() <= max_rank) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): all that is read of it is set, for each access
    std::array<std::int64_t, max_rank> at;
    for (std::size_t d = 0; d < store.indices.size(); ++d) at[d] = evaluate_integer(store.indices[d]);
    const Lanes value = evaluate_whole(store.value);
    store_lane(store.buffer, std::span(at.data(), store.indices.size()), value, 0);
    return;
  }
  const std::vector<Lanes> indices = evaluate_each(store.indices);
  const Lanes value = evaluate_whole(store.value);  // all lanes, before the first one is stored
  const Lanes mask = store.predicate.defined() ? evaluate(store.predicate) : Lanes(integer_lane(1));
  for_each_element(indices, mask, lanes / step, [&](std::span<const std::int64_t> at, int k) {
    store_lane(store.buffer, at, value, k * step);
  });
}

}  // namespace ardea::interp
