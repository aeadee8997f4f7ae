#include "bench/peers/blas.h"
#include "bench/peers/own_library.h"

namespace peer {

const Blas& mkl(const GemmShape& shape) {
  static Kernels kernels = [] {
    // Not Intel's OpenMP: the other peers bring GNU's, and two of them in one process wait for each other.
    const OwnLibrary library = OwnLibrary::in_place(ARDEA_MKL, "MKL_THREADING_LAYER", "GNU");
    Blas blas = by_cblas(library);
    library.start([&] {
      char text[256] = {};
      library.function<void (*)(char*, int)>("mkl_get_version_string")(text, sizeof text - 1);
      const std::string version(text);  // filled up with blanks
      blas.library = version.substr(0, version.find("  ")) + ", " ARDEA_MKL;
      const float one = 1;
      float out = 0;
      blas.gemm(1, 1, 1, &one, &one, false, &out);  // it reads the setting when it is first asked to compute
    });
    blas.set_threads = library.function<void (*)(int)>("MKL_Set_Num_Threads");
    blas.name = "MKL";
    blas.kernels = "its own";
    return Kernels({blas});
  }();
  return kernels.fastest(shape);
}

}  // namespace peer
