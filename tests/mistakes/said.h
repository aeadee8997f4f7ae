#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ardea/support/error.h"

namespace ardea {

/// A mistake made in C++, and the sentence of the Error that it is answered by.
struct CppMistake {
  std::string title;
  std::function<void()> make;
  std::string says;
};

inline void PrintTo(const CppMistake& m, std::ostream* out) { *out << m.title; }

inline void expect_said(const CppMistake& m) {
  SCOPED_TRACE(m.title);
  try {
    m.make();
    ADD_FAILURE() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), m.says);
  }
}

}  // namespace ardea
