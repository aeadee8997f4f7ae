#pragma once

#include <gtest/gtest.h>

#include "ardea/support/error.h"

/// The statement throws an Error with exactly this sentence.
#define EXPECT_REFUSED(statement, sentence)           \
  do {                                                \
    try {                                             \
      static_cast<void>(statement);                   \
      ADD_FAILURE() << "not refused: " << #statement; \
    } catch (const ardea::Error& error) {             \
      EXPECT_EQ(std::string(error.what()), sentence); \
    }                                                 \
  } while (false)
