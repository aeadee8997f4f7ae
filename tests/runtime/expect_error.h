#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ardea/support/error.h"

namespace ardea::runtime {

/// The action must throw an Error of exactly this sentence.
template <class Action>
void expect_error(Action&& action, const std::string& sentence) {
  try {
    action();
    ADD_FAILURE() << "no error, expected: " << sentence;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), sentence);
  }
}

}  // namespace ardea::runtime
