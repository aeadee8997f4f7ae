#include "tests/rules/answers.h"

#include <gtest/gtest.h>

#include "ardea/ir/print.h"
#include "ardea/measure/inputs.h"

namespace ardea::rules {

Answers::Answers(const Function& program, const std::map<std::string, std::int64_t>& sizes)
    : given_(measure::make_arguments(program, {.seed = 11, .sizes = sizes})),
      expected_(program, given_, measure::Reference::interpreter) {}

void Answers::expect_of(const Function& made) const {
  const auto after = measure::copy_arguments(given_);
  interp::run(made, after);
  EXPECT_TRUE(expected_.compare(after).agrees()) << print(made);
}

}  // namespace ardea::rules
