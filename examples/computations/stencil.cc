#include "beside.h"
using namespace ardea;

/// An image blurred by 3 x 3: across its rows, then down its columns. Pixels beyond the border are those on
/// it.

const float third = 1.0f / 3;

Function blur(int height, int width) {
  te::Tensor image = te::placeholder("image", {height, width});
  te::Tensor across = te::compute("across", {{"y", height}, {"x", width}}, [&](auto y, auto x) {
    return (image(y, te::max(x - 1, 0)) + image(y, x) + image(y, te::min(x + 1, width - 1))) * third;
  });
  te::Tensor out = te::compute("out", {{"y", height}, {"x", width}}, [&](auto y, auto x) {
    return (across(te::max(y - 1, 0), x) + across(y, x) + across(te::min(y + 1, height - 1), x)) * third;
  });
  return te::create_prim_func({image, out}, "blur");
}

/// Strips of rows, one a thread at a time. The rows that a strip reads are blurred across right before it,
/// while they are in the cache.
Function scheduled(const Function& program) {
  schedule::Schedule sch(program);
  auto across = sch.get_block("across"), out = sch.get_block("out");
  auto loops = sch.get_loops(out);
  auto strips = sch.split(loops[0], {schedule::none, 64});
  sch.compute_at(across, strips[0]);
  sch.vectorize(loops[1]);
  sch.vectorize(sch.get_loops(across).back());
  sch.parallel(strips[0]);
  return sch.program();
}

void plain(const float* image, float* across, float* out, int height, int width) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      across[y * width + x] = (image[y * width + std::max(x - 1, 0)] + image[y * width + x] +
                               image[y * width + std::min(x + 1, width - 1)]) *
                              third;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out[y * width + x] = (across[std::max(y - 1, 0) * width + x] + across[y * width + x] +
                            across[std::min(y + 1, height - 1) * width + x]) *
                           third;
}

int main(int argc, char** argv) {
  const int height = is_small(argc, argv) ? 37 : 2048, width = is_small(argc, argv) ? 53 : 2048;
  auto image = runtime::Array::empty({height, width}, float32);
  auto out = runtime::Array::empty({height, width}, float32);
  auto expected = runtime::Array::empty({height, width}, float32);
  std::vector<float> across(static_cast<std::size_t>(height) * width);
  fill(image, 1);

  auto run = compile::callable(scheduled(blur(height, width)), target::host());
  const auto ours = [&] { run(image, out); };
  const auto theirs = [&] {
    plain(image.values<float>().data(), across.data(), expected.values<float>().data(), height, width);
  };
  ours(), theirs();
  if (!agree(out, expected)) return 1;
  if (!is_small(argc, argv)) time_beside("blur 2048 x 2048", ours, theirs);
}
