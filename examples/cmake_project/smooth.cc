#include <ardea/ardea.h>

#include <cmath>
#include <cstdio>

#include "smooth.h"

using namespace ardea;

namespace {

/// The program of smooth.tir, from C++.
Function smooth_program() {
  Var n = te::size("n");
  te::Tensor X = te::placeholder("X", {n + 2});
  te::Tensor Y = te::compute("Y", {n}, [&](auto i) {
    Expr sum = 0;
    for (int d = 0; d < 3; ++d) sum += X(i + d);
    return sum / 3;
  });
  schedule::Schedule sch(te::create_prim_func({X, Y}, "smooth"));
  auto loops = sch.get_loops(sch.get_block("Y"));
  auto pieces = sch.split(loops[0], {schedule::none, 64});
  sch.parallel(pieces[0]);
  sch.vectorize(pieces[1]);
  return sch.program();
}

bool is_smooth(const runtime::Array& y) {
  for (int i = 0; i < 1001; ++i)
    if (std::abs(y.get_float(i) - (i >= 498 && i <= 500 ? 1 : 0)) > 1e-5) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const auto x = runtime::Array::zeros({1003}, float32), y = runtime::Array::zeros({1001}, float32);
  x.set_float(500, 3);
  compile::callable(smooth_program(), target::host())(x, y);
  if (!is_smooth(y)) return 1;
  // The same from a file, and by the kernel that was compiled with this project.
  const auto from_file = compile::callable(arith::load_file(argv[1]), target::host()).get_function("smooth");
  const auto z = runtime::Array::zeros({1001}, float32);
  from_file(x, z);
  if (!is_smooth(z)) return 1;
  const auto data = [](const runtime::Array& array) { return static_cast<float*>(array.data()); };
  if (ardea_smooth(data(x), data(z), 1001) != 0 || !is_smooth(z)) return 1;
  if (ardea_smooth(data(x), nullptr, 1001) == 0) return 1;
  std::puts(ardea_smooth_error());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
