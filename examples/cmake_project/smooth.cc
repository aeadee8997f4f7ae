#include <cmath>
#include <cstdio>

#include "ardea/arith/load.h"
#include "ardea/compile/compile.h"
#include "ardea/runtime/array.h"
#include "ardea/support/error.h"
#include "smooth.h"

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const ardea::Module program = ardea::arith::load_file(argv[1]);
  const ardea::runtime::Function smooth =
      ardea::compile::callable(program, ardea::target::host()).get_function("smooth");
  const auto x = ardea::runtime::Array::zeros({1003}, ardea::float32),
             y = ardea::runtime::Array::zeros({1001}, ardea::float32);
  x.set_float(500, 3);
  smooth(x, y);
  for (int i = 0; i < 1001; ++i)
    if (std::abs(y.get_float(i) - (i >= 498 && i <= 500 ? 1 : 0)) > 1e-5) return 1;
  // The same by the kernel that was compiled with this project.
  const auto data = [](const ardea::runtime::Array& array) { return static_cast<float*>(array.data()); };
  if (ardea_smooth(data(x), data(y), 1001) != 0 || ardea_smooth(data(x), nullptr, 1001) == 0) return 1;
  std::puts(ardea_smooth_error());
  return 0;
} catch (const ardea::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
