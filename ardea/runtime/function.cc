#include "ardea/runtime/function.h"

#include "ardea/runtime/arguments.h"
#include "ardea/runtime/error_state.h"

namespace ardea::runtime {

/// Either `call` or `code` is there.
struct FunctionState {
  std::string name;
  ErasedCall call;
  ArdeaPackedFunction code = nullptr;
  std::shared_ptr<const void> owner;
};

namespace {

/// A result must outlive the call that made it, and what generated code was given may be gone by then.
Value own_result(ArdeaValue value, std::int32_t type_code) {
  if (type_code == ARDEA_TENSOR) return unpack(value, type_code).as<Array>().copy();
  return unpack(value, type_code);
}

Value call_code(const FunctionState& state, const Arguments& arguments) {
  ArdeaValue result{};
  std::int32_t result_code = ARDEA_NULL;
  take_error();  // a stale sentence must not explain this call
  const std::int32_t status =
      state.code(arguments.values(), arguments.type_codes(), arguments.count(), &result, &result_code);
  if (status == 0) return own_result(result, result_code);
  const std::string sentence = take_error();
  if (sentence.empty()) fail("{}: returned the error code {} without a sentence", state.name, status);
  throw Error(sentence);
}

}  // namespace

Function::Function(std::string name, ErasedCall call)
    : state_(std::make_shared<FunctionState>(
          FunctionState{std::move(name), std::move(call), nullptr, nullptr})) {
  require(static_cast<bool>(state_->call), "{}: the callable is empty", state_->name);
}

Function::Function(std::string name, ArdeaPackedFunction code, std::shared_ptr<const void> owner)
    : state_(
          std::make_shared<FunctionState>(FunctionState{std::move(name), nullptr, code, std::move(owner)})) {
  require(code != nullptr, "{}: the pointer to its code is null", state_->name);
}

const std::string& Function::name() const { return state_->name; }

Function Function::named(std::string name) const {
  FunctionState renamed = *state_;
  renamed.name = std::move(name);
  return Function(std::make_shared<FunctionState>(std::move(renamed)));
}

Value Function::call(std::span<const Value> arguments) const {
  require(state_ != nullptr, "a null function was called");
  if (state_->call) return state_->call(state_->name, arguments);
  return call_code(*state_, Arguments(arguments));
}

std::int32_t Function::call_packed(const ArdeaValue* arguments, const std::int32_t* type_codes,
                                   std::int32_t count, ArdeaValue* result,
                                   std::int32_t* result_code) const noexcept {
  return report_errors([&] {
    require(state_ != nullptr, "a null function was called");
    if (state_->code != nullptr) return state_->code(arguments, type_codes, count, result, result_code);
    std::vector<Value> values;
    for (std::int32_t i = 0; i < count; ++i) values.push_back(unpack(arguments[i], type_codes[i]));
    const Value answer = state_->call(state_->name, values);
    if (result == nullptr || result_code == nullptr) return 0;
    thread_local std::optional<Arguments> last_result;
    last_result.emplace(std::span(&answer, 1));
    *result = last_result->values()[0];
    *result_code = last_result->type_codes()[0];
    return 0;
  });
}

Function::operator Value() const {
  if (!state_) return nullptr;
  return Value(Value::Stored{state_});
}

struct PreparedCall::Packed {
  Function function;
  Arguments arguments;
};

PreparedCall::PreparedCall(Function function, std::span<const Value> arguments)
    : packed_(std::make_unique<Packed>(Packed{std::move(function), Arguments(arguments)})) {
  require(static_cast<bool>(packed_->function), "a null function was prepared to be called");
}

PreparedCall::~PreparedCall() = default;
PreparedCall::PreparedCall(PreparedCall&&) noexcept = default;
PreparedCall& PreparedCall::operator=(PreparedCall&&) noexcept = default;

void PreparedCall::run() const { call(); }

Value PreparedCall::call() const {
  const FunctionState& state = *packed_->function.state_;
  if (state.call) return state.call(state.name, packed_->arguments.kept());
  return call_code(state, packed_->arguments);
}

namespace detail {

void refuse_count(std::string_view name, std::size_t wanted, std::size_t given) {
  fail("{}: takes {} argument{}, {} {} given", name, wanted, wanted == 1 ? "" : "s", given,
       given == 1 ? "was" : "were");
}

void refuse_argument(std::string_view name, std::size_t index, std::size_t count, const Value& given,
                     const std::string& expected) {
  fail("{}: argument {} of {} is {}, expected {}", name, index + 1, count, given.description(), expected);
}

}  // namespace detail

}  // namespace ardea::runtime
