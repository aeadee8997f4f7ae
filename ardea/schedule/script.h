#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ardea/schedule/primitive.h"

/// Steps that are read and not yet taken: a script, which is a small part of Python, or a trace in JSON.
/// docs/schedules.md says what a script may hold. How it runs: run_script.h.

namespace ardea::schedule {

namespace script {

struct Expr;
using ExprRef = std::shared_ptr<const Expr>;  ///< null where it is left out

struct Literal {
  Argument value;
};
struct Name {
  std::string name;
};
/// A list or a tuple, which are the same here.
struct List {
  std::vector<ExprRef> items;
};
/// `*list` among the items of a list: all of its items.
struct Starred {
  ExprRef list;
};
struct Index {
  ExprRef list, position;
};
/// list[from:to:step]
struct Slice {
  ExprRef list, from, to, step;
};
struct Negated {
  ExprRef value;
};
/// left op right, where op is + - * // or %.
struct Operation {
  std::string op;
  ExprRef left, right;
};
/// A function of indices, kept as its text. The names in it that are no parameters may be numbers of the
/// script.
struct Lambda {
  struct Word {
    std::string text;
    bool is_free_name = false;
    bool after_space = false;
  };
  std::vector<Word> words;
};
/// len(…), range(…), …
struct Call {
  std::string name;
  std::vector<ExprRef> arguments;
};
/// left op right, where op is < <= > >= == !=, `and` or `or`: what cfg.require takes.
struct Comparison {
  std::string op;
  ExprRef left, right;
  std::string text;  ///< as it is written
};
/// sch.primitive(…), a step that is taken; or cfg.call(…), which leaves something open (config.h).
struct Step {
  struct Given {
    std::string keyword;  ///< empty: by its place
    ExprRef value;
  };
  const Primitive* primitive = nullptr;
  std::vector<Given> arguments;
  bool is_of_cfg = false;
};

struct Expr {
  std::variant<Literal, Name, List, Starred, Index, Slice, Negated, Operation, Lambda, Call, Comparison, Step>
      is;
  std::string place;  ///< "file:3:5", for messages
};

/// What stands on the left of `=`, or between `for` and `in`.
struct Targets {
  struct Target {
    std::string name;
    bool rest = false;  ///< `*name`: what the others leave
  };
  std::vector<Target> names;
  bool unpacks = false;  ///< `a, b` or `a,`; else the one name takes the value as it is
  std::string place;
};

struct Statement;

struct Assign {
  Targets targets;
  ExprRef value;
};
/// name op= value
struct Change {
  std::string name, op;
  ExprRef value;
  std::string place;
};
struct Do {
  ExprRef step;
};
struct For {
  Targets targets;
  ExprRef list;
  std::vector<Statement> body;
};
struct Statement {
  std::variant<Assign, Change, Do, For> is;
  std::string place;
};

/// The functions beside the steps: len, range, …
const std::vector<std::string>& function_names();

/// For each parameter of the primitive the arguments that are for it, by their positions: several for one
/// that is written as arguments of its own, none where its default counts. `keywords` is empty for an
/// argument by its place, `is_list` says which arguments are lists. What does not fit is handed to `fail`,
/// with the argument in question, or none where one is missing; it does not return.
std::vector<std::vector<std::size_t>> match_arguments(
    const Primitive& primitive, const std::vector<std::string>& keywords, const std::vector<bool>& is_list,
    const std::function<void(std::optional<std::size_t>, const std::string&)>& fail);

}  // namespace script

struct Script {
  std::vector<script::Statement> statements;
};

/// Reads a script or JSON (told apart by its first character). Error name:line:column on the first fault: an
/// unknown primitive or keyword, a missing argument, a name that is not defined before, something of Python
/// that scripts do not have.
Script parse_steps(std::string_view text, const std::string& name);

}  // namespace ardea::schedule
