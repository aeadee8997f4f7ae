#include "ardea/ops/types.h"

#include <algorithm>

#include "ardea/support/error.h"

namespace ardea::ops {

namespace {

using TypeList = std::vector<DataType>;

/// An input type, what it may be computed in (the default first), and the same beside a float: integers of 8
/// bits and fewer are weights there, which every accumulator holds exactly.
struct InputRow {
  DataType in;
  TypeList acc, acc_beside_float;
};

const std::vector<InputRow>& input_rows() {
  static const TypeList wide = {float32, float64}, any_float = {float32, float16, float64};
  static const TypeList integers = {int32, int64};
  static const std::vector<InputRow> rows = {
      {float16, any_float, any_float},
      {bfloat16, wide, wide},
      {float32, wide, wide},
      {float64, {float64}, {float64}},
      {float8_e4m3, any_float, any_float},
      {float8_e5m2, any_float, any_float},
      {int4, integers, any_float},
      {uint4, integers, any_float},
      {int8, integers, any_float},
      {uint8, integers, any_float},
      {int32, integers, {}},
      {int64, {int64}, {}},
  };
  return rows;
}

struct ArithmeticRow {
  Arithmetic arithmetic;
  bool integers;      ///< accepts them
  bool mixes_kinds;   ///< integers beside floats
  const char* needs;  ///< for the message
};

constexpr ArithmeticRow arithmetic_rows[] = {
    {Arithmetic::products, true, true, "numbers"},     {Arithmetic::sums, true, false, "numbers"},
    {Arithmetic::elementwise, true, false, "numbers"}, {Arithmetic::order, true, false, "numbers"},
    {Arithmetic::real, false, false, "floats"},        {Arithmetic::moves, true, false, "numbers"},
    {Arithmetic::places, true, false, "numbers"},
};

const ArithmeticRow& row_of(Arithmetic arithmetic) {
  return *std::find_if(std::begin(arithmetic_rows), std::end(arithmetic_rows),
                       [&](const ArithmeticRow& row) { return row.arithmetic == arithmetic; });
}

const InputRow* row_of(DataType in) {
  const auto& rows = input_rows();
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const InputRow& row) { return row.in == in; });
  return at == rows.end() ? nullptr : &*at;
}

bool contains(const TypeList& list, DataType type) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

bool all_same(const TypeList& types) {
  return std::all_of(types.begin(), types.end(), [&](DataType t) { return t == types[0]; });
}

DataType default_out(Arithmetic arithmetic, const TypeList& in, DataType acc) {
  if (arithmetic == Arithmetic::places) return int32;
  if (in[0].is_storage_only()) return acc;
  const bool sums = arithmetic == Arithmetic::products || arithmetic == Arithmetic::sums;
  if (sums && in[0].is_integer()) return acc;
  if (arithmetic == Arithmetic::elementwise && !all_same(in)) return acc;
  return in[0];
}

}  // namespace

std::string list_types(const TypeList& types) {
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += i + 1 == types.size() ? " or " : ", ";
    text += to_string(types[i]);
  }
  return text;
}

TypeList accepted_inputs(Arithmetic arithmetic) {
  TypeList types;
  for (const InputRow& row : input_rows())
    if (row.in.is_float() || row_of(arithmetic).integers) types.push_back(row.in);
  return types;
}

TypeList accepted_accumulators(Arithmetic arithmetic, const TypeList& in) {
  const auto is_float = [](DataType t) { return t.is_float(); };
  const bool beside_float = std::any_of(in.begin(), in.end(), is_float);
  const bool mixed = beside_float && !std::all_of(in.begin(), in.end(), is_float);
  if (mixed && !row_of(arithmetic).mixes_kinds) return {};
  TypeList common;
  // A comparison rounds nothing: the input's own type is enough.
  const bool own =
      arithmetic == Arithmetic::order || arithmetic == Arithmetic::moves || arithmetic == Arithmetic::places;
  if (own && all_same(in) && (arithmetic == Arithmetic::moves || !in[0].is_storage_only()))
    common.push_back(in[0]);
  if (arithmetic == Arithmetic::moves) return common;
  const auto list = [&](DataType t) -> const TypeList& {
    return beside_float ? row_of(t)->acc_beside_float : row_of(t)->acc;
  };
  for (const DataType acc : list(in[0])) {
    const auto allows = [&](DataType t) { return contains(list(t), acc); };
    if (std::all_of(in.begin(), in.end(), allows) && !contains(common, acc)) common.push_back(acc);
  }
  return common;
}

TypeList accepted_outputs(DataType acc) {
  if (acc.is_float())
    return {float16, bfloat16, float32, float64, float8_e4m3, float8_e5m2, int8, uint8, int32};
  return {int4, uint4, int8, uint8, int32, int64};
}

namespace {

TypeList outputs_of(Arithmetic arithmetic, const TypeList& in, DataType acc) {
  if (arithmetic == Arithmetic::moves) return {in[0]};
  return arithmetic == Arithmetic::places ? TypeList{int32, int64} : accepted_outputs(acc);
}

}  // namespace

Types resolved(const std::string& call, Arithmetic arithmetic, const TypeList& in, Types wanted) {
  const TypeList inputs = accepted_inputs(arithmetic);
  for (const DataType type : in)
    require(contains(inputs, type), "{}: an input is {}, but it needs {}: {}", call, to_string(type),
            row_of(arithmetic).needs, list_types(inputs));
  const TypeList accumulators = accepted_accumulators(arithmetic, in);
  std::vector<DataType> distinct;
  for (const DataType type : in)
    if (!contains(distinct, type)) distinct.push_back(type);
  require(!accumulators.empty(), "{}: no type can hold {} together; give inputs of one kind{}", call,
          list_types(distinct),
          row_of(arithmetic).mixes_kinds ? ", or a float beside int4, uint4, int8 or uint8" : "");
  Types types = wanted;
  if (types.acc == no_type) types.acc = accumulators[0];
  require(contains(accumulators, types.acc), "{}: inputs of {} cannot be computed in {}; choose {}", call,
          list_types(distinct), to_string(types.acc), list_types(accumulators));
  if (types.out == no_type) types.out = default_out(arithmetic, in, types.acc);
  const TypeList outputs = outputs_of(arithmetic, in, types.acc);
  require(contains(outputs, types.out), "{}: values computed in {} cannot be stored as {}; choose {}", call,
          to_string(types.acc), to_string(types.out), list_types(outputs));
  return types;
}

}  // namespace ardea::ops
