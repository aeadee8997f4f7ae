#include "ardea/rules/model/row_threads.h"

#include <algorithm>
#include <bit>

#include "ardea/rules/model/block_threads.h"
#include "ardea/support/ceil_div.h"

namespace ardea::rules {

namespace {

/// What a thread takes of a row at least, before more threads share it.
constexpr std::int64_t usual_vectors = 4;

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
  const std::int64_t some = as_power(ceil_div(rows.longest, rows.lanes * usual_vectors));
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
  std::int64_t together = std::max<std::int64_t>(1, usual_block_threads(target) / threads);
  while (together > 1 && rows.rows < together * target.cores) together /= 2;
  return together;
}

}  // namespace ardea::rules
