#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ardea/arith/regions.h"
#include "ardea/arith/verify.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"

/// Programs against the laws of the IR: which law they break, with which words.

namespace ardea::arith {

using Shape = std::vector<std::int64_t>;

inline std::string all_of(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& v : violations) text += v.law + ": " + v.message + "\n";
  return text.empty() ? "no law is broken\n" : text;
}

/// What load_program would find.
inline std::vector<Violation> broken(const Function& f) {
  const std::vector<Violation> form = verify_form(f);
  return form.empty() ? verify(complete_regions(f)) : form;
}

/// The first broken law is `law`, and its message holds each of `words`.
inline void expect_broken(const Function& f, const std::string& law, const std::vector<std::string>& words) {
  const std::vector<Violation> violations = broken(f);
  ASSERT_FALSE(violations.empty()) << "expected " << law << " of\n" << print(f);
  EXPECT_EQ(violations[0].law, law) << all_of(violations) << print(f);
  for (const std::string& word : words)
    EXPECT_NE(violations[0].message.find(word), std::string::npos)
        << "no \"" << word << "\" in: " << violations[0].message;
  EXPECT_EQ(violations[0].message.find('\n'), std::string::npos) << "one sentence on one line";
}

inline void expect_broken(const std::string& text, const std::string& law,
                          const std::vector<std::string>& words) {
  expect_broken(parse_function(text), law, words);
}

inline void expect_accepted(const Function& f) {
  EXPECT_TRUE(broken(f).empty()) << all_of(broken(f)) << print(complete_regions(f));
}

inline void expect_accepted(const std::string& text) { expect_accepted(parse_function(text)); }

}  // namespace ardea::arith
