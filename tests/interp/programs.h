#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ardea/interp/interpreter.h"
#include "ardea/ir/builder.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/parse.h"

/// What the tests of the interpreter share: arrays from lists, programs from text, the sentence of an error.

namespace ardea::interp {

/// An array of that type and shape with the given elements, rounded to the type.
inline runtime::Array array(DataType type, std::vector<std::int64_t> shape,
                            const std::vector<double>& elements) {
  runtime::Array result = runtime::Array::zeros(std::move(shape), type);
  for (std::size_t i = 0; i < elements.size(); ++i)
    result.set_float(static_cast<std::int64_t>(i), elements[i]);
  return result;
}

inline runtime::Array integers(DataType type, const std::vector<std::int64_t>& elements) {
  runtime::Array result = runtime::Array::zeros({static_cast<std::int64_t>(elements.size())}, type);
  for (std::size_t i = 0; i < elements.size(); ++i) result.set_int(static_cast<std::int64_t>(i), elements[i]);
  return result;
}

inline runtime::Array zeros(DataType type, std::vector<std::int64_t> shape) {
  return runtime::Array::zeros(std::move(shape), type);
}

inline std::vector<double> elements(const runtime::Array& array) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < array.element_count(); ++i) all.push_back(array.get_float(i));
  return all;
}

/// The value of a closed expression, as an array of its lanes.
inline runtime::Array value_of(const Expr& e) {
  const DataType type = e.type();
  FunctionBuilder f("value");
  const Buffer out = f.parameter("out", std::vector<std::int64_t>{type.lanes}, type.element());
  f.store(out, {type.is_scalar() ? make_int(0) : make_ramp(make_int(0), make_int(1), type.lanes)}, e);
  runtime::Array result = runtime::Array::zeros({type.lanes}, type.element());
  run(f.build(), {result});
  return result;
}

/// The sentence of the Error that `act` throws, empty where it throws none.
inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Whether the sentence has that part; shows it where it does not.
inline ::testing::AssertionResult says(const std::string& sentence, const std::string& part) {
  if (sentence.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the sentence is: " << sentence;
}

/// The only function of the text, between the lines that every program needs.
inline Function program(const std::string& text) {
  return parse_function("# from tvm.script import tir as T\n@T.prim_func\n" + text);
}

}  // namespace ardea::interp
