#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "ardea/interp/arithmetic.h"
#include "ardea/interp/executor.h"
#include "ardea/interp/math.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/runtime/dlpack.h"
#include "ardea/runtime/element.h"
#include "ardea/runtime/registry.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"
#include "ardea/support/overloaded.h"

/// Intrinsics: elementwise ones by their lane function (math.h), the others here.

namespace ardea::interp {

namespace {

constexpr int max_instruction_depth = 16;

/// The intrinsics that are not a function of lanes.
struct Special {
  const Intrinsic *if_then_else, *reinterpret, *address_of, *call_registered, *tensor_instruction, *barrier,
      *shuffle_down, *lookup, *async_copy, *async_copy_or_zero, *async_copy_box, *async_copy_window,
      *async_commit, *async_wait, *prefetch, *fail;
};

const Special& special() {
  static const Special ops = {find_intrinsic("if_then_else"),       find_intrinsic("reinterpret"),
                              find_intrinsic("address_of"),         find_intrinsic("call_registered"),
                              find_intrinsic("tensor_instruction"), find_intrinsic("barrier"),
                              find_intrinsic("shuffle_down"),       find_intrinsic("lookup"),
                              find_intrinsic("async_copy"),         find_intrinsic("async_copy_or_zero"),
                              find_intrinsic("async_copy_box"),     find_intrinsic("async_copy_window"),
                              find_intrinsic("async_commit"),       find_intrinsic("async_wait"),
                              find_intrinsic("prefetch"),           find_intrinsic("fail")};
  return ops;
}

}  // namespace

Lanes Executor::evaluate_call(const Expr& e, const Call& call) {
  if (const LaneFunction function = lane_function(*call.op))
    return evaluate_lanes(call, e.type().lanes, function);
  const Special& op = special();
  if (call.op == op.if_then_else)
    return evaluate(evaluate_integer(call.arguments[0]) != 0 ? call.arguments[1] : call.arguments[2]);
  if (call.op == op.reinterpret) return reinterpret(call.arguments[0], e.type());
  if (call.op == op.address_of) return address_of(*call.arguments[0].as<Load>());
  if (call.op == op.call_registered) return call_registered(call, e.type());
  if (call.op == op.shuffle_down) return shuffle_down(call);
  if (call.op == op.lookup) return look_up(call);
  if (call.op == op.prefetch) return {};  // a hint: the address need not be one
  if (call.op == op.tensor_instruction)
    run_instruction(call);
  else if (call.op == op.barrier)
    barrier(call);
  else if (call.op == op.async_copy || call.op == op.async_copy_or_zero)
    start_copy(call);
  else if (call.op == op.async_copy_box)
    start_box_copy(call);
  else if (call.op == op.async_copy_window)
    start_window_copy(call);
  else if (call.op == op.async_commit)
    commit_copies();
  else if (call.op == op.async_wait)
    wait_for_copies(evaluate_integer(call.arguments[0]));
  else if (call.op == op.fail)
    fail_with(call);
  else if (is_registered(*call.op))
    return evaluate_meaning(call);
  else
    report(fmt::format(
        "T.{} exists only inside compiled entry points; interpret the program before pack_arguments",
        call.op->name));
  return {};
}

namespace {

/// Meanings by intrinsic and types, asked for once: their variables then have one place in every executor.
const Expansion& known_expansion(const Call& call) {
  static std::mutex mutex;
  static std::map<std::pair<const Intrinsic*, std::vector<std::string>>, Expansion> known;
  std::vector<DataType> types;
  std::vector<std::string> names;
  for (const Expr& argument : call.arguments) {
    types.push_back(argument.type());
    names.push_back(to_string(types.back()));
  }
  const std::lock_guard lock(mutex);
  const auto found = known.find({call.op, names});
  if (found != known.end()) return found->second;
  return known.emplace(std::pair{call.op, names}, expansion_of(*call.op, types)).first->second;
}

}  // namespace

Lanes Executor::evaluate_meaning(const Call& call) {
  const Expansion& meaning = known_expansion(call);
  std::vector<Lanes> values;
  for (const Expr& argument : call.arguments) values.push_back(evaluate(argument));
  for (std::size_t i = 0; i < values.size(); ++i) define(meaning.parameters[i], std::move(values[i]));
  Lanes result = evaluate(meaning.body);
  for (const Var& parameter : meaning.parameters) forget(parameter);
  return result;
}

void Executor::fail_with(const Call& call) {
  std::string sentence = text_argument(call, 0);
  std::size_t from = 0;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const std::size_t number = sentence.find("{}", from), type = sentence.find("{type}", from);
    const std::size_t at = std::min(number, type);
    if (at == std::string::npos) break;
    const std::int64_t given = evaluate_integer(call.arguments[i]);
    const std::string value = at == type ? runtime::type_in_words(given) : std::to_string(given);
    sentence.replace(at, at == type ? 6 : 2, value);
    from = at + value.size();
  }
  report(sentence);
}

