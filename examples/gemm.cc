#include <ardea/ardea.h>
using namespace ardea;

int main() {
  te::Tensor A = te::placeholder("A", {64, 32}), B = te::placeholder("B", {32, 48});
  te::Axis k = te::reduce_axis(32, "k");
  te::Tensor C = te::compute("C", {64, 48}, [&](auto i, auto j) { return te::sum(A(i, k) * B(k, j), {k}); });

  schedule::Schedule sch(te::create_prim_func({A, B, C}, "gemm"));  // its loops: i0, i1, k
  auto loops = sch.get_loops(sch.get_block("C"));
  auto rows = sch.split(loops[0], {schedule::none, 8});
  sch.reorder(rows[0], loops[2], rows[1], loops[1]);
  sch.vectorize(loops[1]);
  sch.parallel(rows[0]);

  auto a = runtime::Array::zeros({64, 32}, float32), b = runtime::Array::zeros({32, 48}, float32);
  auto c = runtime::Array::empty({64, 48}, float32);
  compile::callable(sch.program(), target::host())(a, b, c);                           // run it here
  compile::export_library({{}, {sch.program()}}, target::host(), {.folder = "gemm"});  // or link gemm/gemm.so
}
