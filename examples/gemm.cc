#include <ardea/compile/compile.h>
#include <ardea/compile/export_library.h>
#include <ardea/te/compute.h>
#include <ardea/te/create_prim_func.h>
using namespace ardea;

int main() {
  te::Tensor A = te::placeholder("A", {64, 32}), B = te::placeholder("B", {32, 48});
  te::Axis k = te::reduce_axis(32, "k");
  te::Tensor C = te::compute("C", {64, 48}, [&](Var i, Var j) { return te::sum(A(i, k) * B(k, j), {k}); });
  Function gemm = te::create_prim_func({A, B, C}, "gemm");

  auto a = runtime::Array::zeros({64, 32}, float32), b = runtime::Array::zeros({32, 48}, float32);
  auto c = runtime::Array::empty({64, 48}, float32);
  compile::callable(gemm, target::host())(a, b, c);                           // run it here
  compile::export_library({{}, {gemm}}, target::host(), {.folder = "gemm"});  // or link gemm/gemm.so anywhere
}