Lanes Executor::evaluate_lanes(const Call& call, int count, LaneFunction function) {
  constexpr std::size_t max_arguments = 3;
  std::array<Lanes, max_arguments> values;
  ensure(call.arguments.size() <= max_arguments, "T.{}: an elementwise intrinsic with more than 3 arguments",
         call.op->name);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) values[i] = evaluate(call.arguments[i]);
  const DataType type = call.arguments[0].type().element();
  Lanes result(count);
  for (int k = 0; k < count; ++k) {
    std::array<Lane, max_arguments> lanes;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) lanes[i] = values[i][k];
    result[k] = function(type, lanes.data());
  }
  return result;
}

Lanes Executor::reinterpret(const Expr& value, DataType to) {
  const Lanes lanes = evaluate(value);
  const DataType from = value.type();
  Allocation bytes("T.reinterpret", "local", from.bytes());
  for (int k = 0; k < from.lanes; ++k)
    write_lane(bytes, k * element_bits(from.element()), from.element(), lanes[k]);
  Lanes result(to.lanes);
  for (int k = 0; k < to.lanes; ++k)
    result[k] = read_lane(bytes, k * element_bits(to.element()), to.element());
  return result;
}

Lanes Executor::look_up(const Call& call) {
  const Lanes index = evaluate(call.arguments[0]), table = evaluate(call.arguments[1]);
  Lanes result(index.count());
  for (int k = 0; k < index.count(); ++k)
    result[k] = table[static_cast<int>(index[k].integer & (table.count() - 1))];
  return result;
}

Lanes Executor::address_of(const Load& element) {
  std::vector<std::int64_t> indices;
  for (const Expr& index : element.indices) indices.push_back(evaluate(index)[0].integer);
  const View& at = view(element.buffer);
  const std::int64_t bit = locate(element.buffer, at, indices, "takes the address of");
  if (bit % 8 != 0) report(fmt::format("{}[…] begins in mid-byte and has no address", element.buffer->name));
  return address_lane(at.memory, bit);
}

const std::string& Executor::text_argument(const Call& call, std::size_t index) const {
  const auto* text = index < call.arguments.size() ? call.arguments[index].as<StringImm>() : nullptr;
  if (text == nullptr) report(fmt::format("T.{}: argument {} must be a string", call.op->name, index + 1));
  return text->value;
}

template <class Act>
decltype(auto) Executor::placed(const Act& act) const {
  try {
    return act();
  } catch (const Error& error) {
    report(error.what());
  }
}

Lanes Executor::call_registered(const Call& call, DataType type) {
  std::vector<runtime::Value> arguments;
  std::vector<Allocation*> reachable;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const Expr& argument = call.arguments[i];
    if (const auto* text = argument.as<StringImm>()) {
      arguments.emplace_back(text->value);
      continue;
    }
    const Lanes value = evaluate(argument);
    if (value.count() != 1) report(fmt::format("T.call_registered: argument {} is a vector", i + 1));
    if (argument.type().is_handle()) {
      arguments.emplace_back(static_cast<void*>(value[0].memory->data + value[0].integer / 8));
      reachable.push_back(value[0].memory);
    } else if (argument.type().is_float()) {
      arguments.emplace_back(value[0].real);
    } else {
      arguments.emplace_back(value[0].integer);
    }
  }
  const std::string& name = text_argument(call, 0);
  const runtime::Value result = placed([&] { return runtime::get_function(name).call(arguments); });
  // What the function wrote through an address cannot be seen, so all that it could reach counts as written.
  for (Allocation* memory : reachable) memory->written.assign(memory->written.size(), 1);
  if (type.is_none()) return {};
  if (type.is_float()) return real_lane(round_to_type(placed([&] { return result.as<double>(); }), type));
  return integer_lane(
      wrap(static_cast<std::uint64_t>(placed([&] { return result.as<std::int64_t>(); })), type));
}

