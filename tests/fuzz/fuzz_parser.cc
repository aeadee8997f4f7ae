// Any bytes: the parser answers with a program or with an Error, never otherwise. A program prints as a text
// that parses to the same program, and prints as the same text again.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "ardea/ir/equal.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"

namespace {

[[noreturn]] void broken(const std::string& law, const std::string& printed) {
  std::fprintf(stderr, "%s\nThe program as printed:\n%s\n", law.c_str(), printed.c_str());
  std::abort();
}

void check_round_trip(const ardea::Module& program) {
  const std::string printed = ardea::print(program);
  ardea::Module again;
  try {
    again = ardea::parse(printed, "printed");
  } catch (const ardea::Error& error) {
    broken(std::string("A printed program does not parse: ") + error.what(), printed);
  }
  if (!ardea::structurally_equal(program, again))
    broken("parse(print(p)) is not p: " + ardea::first_difference(program, again), printed);
  if (const std::string twice = ardea::print(again); twice != printed)
    broken("printing the parsed text gives another text:\n" + twice, printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  ardea::Module program;
  try {
    program = ardea::parse(std::string_view(reinterpret_cast<const char*>(bytes), size), "fuzz");
  } catch (const ardea::Error&) {
    return 0;  // every other exception ends the fuzzer
  }
  check_round_trip(program);
  return 0;
}
