#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ardea/ir/equal.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"

namespace ardea {

inline const std::string text_header = "# from tvm.script import tir as T\n\n@T.prim_func\n";

/// A function with a few parameters around these lines, as the printer would write it.
inline std::string around(const std::string& lines) {
  std::string text =
      text_header +
      "def f(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((64,), \"int8\"), C: T.Buffer((64,), "
      "\"int64\"), n: T.int64, k: T.int32, x: T.float32, p: T.bool):\n";
  std::size_t at = 0;
  while (at < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    text += "    " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

/// The text parses, and the program prints as the same text.
inline void expect_prints_back(const std::string& text) {
  const Module program = parse(text);
  const std::string printed = print(program);
  EXPECT_EQ(printed, text);
  EXPECT_TRUE(structurally_equal(parse(printed), program)) << first_difference(parse(printed), program);
}

/// The text parses, and the program prints as `canonical`, which stands for the same program.
inline void expect_prints_as(const std::string& text, const std::string& canonical) {
  const Module program = parse(text);
  EXPECT_EQ(print(program), canonical);
  const Module again = parse(canonical);
  EXPECT_TRUE(structurally_equal(again, program)) << first_difference(again, program);
}

}  // namespace ardea
