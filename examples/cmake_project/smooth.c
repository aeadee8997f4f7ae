#include "smooth.h"

#include <math.h>
#include <stdio.h>

#include "product.h"
#include "smooth_plain.h"

enum { n = 1001 };
static float x[n + 2], y[n];
static float a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 0}, {0, 1}, {1, 1}}, c[2][2];

int main(void) {
  for (int i = 0; i < n + 2; ++i) x[i] = (float)(i * i % 17);
  if (ardea_smooth(x, y, n) != 0) {
    fprintf(stderr, "%s\n", ardea_smooth_error());
    return 1;
  }
  for (int i = 0; i < n; ++i)
    if (fabsf(y[i] - (x[i] + x[i + 1] + x[i + 2]) / 3) > 1e-5f) return 1;
  if (smooth(x, y, n) != 0) return 1;
  if (ardea_gemm(&a[0][0], &b[0][0], &c[0][0]) != 0 || c[1][0] != 10 || c[1][1] != 11) return 1;
  if (ardea_smooth(x, NULL, n) == 0) return 1;
  printf("right; and a null pointer is answered by: %s\n", ardea_smooth_error());
  return 0;
}
