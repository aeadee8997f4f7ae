// Any bytes: the parser of constraint systems answers with a system or with an Error, never otherwise. A
// system prints as a text that parses to the same system, and its JSON gives it again, too.

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "ardea/space/json.h"
#include "ardea/space/parse.h"
#include "ardea/space/print.h"
#include "ardea/support/error.h"

namespace {

[[noreturn]] void broken(const std::string& law, const std::string& printed) {
  std::fprintf(stderr, "%s\nThe system as printed:\n%s\n", law.c_str(), printed.c_str());
  std::abort();
}

void check_round_trips(const ardea::space::System& system) {
  const std::string printed = ardea::space::print(system);
  try {
    if (!(ardea::space::parse(printed, "printed") == system)) broken("parse(print(s)) is not s", printed);
  } catch (const ardea::Error& error) {
    broken(std::string("A printed system does not parse: ") + error.what(), printed);
  }
  // Names and reasons may hold any bytes, JSON holds UTF-8 only.
  for (const char c : printed)
    if (static_cast<unsigned char>(c) > 0x7e) return;
  if (!(ardea::space::from_json(nlohmann::json::parse(ardea::space::to_json(system).dump())) == system))
    broken("from_json(to_json(s)) is not s", printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  ardea::space::System system;
  try {
    system = ardea::space::parse(std::string_view(reinterpret_cast<const char*>(bytes), size), "fuzz");
  } catch (const ardea::Error&) {
    return 0;  // every other exception ends the fuzzer
  }
  check_round_trips(system);
  return 0;
}
