// Any bytes as the steps of a schedule, a script or a trace in JSON, on a small program: they are taken, or
// refused with an Error that says where, in one sentence. What is taken replays from its trace.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ardea/ir/parse.h"
#include "ardea/ir/print.h"
#include "ardea/schedule/config.h"
#include "ardea/schedule/run_script.h"
#include "ardea/schedule/schedule.h"
#include "ardea/support/error.h"

namespace {

using namespace ardea::schedule;

/// Steps may be slow, and scripts repeat them: a few tell as much of a script as many.
constexpr int most_steps = 8;

[[noreturn]] void broken(const std::string& law, const std::string& what) {
  std::fprintf(stderr, "%s\n%s\n", law.c_str(), what.c_str());
  std::abort();
}

const ardea::Function& program() {
  static const ardea::Function two_stages = ardea::parse_function(R"(@T.prim_func
def main(A: T.Buffer((6, 5), "float32"), B: T.Buffer((5, 8), "float32"), D: T.Buffer((6, 8), "float32")):
    C = T.alloc_buffer((6, 8), "float32")
    for i, j, k in T.grid(6, 8, 5):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    for x, y in T.grid(6, 8):
        with T.block("D"):
            vx, vy = T.axis.remap("SS", [x, y])
            D[vx, vy] = T.max(C[vx, vy], T.float32(0.0))
)");
  return two_stages;
}

/// "fuzz:3:5: …", or of JSON, which has no lines, "fuzz: …".
void check_sentence(const std::string& message, bool is_refusal) {
  if (!message.starts_with("fuzz:")) broken("An error does not say where:", message);
  // A refusal may show a part of the program below its sentence.
  const std::string sentence = message.substr(0, is_refusal ? message.find('\n') : std::string::npos);
  const bool is_one_line =
      std::none_of(sentence.begin(), sentence.end(), [](unsigned char ch) { return std::iscntrl(ch) != 0; });
  if (!is_one_line || sentence.size() < sizeof "fuzz: a") broken("An error is not one sentence:", message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  static const Schedule fresh(program());  // verified once
  Schedule schedule = fresh;
  try {
    const Script steps = parse_steps(std::string_view(reinterpret_cast<const char*>(bytes), size), "fuzz");
    int taken = 0;
    const auto take = [&](const Primitive& primitive, std::vector<Argument> arguments) {
      if (++taken > most_steps) throw ardea::Error("these are enough steps");
      return schedule.take(primitive, std::move(arguments));
    };
    ChoicesByHand choices(schedule, /*draws=*/false);
    Config config(schedule, choices);
    const auto call = [&](const Primitive& primitive, const std::vector<Argument>& arguments) {
      if (++taken > most_steps) throw ardea::Error("these are enough steps");
      return make_call(config, primitive, arguments);
    };
    run_script(steps, take, call, false);
  } catch (const Refused& refused) {
    check_sentence(refused.what(), true);
  } catch (const ardea::Error& error) {  // every other exception ends the fuzzer
    check_sentence(error.what(), false);
  }
  if (schedule.trace().instructions.empty()) return 0;
  Schedule again = fresh;
  const std::string trace = print(schedule.trace());
  try {
    again.replay(parse_steps(trace, "trace"));
  } catch (const ardea::Error& error) {
    broken(std::string("A trace does not replay: ") + error.what(), trace);
  }
  if (ardea::print(again.program()) != ardea::print(schedule.program()))
    broken("A trace replays to another program:", trace);
  return 0;
}
