#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/support/text_file.h"
#include "tests/schedule/campaign/check_schedule.h"

/// The cases in tests/schedule/cases: what each primitive writes, accepts and refuses. README.md there has
/// the form.

namespace ardea::schedule {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string file, title, program, steps;
  std::string gives;          ///< lines of the program that comes out
  std::string code, message;  ///< of the refusal of the last step
  int line = 0;
};

/// How a failure names the case.
void PrintTo(const Case& c, std::ostream* out) { *out << c.file << ".txt:" << c.line << ": " << c.title; }

/// The tile of the examples as an instruction that needs more alignment than its elements have.
const bool is_aligned_tile_registered = [] {
  intrin::Instruction tile = intrin::find_instruction("ardea.tile_4x4x4_f32");
  tile.name = "test.aligned_tile";
  for (intrin::Operand& operand : tile.operands) operand.alignment_bytes = 16;
  intrin::register_instruction(std::move(tile));
  return true;
}();

fs::path folder(const char* name) { return fs::path(ARDEA_SOURCE_DIR) / "tests/schedule" / name; }

/// The cases of one file.
std::vector<Case> read_cases(const fs::path& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  std::string text;
  std::string* part = nullptr;
  for (int line = 1; std::getline(file, text); ++line) {
    if (text.starts_with("== ")) {
      cases.push_back({path.stem().string(), text.substr(3), "", "", "", "", "", line});
      part = nullptr;
    } else if (text.starts_with("program ")) {
      cases.at(cases.size() - 1).program = text.substr(8);
      part = &cases.back().steps;
    } else if (text == "-- gives") {
      part = &cases.at(cases.size() - 1).gives;
    } else if (text.starts_with("-- refuses ")) {
      cases.at(cases.size() - 1).code = text.substr(11);
      part = &cases.back().message;
    } else if (part != nullptr) {
      *part += text + "\n";
    }
  }
  for (Case& c : cases)
    for (std::string* s : {&c.steps, &c.gives, &c.message})
      while (s->ends_with("\n\n") || *s == "\n") s->pop_back();
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder("cases")))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> all;
  for (const fs::path& file : files)
    for (Case& c : read_cases(file)) all.push_back(std::move(c));
  return all;
}

class Cases : public testing::TestWithParam<Case> {};

TEST_P(Cases, does_what_the_case_says) {
  const Case& c = GetParam();
  SCOPED_TRACE(c.file + ".txt:" + std::to_string(c.line) + ": " + c.title);
  const Function original = parse_function(read_text_file(folder("programs") / (c.program + ".tir")));
  Schedule schedule(original);
  if (!c.code.empty()) {
    try {
      schedule.replay(parse_steps(c.steps, "steps"));
      FAIL() << "not refused:\n" << print(schedule.program());
    } catch (const Refused& refused) {
      // The place in front is the script's affair; the last step is the one that is refused.
      const std::string text = refused.what();
      const std::size_t place = text.find(": ");
      EXPECT_EQ(refused.code(), c.code);
      EXPECT_EQ(text.substr(place + 2) + "\n", c.message);
      EXPECT_TRUE(
          text.starts_with("steps:" + std::to_string(std::count(c.steps.begin(), c.steps.end(), '\n')) + ":"))
          << text;
    }
    return;
  }
  schedule.replay(parse_steps(c.steps, "steps"));
  const std::string text = print(schedule.program());
  EXPECT_NE(text.find(c.gives), std::string::npos) << "expected the lines\n" << c.gives << "in\n" << text;
  EXPECT_NO_THROW(check(original, schedule, static_cast<std::uint64_t>(c.line))) << text;
}

INSTANTIATE_TEST_SUITE_P(Schedule, Cases, testing::ValuesIn(all_cases()), [](const auto& info) {
  std::string name = info.param.file + "_" + std::to_string(info.param.line);
  for (char& ch : name)
    if (!isalnum(static_cast<unsigned char>(ch))) ch = '_';
  return name;
});

TEST(Refusals, each_documented_one_has_a_case) {
  std::set<std::string> seen;
  for (const Case& c : all_cases()) seen.insert(c.file + " " + c.code);
  for (const Primitive& primitive : primitives())
    for (const std::string& code : primitive.refusals)
      EXPECT_TRUE(seen.contains(primitive.name + " " + code))
          << "no case refuses " << primitive.name << " as " << code;
}

TEST(Refusals, no_case_has_one_that_is_not_documented) {
  for (const Case& c : all_cases()) {
    // What any step may meet is documented once, not for each.
    static const std::set<std::string> of_all = {"",
                                                 "no_loop",
                                                 "not_proved",
                                                 "loop_is_gone",
                                                 "block_is_gone",
                                                 "memory_becomes_shared",
                                                 "breaks_pipeline"};
    if (of_all.contains(c.code)) continue;
    const std::vector<std::string>& documented = find_primitive(c.file).refusals;
    EXPECT_NE(std::find(documented.begin(), documented.end(), c.code), documented.end())
        << c.file << " does not document " << c.code;
  }
}

TEST(Documentation, names_each_primitive_and_each_refusal) {
  const std::string page = read_text_file(ARDEA_SOURCE_DIR "/docs/schedules.md");
  for (const Primitive& primitive : primitives()) {
    EXPECT_NE(page.find("`" + primitive.name), std::string::npos) << primitive.name;
    EXPECT_FALSE(primitive.summary.empty()) << primitive.name;
    for (const std::string& code : primitive.refusals)
      EXPECT_NE(page.find("`" + code + "`"), std::string::npos) << primitive.name << " " << code;
  }
}

TEST(Accepted, each_primitive_has_a_case) {
  std::set<std::string> seen;
  for (const Case& c : all_cases())
    if (c.code.empty()) seen.insert(c.file);
  for (const Primitive& primitive : primitives())
    EXPECT_TRUE(seen.contains(primitive.name)) << "no case accepts " << primitive.name;
}

}  // namespace
}  // namespace ardea::schedule
