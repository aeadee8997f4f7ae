#include "ardea/runtime/abi.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "ardea/runtime/dlpack.h"
#include "ardea/runtime/error_state.h"
#include "ardea/runtime/registry.h"
#include "ardea/runtime/thread_pool.h"

namespace ardea::runtime {

namespace {

thread_local std::string error_sentence;

/// Carries the sentence of a failed loop body from the thread it failed on to the one that waits.
struct BodyFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

std::string take_error() noexcept { return std::exchange(error_sentence, {}); }

}  // namespace ardea::runtime

using ardea::runtime::error_sentence;

extern "C" {

void ardea_set_error(const char* sentence) {
  try {
    error_sentence = sentence != nullptr ? sentence : "an error without a sentence";
  } catch (const std::exception&) {
    error_sentence.clear();  // no memory for it: the caller still has the error code
  }
}

const char* ardea_last_error(void) { return error_sentence.c_str(); }

void ardea_set_error_format(const char* format, const int64_t* values, int32_t count) {
  try {
    std::string sentence;
    int32_t next = 0;
    for (const char* c = format; *c != '\0'; ++c) {
      const std::string_view rest = c;
      if (rest.starts_with("{}") && next < count) {
        sentence += std::to_string(values[next++]);
        ++c;
      } else if (rest.starts_with("{type}") && next < count) {
        sentence += ardea::runtime::type_in_words(values[next++]);
        c += 5;
      } else {
        sentence += *c;
      }
    }
    error_sentence = std::move(sentence);
  } catch (const std::exception&) {
    error_sentence.clear();
  }
}

int32_t ardea_parallel_for(ArdeaParallelBody body, void* closure, int64_t extent) {
  using namespace ardea::runtime;
  return report_errors([&] {
    ThreadPool::shared().parallel_for(extent, [&](int64_t begin, int64_t end) {
      const int32_t status = body(begin, end, closure);
      if (status == 0) return;
      const std::string sentence = take_error();
      throw BodyFailed(sentence.empty() ? "a parallel loop failed without a sentence" : sentence);
    });
    return 0;
  });
}

int32_t ardea_call_registered(const char* name, const ArdeaValue* arguments, const int32_t* type_codes,
                              int32_t count, ArdeaValue* result, int32_t* result_code) {
  using namespace ardea::runtime;
  return report_errors(
      [&] { return get_function(name).call_packed(arguments, type_codes, count, result, result_code); });
}

}  // extern "C"
