#include "ardea/rules/model/row_threads.h"

#include <algorithm>
#include <bit>

#include "ardea/rules/model/block_threads.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// What a thread loads at least, before more threads share a row: vectors of the row and of what is read
/// along it. Of more, with float16, ptxas asks for the last ones when the first have come, to stay within the
/// registers that fill a multiprocessor with threads, and memory is waited for twice (gemv 1024 × 1024 on an
/// H200: 2.25 µs by four vectors of both, 1.89 by two).
constexpr std::int64_t usual_vectors = 4;
/// A row of no more vectors is one thread's: nothing is combined (512 rows of two: 0.79 µs, by two threads
/// 0.84).
constexpr std::int64_t alone_vectors = 2;

/// The smallest power of two that is no less.
std::int64_t as_power(std::int64_t count) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, count))));
}

std::int64_t most_threads(const ThreadRows& rows, const target::Target& target) {
  return std::min<std::int64_t>(as_power(ceil_div(rows.longest, rows.lanes)), target.gpu->threads_per_block);
}

}  // namespace

std::int64_t model_row_threads(const ThreadRows& rows, const target::Target& target) {
  const std::int64_t most = most_threads(rows, target), warp = target.gpu->warp_threads;
  if (rows.has_common_operand &&
      rows.rows * warp >= std::int64_t{target.cores} * target.gpu->threads_per_core)
    return std::min(most, warp);
  const std::int64_t vectors = ceil_div(rows.longest, rows.lanes);
  if (vectors <= alone_vectors) return 1;
  const std::int64_t some = as_power(ceil_div(vectors * (rows.has_common_operand ? 2 : 1), usual_vectors));
  return std::clamp(some, std::min(most, warp), most);
}

std::vector<std::int64_t> row_thread_counts(const ThreadRows& rows, const target::Target& target) {
  const std::int64_t model = model_row_threads(rows, target), most = most_threads(rows, target);
  std::vector<std::int64_t> counts;
  for (const std::int64_t threads : {model / 4, model / 2, model, 2 * model, 4 * model})
    if (threads >= 1 && threads <= most) counts.push_back(threads);
  return counts;
}

std::int64_t vectors_of_thread(const ThreadRows& rows, std::int64_t threads) {
  return ceil_div(rows.longest, rows.lanes * threads);
}

std::int64_t model_rows_of_block(const ThreadRows& rows, std::int64_t threads, const target::Target& target) {
  const auto all = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows.rows)));
  std::int64_t together = std::clamp<std::int64_t>(usual_block_threads(target) / threads, 1, all);
  while (together * threads > target.gpu->warp_threads && rows.rows < together * target.cores) together /= 2;
  return std::max<std::int64_t>(1, together);
}

}  // namespace ardea::rules
