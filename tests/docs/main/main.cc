#include <cstdio>
#include <exception>

#include "tests/docs/primitives_page.h"

/// Writes docs/primitives.md to its standard output.
int main() {
  try {
    const std::string page = ardea::docs::primitives_page();
    std::fwrite(page.data(), 1, page.size(), stdout);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
