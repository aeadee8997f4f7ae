#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "ardea/runtime/abi.h"
#include "ardea/runtime/function.h"
#include "ardea/runtime/module.h"
#include "ardea/runtime/value.h"

namespace ardea::runtime {

/// Values in the form that generated code takes them, kept alive as long as this is.
class Arguments {
 public:
  explicit Arguments(std::span<const Value> values);
  Arguments(Arguments&&) noexcept = default;
  Arguments& operator=(Arguments&&) noexcept = default;

  const std::vector<Value>& kept() const { return kept_; }
  const ArdeaValue* values() const { return packed_.data(); }
  const std::int32_t* type_codes() const { return codes_.data(); }
  std::int32_t count() const { return static_cast<std::int32_t>(packed_.size()); }

 private:
  std::vector<Value> kept_;
  std::deque<Function> functions_;  // deques: generated code holds pointers to the handles
  std::deque<Module> modules_;
  std::vector<ArdeaValue> packed_;
  std::vector<std::int32_t> codes_;
};

/// The value that generated code means. An array is borrowed: it is valid as long as the tensor behind the
/// pointer.
Value unpack(ArdeaValue value, std::int32_t type_code);

}  // namespace ardea::runtime
