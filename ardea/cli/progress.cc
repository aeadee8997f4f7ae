#include "ardea/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace ardea::cli {

void Progress::tell(std::size_t done, std::size_t invalid) {
  if (done < all_) shown_.tell([&] { return line(done, invalid); });
}

std::string Progress::line(std::size_t done, std::size_t invalid) const {
  const double rate = static_cast<double>(done) / shown_.seconds();
  const double left = static_cast<double>(all_ - done) / std::max(rate, 1e-9);
  return fmt::format("{}: {} of {} samples, {} invalid; {:.1f} a second, about {:.0f} s left", what_, done,
                     all_, invalid, rate, left);
}

}  // namespace ardea::cli
