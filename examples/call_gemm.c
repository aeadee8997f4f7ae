/* Calls the library that `ardea compile gemm 64,64,64 -o DIR` writes. Nothing of Ardea is needed to build it:
 *   cc -I DIR call_gemm.c DIR/gemm.o -lm -lpthread */
#include <stdio.h>

#include "gemm.h"

static float a[64][64], b[64][64], c[64][64];

int main(void) {
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      a[i][j] = (float)(i + j);
      b[i][j] = i == j ? 2.0f : 0.0f; /* twice the identity */
    }
  if (ardea_gemm(&a[0][0], &b[0][0], &c[0][0]) != 0) {
    fprintf(stderr, "%s\n", ardea_gemm_error());
    return 1;
  }
  printf("c[3][4] = %g\n", c[3][4]);
  return c[3][4] == 14.0f ? 0 : 1;
}
