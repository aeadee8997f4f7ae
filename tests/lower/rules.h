#pragma once

#include <gtest/gtest.h>

#include <string>

/// What a pass makes of a few statements over X, Y and Z, each of 64 float32, and K, of 64 int32.

namespace ardea::lower {

/// The body of the function after the pass, as text; the interpreter has run both and found them equal.
std::string body_after(const std::string& pass, const std::string& body, bool no_alias = true);

}  // namespace ardea::lower
