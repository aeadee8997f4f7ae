#include <gtest/gtest.h>

#include <algorithm>

#include "ardea/support/text_file.h"
#include "tests/docs/primitives_page.h"
#include "tests/schedule/campaign/check_schedule.h"
#include "tests/support/sampled.h"

namespace ardea::docs {
namespace {

class PrimitiveExamples : public testing::TestWithParam<const schedule::Primitive*> {};

TEST_P(PrimitiveExamples, keeps_the_answers_of_its_program) {
  const PrimitiveExample example = primitive_example(*GetParam());
  for (const std::uint64_t seed : test::sampled<std::uint64_t>(2, {0, 1}))
    EXPECT_NO_THROW(schedule::check(example.before, example.after, seed));
}

std::vector<const schedule::Primitive*> all_primitives() {
  std::vector<const schedule::Primitive*> all;
  for (const schedule::Primitive& primitive : schedule::primitives()) all.push_back(&primitive);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Docs, PrimitiveExamples, testing::ValuesIn(all_primitives()),
                         [](const auto& info) { return info.param->name; });

TEST(PrimitivesPage, has_an_example_of_primitives_only) {
  for (const std::string& name : primitive_example_names())
    EXPECT_NO_THROW(schedule::find_primitive(name)) << "examples/primitives/" << name;
}

TEST(PrimitivesPage, is_what_its_command_writes) {
  // Not EXPECT_EQ: a difference of whole pages is no message.
  EXPECT_TRUE(read_text_file(ARDEA_SOURCE_DIR "/docs/primitives.md") == primitives_page())
      << "docs/primitives.md is out of date: make docs-primitives";
}

}  // namespace
}  // namespace ardea::docs
