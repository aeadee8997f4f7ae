#pragma once

#include "ardea/schedule/primitive.h"

/// Saying something about a block or a loop under a name. What it means is the affair of whoever looks for
/// it.

namespace ardea::schedule {

struct Annotate {
  BlockOrLoop block_or_loop;
  std::string key;
  Argument value;
  using Results = void;
  static constexpr auto name = "annotate";
  static constexpr auto fields =
      std::tuple(field("block_or_loop", &Annotate::block_or_loop), field("ann_key", &Annotate::key),
                 field("ann_val", &Annotate::value));
  static constexpr auto contract = R"(a block or a loop gets an annotation

The value is a bool, a number, a string, a list of these, or a number that was sampled. Requires a name that is not
taken there: unannotate first. An annotated loop can no longer be reshaped.)";
  static constexpr std::array refusals = {"no_key", "annotated_already"};
};
Outcome apply(const Function& f, const Annotate& step, Context& context);

struct Unannotate {
  BlockOrLoop block_or_loop;
  std::string key;
  using Results = void;
  static constexpr auto name = "unannotate";
  static constexpr auto fields =
      std::tuple(field("block_or_loop", &Unannotate::block_or_loop), field("ann_key", &Unannotate::key));
  static constexpr auto contract = "a block or a loop loses an annotation";
  static constexpr std::array refusals = {"not_annotated"};
};
Outcome apply(const Function& f, const Unannotate& step, Context& context);

struct Pragma {
  LoopRef loop;
  std::string type;
  Argument value;
  using Results = void;
  static constexpr auto name = "pragma";
  static constexpr auto fields = std::tuple(field("loop", &Pragma::loop), field("pragma_type", &Pragma::type),
                                            field("pragma_value", &Pragma::value));
  static constexpr auto contract = R"(a loop gets an annotation that is meant for the compiler

The same as annotate with "pragma_" before the type.)";
  static constexpr std::array refusals = {"no_key", "annotated_already"};
};
Outcome apply(const Function& f, const Pragma& step, Context& context);

}  // namespace ardea::schedule