void Executor::run_instruction(const Call& call) {
  const std::string& name = text_argument(call, 0);
  const intrin::Instruction& instruction =
      placed([&]() -> const intrin::Instruction& { return intrin::find_instruction(name); });
  const std::vector<Parameter>& parameters = instruction.meaning.parameters;
  if (call.arguments.size() != parameters.size() + 1)
    report(fmt::format("{} takes {} arguments, got {}", instruction.name, parameters.size(),
                       call.arguments.size() - 1));
  if (instruction_depth_ == max_instruction_depth)
    report(fmt::format("{} is defined by itself, or more than {} instructions deep", instruction.name,
                       max_instruction_depth));

  std::vector<Lane> values;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) values.push_back(evaluate(call.arguments[i])[0]);
  std::size_t operand = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.buffer.get() != nullptr) check_operand(instruction, operand++, values[i]);
    const DataType given = call.arguments[i + 1].type();
    if (!parameter.buffer.defined()) values[i] = convert(values[i], given, parameter.var.type());
    define(parameter.var, values[i]);
    if (parameter.buffer.defined()) define(parameter.buffer->data, values[i]);
  }
  check_strides(instruction, values);
  for (const Parameter& parameter : parameters)  // after the scalars, which strides may name
    if (parameter.buffer.defined()) declare(parameter.buffer, view_of(parameter.buffer));

  if (Observer* observer = machine_.options.observer) {
    std::vector<OperandAddress> addresses;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].buffer.defined()) addresses.push_back({values[i].memory, values[i].integer / 8});
    observer->runs(instruction, addresses);
  }
  const Function* const caller = std::exchange(function_, &instruction.meaning);
  const bool concurrent = std::exchange(concurrent_, false);
  const Stmt* const statement = statement_;
  const bool together = block_ != nullptr && instruction.is_of_warp();
  if (together) {
    if (const int lanes = block_->threads_of_warp(thread_); lanes != threads_in_warp)
      report(fmt::format("{} is run by {} threads, but all {} of a warp run it together", instruction.name,
                         lanes, threads_in_warp));
    block_->meet(thread_, statement);
  }
  ++instruction_depth_;
  if (!together || block_->is_first_of_warp(thread_)) execute(instruction.meaning.body);
  --instruction_depth_;
  statement_ = statement;
  if (together) block_->meet(thread_, statement);
  if (Observer* observer = machine_.options.observer) observer->has_run(instruction);
  concurrent_ = concurrent;
  function_ = caller;
  for (const Parameter& parameter : parameters) {
    forget(parameter.var);
    if (!parameter.buffer.defined()) continue;
    forget(parameter.buffer->data);
    forget(parameter.buffer);
  }
}

void Executor::check_strides(const intrin::Instruction& instruction, const std::vector<Lane>& values) const {
  const std::vector<Parameter>& parameters = instruction.meaning.parameters;
  std::size_t next = 0;
  for (const Parameter& parameter : parameters) {
    if (!parameter.buffer.defined()) continue;
    const std::int64_t multiple = instruction.operands[next++].stride_bytes;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      for (const Expr& stride : parameter.buffer->strides)
        if (stride == parameters[i].var && parameter.buffer->type.bytes(values[i].integer) % multiple != 0)
          report(fmt::format("{}: the rows of {} are {} elements apart, which must be a multiple of {} bytes",
                             instruction.name, parameter.buffer->name, values[i].integer, multiple));
  }
}

void Executor::check_operand(const intrin::Instruction& instruction, std::size_t index, Lane address) const {
  if (address.memory == nullptr)
    report(fmt::format("{}: operand {} must be an address, as T.address_of gives it", instruction.name,
                       index + 1));
  if (index >= instruction.operands.size()) return;
  const intrin::Operand& operand = instruction.operands[index];
  if (!operand.scope.empty() && operand.scope != address.memory->scope)
    report(fmt::format("{}: operand {} must live in scope \"{}\", but {} lives in \"{}\"", instruction.name,
                       index + 1, operand.scope, address.memory->name, address.memory->scope));
  if (address.integer / 8 % operand.alignment_bytes != 0)
    report(fmt::format("{}: operand {} must be aligned to {} bytes, but begins at byte {} of {}",
                       instruction.name, index + 1, operand.alignment_bytes, address.integer / 8,
                       address.memory->name));
  if (address.integer / 8 % operand.tile_bytes != 0)
    report(fmt::format("{}: operand {} must be a whole tile of {} bytes, but begins at byte {} of {}",
                       instruction.name, index + 1, operand.tile_bytes, address.integer / 8,
                       address.memory->name));
}

void Executor::barrier(const Call& call) {
  const std::string& scope = text_argument(call, 0);
  if (scope != "shared" && scope != "warp")
    report(fmt::format("T.barrier(\"{}\"): the scope must be \"shared\" or \"warp\"", scope));
  if (block_ != nullptr)
    block_->barrier(thread_, scope == "shared" ? ThreadBlock::Group::block : ThreadBlock::Group::warp,
                    statement_);
  else if (serial_thread_loops_ > 0)
    report(
        "a barrier means nothing where thread-bound loops run one after another; give the function the "
        "attribute "
        "\"concurrent_threads\"");
}

Lanes Executor::shuffle_down(const Call& call) {
  const Lanes given = evaluate(call.arguments[0]);
  const std::int64_t offset = evaluate_integer(call.arguments[1]),
                     width = evaluate_integer(call.arguments[2]);
  if (block_ == nullptr) report("T.shuffle_down: there are no other threads to take a value from");
  if (offset < 0 || width < 1 || width > threads_in_warp || (width & (width - 1)) != 0)
    report(fmt::format(
        "T.shuffle_down: {} lanes behind, of groups of {}; groups have a power of two of at most {} "
        "lanes",
        offset, width, threads_in_warp));
  return block_->shuffle_down(thread_, given[0], offset, width, statement_);
}

}  // namespace ardea::interp
