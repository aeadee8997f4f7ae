#pragma once

#include <optional>
#include <vector>

#include "ardea/ir/function.h"
#include "ardea/schedule/program/path.h"
#include "ardea/schedule/program/reference.h"

/// Blocks as the expressions of operators make them, by what their index expressions say.

namespace ardea::rules {

/// Whether loops may have a length that only a call knows. Rules that take them choose their numbers for a
/// typical length, and steps that are right for every one.
enum class Lengths { known, any };

/// What models take a length for that only a call knows: all small tiles divide it, so that none is preferred
/// for what it leaves over.
constexpr std::int64_t typical_length = 840;

/// A block that stores one element an instance, alone in loops each of which is the binding of an iterator,
/// in the same order: loops that make elements first, those that reduce after them.
struct Stage {
  schedule::BlockRef block;
  std::vector<Var> iterators = {};
  std::vector<std::int64_t> extents = {};  ///< a typical one where only a call knows it
  std::vector<Expr> lengths = {};          ///< the same as the program says them
  std::size_t spatial = 0;                 ///< so many make elements; all others reduce
  Buffer out = {};
  std::vector<Expr> indices = {};  ///< of the element
  std::vector<Load> loads = {};    ///< all that it reads but what it adds to, each once

  bool reduces() const { return spatial < extents.size(); }
  bool is_known(std::size_t axis) const { return constant_int(lengths[axis]).has_value(); }
  /// Elements that it makes, and what each of them takes.
  std::int64_t elements() const;
  std::int64_t steps() const;
};

/// Nothing where the block is another one, or a length is not of the kind that is asked for.
std::optional<Stage> plain_stage(const Function& program, const schedule::BlockRef& ref,
                                 Lengths lengths = Lengths::known);

/// Numbers of iterations of the loops around, where each is the binding of an iterator in the same order.
/// Nothing where one is neither a number nor, if any length will do, a size of the program.
std::optional<std::vector<Expr>> loop_lengths(const schedule::Path& path, Lengths lengths = Lengths::known);

/// The number, or the typical one.
std::int64_t typical(const Expr& length);
/// Whether the two are one number at every call.
bool are_one_length(const Expr& a, const Expr& b);

/// Whether what the stage stores depends on a choice: conditions, and both sides of it, are in registers,
/// too.
bool makes_choices(const Function& program, const Stage& stage);

/// Whether functions such as exp are computed of each element.
bool computes_functions(const Function& program, const schedule::BlockRef& block);

/// What is loaded, of whatever type it is made; null where the value is more than an element.
const Load* load_under_casts(const Expr& e);

/// A value that is asked for, if_then_else(condition, value, 0), or any other.
struct AskedValue {
  Expr value;
  Expr condition = {};  ///< empty where it is always taken
};
AskedValue asked_value(const Expr& e);
/// The same of a value that a cast makes of another one.
AskedValue asked_under_casts(const Expr& e);

/// What a block adds to the element that it stores, whose indices are variables; nothing where it does
/// something else.
std::optional<Expr> added_term(const Block& block);

/// What a block stores, where it does nothing else but to ask first; null where it does.
const Store* only_store(const Block& block);

/// Whether the indices are these variables, one each, in order.
bool are_plain(const std::vector<Expr>& indices, const std::vector<Var>& variables);

/// Bytes of the buffers that the stages read or write and that live longer than they do: parameters, and what
/// other blocks use.
std::int64_t bytes_around(const Function& program, const std::vector<schedule::BlockRef>& stages);

bool is_parameter(const Function& program, const Buffer& buffer);
/// Whether no iterator reduces, or has an order.
bool is_spatial(const Block& block);
/// Whether the regions of the block have the buffer.
bool reads(const Block& block, const Buffer& buffer);
bool writes(const Block& block, const Buffer& buffer);

}  // namespace ardea::rules
