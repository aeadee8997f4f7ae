#include "ardea/ops/layout.h"

#include "ardea/ops/shapes.h"
#include "ardea/support/error.h"

namespace ardea::ops {

std::vector<std::string> Image::spatial_names(const std::string& prefix) const {
  static const char* const names[] = {"d", "h", "w"};
  std::vector<std::string> wanted;
  for (std::size_t i = 3 - rank; i < 3; ++i) wanted.push_back(prefix + names[i]);
  return wanted;
}

te::Tensor Image::framed(const te::Tensor& x, const std::vector<Margin>& spatial, const Expr& value) const {
  return padded(x, arranged<Margin>({}, {}, spatial), value,
                arranged<std::string>("n", "c", spatial_names()));
}

Expr window_count(const std::string& call, const std::string& size, const Expr& in, const Expr& k,
                  std::int64_t stride, std::int64_t padding, std::int64_t dilation) {
  const Expr room = in + 2 * padding - (k - 1) * dilation - 1;
  const Expr count = folded(floor_div(room, stride) + 1);
  const auto windows = constant_int(count);
  require(!windows || *windows >= 1,
          "{}: the output's {} comes out as {}: a window of {} elements {} apart does not fit in {} elements "
          "with padding {} at both ends; enlarge {} or the padding, or reduce the window",
          call, size, windows.value_or(0), constant_int(k).value_or(0), dilation,
          constant_int(in).value_or(0), padding, size);
  return count;
}

void check_window(const std::string& call, std::int64_t stride, std::int64_t padding, std::int64_t dilation) {
  constexpr std::int64_t largest = 1 << 30;  // extents computed from these and 32-bit sizes stay in 64 bits
  require(1 <= stride && stride <= largest, "{}: stride is {}, must be between 1 and {}", call, stride,
          largest);
  require(0 <= padding && padding <= largest, "{}: padding is {}, must be between 0 and {}", call, padding,
          largest);
  require(1 <= dilation && dilation <= largest, "{}: dilation is {}, must be between 1 and {}", call,
          dilation, largest);
}

}  // namespace ardea::ops
