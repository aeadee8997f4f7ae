#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "tests/compile/both_ways.h"
#include "tests/compile/exported.h"
#include "tests/support/product_text.h"

/// What export_library writes, used from C programs that know nothing of Ardea.

namespace ardea::test {
namespace {

using compile::LibraryFile;

const std::string gemm_text = product_text(5, 7, 3);

const char* const gemm_main = R"(
#include <stdio.h>
#include "gemm.h"
static _Alignas(64) float A[5][7], B[7][3], C[5][3];
int main(void) {
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 7; ++k) A[i][k] = (float)(i - k);
  for (int k = 0; k < 7; ++k)
    for (int j = 0; j < 3; ++j) B[k][j] = (float)(k * 3 + j);
  if (ardea_gemm(&A[0][0], &B[0][0], &C[0][0]) != 0) return printf("%s\n", ardea_gemm_error()), 1;
  int wrong = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j) {
      float sum = 0;
      for (int k = 0; k < 7; ++k) sum += A[i][k] * B[k][j];
      wrong += sum != C[i][j];
    }
  printf("%d wrong, C[4][2] is %g\n", wrong, (double)C[4][2]);
  if (ardea_gemm(&A[0][0], NULL, &C[0][0]) == 0) return 2;
  printf("%s\n", ardea_gemm_error());
  if (ardea_gemm(&A[0][0], &B[0][0], (float*)((char*)C + 2)) == 0) return 3;
  printf("%s\n", ardea_gemm_error());
  return 0;
}
)";

const char* const gemm_answer =
    "0 wrong, C[4][2] is -7\n"
    "ardea_gemm: argument B (2 of 3) has no memory: its data is null\n"
    "ardea_gemm: argument C (3 of 3) begins 2 bytes after a multiple of 4, must begin on one; pass an "
    "aligned copy\n";

TEST(Linking, a_c_program_calls_the_object_the_library_and_the_source) {
  const Folder folder;
  export_text(gemm_text, folder);
  folder.write("main.c", gemm_main);
  EXPECT_EQ(built_and_run(folder, {"gemm.o"}), gemm_answer);
  EXPECT_EQ(built_and_run(folder, {"gemm.so"}), gemm_answer);
  EXPECT_EQ(built_and_run(folder, {"gemm.c"}), gemm_answer);
}

TEST(Linking, exports_the_documented_names_only) {
  const Folder folder;
  export_text(gemm_text, folder);
  const ProcessResult names = run_process(
      {.program = "nm", .arguments = {"-D", "--defined-only", "gemm.so"}, .folder = folder.path()});
  ASSERT_TRUE(names.succeeded()) << names.error;
  std::vector<std::string> found;
  std::istringstream words(names.out);
  for (std::string address, kind, name; words >> address >> kind >> name;) found.push_back(name);
  EXPECT_EQ(found, (std::vector<std::string>{"ardea_gemm", "ardea_gemm_error", "ardea_library"}));
}

const char* const scale_by_value_text = R"(
@T.prim_func
def scale(x: T.handle, y: T.handle, factor: T.float32, offset: T.int8, flag: T.bool, h: T.float16):
    n = T.int64()
    m = T.int32()
    X = T.match_buffer(x, (n, m), "float32")
    Y = T.match_buffer(y, (m, n * 2), "float32")
    for i in T.parallel(n):
        for j in range(m):
            Y[j, i * 2] = X[i, j] * factor + T.Cast("float32", offset)
            Y[j, i * 2 + 1] = T.Select(flag, T.Cast("float32", h), T.float32(-1.0))
)";

TEST(Linking, takes_scalars_by_value_and_sizes_behind_them) {
  const Folder folder;
  export_text(scale_by_value_text, folder, {.prefix = "my_"});
  EXPECT_NE(folder.read("scale.h").find(
                "int my_scale(const float* X, float* Y, float factor, int8_t offset, int flag, "
                "float h, int64_t n, int64_t m);"),
            std::string::npos)
      << folder.read("scale.h");
  folder.write("main.c", R"(
#include <stdio.h>
#include "scale.h"
static _Alignas(64) float x[3][2] = {{1, 2}, {3, 4}, {5, 6}}, y[2][6];
int main(void) {
  if (my_scale(&x[0][0], &y[0][0], 10, -1, 2, 0.1f, 3, 2) != 0) return printf("%s\n", my_scale_error()), 1;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 6; ++i) printf("%.9g ", (double)y[j][i]);
  if (my_scale(&x[0][0], NULL, 10, -1, 0, 0.1f, 0, 2) != 0) return 2; /* nothing to do */
  if (my_scale(&x[0][0], &y[0][0], 10, -1, 0, 0.1f, -1, 2) == 0) return 1;
  printf("\n%s\n", my_scale_error());
  return 0;
}
)");
  // 0.1 as float16
  const std::string answer =
      "9 0.0999755859 29 0.0999755859 49 0.0999755859 19 0.0999755859 39 0.0999755859 59 0.0999755859 \n"
      "my_scale: argument X (1 of 6): extent 1 is -1, must not be negative\n";
  EXPECT_EQ(built_and_run(folder, {"scale.o"}), answer);
  EXPECT_EQ(built_and_run(folder, {"scale.c"}), answer);
}

TEST(Linking, computes_extents_that_are_expressions) {
  const Folder folder;
  export_text(R"(
@T.prim_func
def windows(x: T.handle, y: T.handle, z: T.handle, step: T.int32):
    n = T.int64()
    X = T.match_buffer(x, (n,), "float32")
    Y = T.match_buffer(y, ((n + 3) // 4, n - n % 5), "int32")
    Z = T.match_buffer(z, (T.min(n, 7), T.max(n, step)), "int32")
    for i, j in T.grid((n + 3) // 4, n - n % 5):
        Y[i, j] = T.int32(1)
    for i, j in T.grid(T.min(n, 7), T.max(n, step)):
        Z[i, j] = T.int32(2)
)",
              folder, {.files = {LibraryFile::object, LibraryFile::header}});
  folder.write("main.c", R"(
#include <stdio.h>
#include "windows.h"
static _Alignas(64) float x[64];
static _Alignas(64) int32_t y[1024], z[1024];
int main(void) {
  for (int n = 5; n < 20; ++n) {
    for (int i = 0; i < 1024; ++i) y[i] = z[i] = 0;
    if (ardea_windows(x, y, z, 11, n) != 0) return printf("%s\n", ardea_windows_error()), 1;
    int ones = 0, twos = 0;
    for (int i = 0; i < 1024; ++i) ones += y[i] == 1, twos += z[i] == 2;
    if (ones != (n + 3) / 4 * (n - n % 5) || twos != (n < 7 ? n : 7) * (n > 11 ? n : 11))
      return printf("%d: %d %d\n", n, ones, twos), 2;
  }
  printf("right\n");
  return 0;
}
)");
  EXPECT_EQ(built_and_run(folder, {"windows.o"}), "right\n");
}

TEST(Linking, takes_leading_dimensions_behind_the_sizes) {
  const Folder folder;
  export_text(R"(
@T.prim_func
def rows(a: T.handle, b: T.handle):
    m = T.int64()
    lda = T.int64()
    A = T.match_buffer(a, (m, 3), "float32", strides=[lda, 1])
    B = T.match_buffer(b, (m,), "float32")
    for i, k in T.grid(m, 3):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)",
              folder);
  EXPECT_NE(folder.read("rows.h").find("int ardea_rows(const float* A, float* B, int64_t m, int64_t lda);"),
            std::string::npos)
      << folder.read("rows.h");
  EXPECT_NE(folder.read("rows.h").find("strides in elements [lda, 1]"), std::string::npos);
  folder.write("main.c", R"(
#include <stdio.h>
#include "rows.h"
static _Alignas(64) float a[5][7], b[5];
int main(void) {
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) a[i][j] = j < 3 ? i * 10 + j : 1000;
  if (ardea_rows(&a[0][0], b, 5, 7) != 0) return printf("%s\n", ardea_rows_error()), 1;
  for (int i = 0; i < 5; ++i) printf("%g ", (double)b[i]);
  if (ardea_rows(&a[0][0], b, 5, -7) == 0) return 1;
  printf("\n%s\n", ardea_rows_error());
  return 0;
}
)");
  const std::string answer =
      "3 33 63 93 123 \n"
      "ardea_rows: argument A (1 of 2): the stride of dimension 1 is -7, must not be negative\n";
  EXPECT_EQ(built_and_run(folder, {"rows.o"}), answer);
  EXPECT_EQ(built_and_run(folder, {"rows.c"}), answer);
}

TEST(Linking, names_types_that_c_lacks_by_their_bits) {
  const Folder folder;
  export_text(R"(
@T.prim_func
def copy(a: T.Buffer((3,), "float16"), b: T.Buffer((3,), "bfloat16"), c: T.Buffer((5,), "int4"), d: T.Buffer((), "bool"),
         e: T.Buffer((2,), "float8_e4m3"), o: T.Buffer((3,), "bfloat16"), p: T.Buffer((5,), "uint4")):
    for i in range(3):
        o[i] = b[i] + T.Cast("bfloat16", a[i])
    for i in range(5):
        p[i] = T.Cast("uint4", c[i])
    if d[()]:
        o[0] = T.Cast("bfloat16", e[1])
)",
              folder, {.files = {LibraryFile::header, LibraryFile::object}});
  const std::string header = folder.read("copy.h");
  EXPECT_NE(
      header.find(
          "int ardea_copy(const uint16_t* a, const uint16_t* b, const int8_t* c, const uint8_t* d, const "
          "uint8_t* e, uint16_t* o, uint8_t* p);"),
      std::string::npos)
      << header;
  EXPECT_NE(header.find("bfloat16[3], as their bits"), std::string::npos) << header;
  EXPECT_NE(header.find("int4[5], two in a byte"), std::string::npos) << header;
  folder.write("main.c", R"(
#include <stdio.h>
#include "copy.h"
static _Alignas(64) uint16_t a[3] = {0x3c00, 0xc000, 0}, b[3] = {0x3f80, 0x4000, 0x4040}, o[3];
static _Alignas(64) int8_t c[3] = {0x21, 0x43, 0x7f};
static _Alignas(64) uint8_t d[1] = {1}, e[2] = {0, 0x38}, p[3];
int main(void) {
  if (ardea_copy(a, b, c, d, e, o, p) != 0) return printf("%s\n", ardea_copy_error()), 1;
  printf("%x %x %x %x %x %x\n", o[0], o[1], o[2], p[0], p[1], p[2] & 15);
  return 0;
}
)");
  EXPECT_EQ(built_and_run(folder, {"copy.o"}), "3f80 0 4040 21 43 f\n");
}

const char* const sum_text = R"(
@T.prim_func
def rows(X: T.Buffer((211, 64), "float32"), Y: T.Buffer((211,), "float32")):
    for i in T.parallel(211):
        Y[i] = T.float32(0)
        for j in range(64):
            Y[i] = Y[i] + X[i, j]
)";

TEST(Linking, two_kernels_live_in_one_program_and_one_kernel_twice) {
  const Folder folder;
  export_text(gemm_text, folder);
  export_text(sum_text, folder);
  export_text(sum_text, folder, {.name = "others", .prefix = "other_"});
  folder.write("main.c", R"(
#include <stdio.h>
#include "gemm.h"
#include "rows.h"
#include "others.h"
static _Alignas(64) float A[35], B[21], C[15], X[211 * 64], Y[211];
int main(void) {
  for (int i = 0; i < 211 * 64; ++i) X[i] = 1;
  const int first = ardea_gemm(A, B, C), second = ardea_rows(X, Y), third = other_rows(X, Y);
  printf("%d %d %d %g\n", first, second, third, (double)Y[210]);
  const int bad = other_rows(X, NULL);
  printf("%d %s\n", bad != 0, other_rows_error());
  return 0;
}
)");
  const std::string answer = "0 0 0 64\n1 other_rows: argument Y (2 of 2) has no memory: its data is null\n";
  EXPECT_EQ(built_and_run(folder, {"gemm.o", "rows.o", "others.o"}), answer);
  EXPECT_EQ(built_and_run(folder, {"others.so", "rows.so", "gemm.o"}), answer);
  EXPECT_EQ(built_and_run(folder, {"gemm.c", "others.o", "rows.c"}), answer);
}

const char* const fragile_text = R"(
@T.prim_func
def gather(I: T.Buffer((1000,), "int32"), X: T.Buffer((16,), "float32"), Y: T.Buffer((1000,), "float32")):
    for i in T.parallel(1000):
        Y[i] = X[I[i]]
)";

/// Threads, nested processes, exit, and errors out of workers, in one program that counts what goes wrong.
TEST(Linking, a_parallel_kernel_runs_from_many_threads_processes_and_in_between) {
  const Folder folder;
  export_text(sum_text, folder);
  export_text(fragile_text, folder);
  folder.write("main.c", R"(
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gather.h"
#include "rows.h"

static _Alignas(64) float X[211 * 64];

static int sums(int rounds) {
  int wrong = 0;
  float* Y = aligned_alloc(64, 211 * 4 / 64 * 64 + 64);
  for (int r = 0; r < rounds; ++r) {
    memset(Y, 0, 211 * 4);
    wrong += ardea_rows(X, Y) != 0;
    for (int i = 0; i < 211; ++i) wrong += Y[i] != 64;
  }
  free(Y);
  return wrong;
}

static int errors(void) {
  static _Alignas(64) int32_t I[1000];
  static _Alignas(64) float Z[16], Y[1000];
  int wrong = ardea_gather(I, Z, Y) != 0;
  I[999] = 16; /* the last chunk, which a worker runs */
  wrong += ardea_gather(I, Z, Y) == 0;
  wrong += strstr(ardea_gather_error(), "16") == NULL;
  I[999] = 0;
  wrong += ardea_gather(I, Z, Y) != 0;
  return wrong;
}

static void* caller(void* wrong) {
  *(int*)wrong += sums(200);
  return NULL;
}

static int threads_now(void) {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  for (struct dirent* e; tasks != NULL && (e = readdir(tasks)) != NULL;) count += e->d_name[0] != '.';
  if (tasks != NULL) closedir(tasks);
  return count;
}

int main(void) {
  const int threads_before = threads_now(); /* an emulator may have some of its own */
  for (int i = 0; i < 211 * 64; ++i) X[i] = 1;
  int wrong[3] = {0, 0, 0};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, caller, &wrong[i]);
  wrong[2] += sums(200);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("wrong: %d %d %d, errors: %d, workers: %d\n", wrong[0], wrong[1], wrong[2], errors(),
         threads_now() - threads_before);

  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  usleep(300000);
  getrusage(RUSAGE_SELF, &after);
  const long used_us = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000L +
                       (after.ru_utime.tv_usec - before.ru_utime.tv_usec);
  printf("idle: %s\n", used_us < 50000 ? "asleep" : "burning");

  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) exit(sums(50) + errors() + (threads_now() - threads_before != 3));
  int status = -1;
  waitpid(child, &status, 0);
  printf("child: %d, parent: %d\n", status, sums(10));
  return 0;
}
)");
  const std::string answer = "wrong: 0 0 0, errors: 0, workers: 3\nidle: asleep\nchild: 0, parent: 0\n";
  EXPECT_EQ(built_and_run(folder, {"rows.o", "gather.o"}, {{"ARDEA_NUM_THREADS", "4"}}), answer);
  const std::string said = built_and_run(folder, {"rows.o", "gather.o"}, {{"ARDEA_NUM_THREADS", "many"}});
  EXPECT_NE(said, answer) << "a wrong setting is refused";
}

TEST(Linking, a_library_can_be_closed_while_its_threads_sleep) {
  const Folder folder;
  export_text(sum_text, folder, {.files = {LibraryFile::shared_library}});
  folder.write("main.c", R"(
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
static _Alignas(64) float X[211 * 64], Y[211];
static int threads_now(void) {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  for (struct dirent* e; tasks != NULL && (e = readdir(tasks)) != NULL;) count += e->d_name[0] != '.';
  if (tasks != NULL) closedir(tasks);
  return count;
}
int main(void) {
  const int before = threads_now();
  for (int i = 0; i < 20; ++i) {
    void* library = dlopen("./rows.so", RTLD_NOW);
    if (library == NULL) return printf("%s\n", dlerror()), 1;
    int (*rows)(const float*, float*);
    *(void**)&rows = dlsym(library, "ardea_rows");
    if (rows(X, Y) != 0) return 2;
    if (threads_now() != before + 3) return 3;
    if (dlclose(library) != 0) return 4;
    if (dlopen("./rows.so", RTLD_NOW | RTLD_NOLOAD) != NULL) return 5;
    /* A thread that was joined leaves the list a moment later. */
    for (int wait = 0; wait < 100000 && threads_now() != before; ++wait) continue;
    if (threads_now() != before) return 6;
  }
  printf("closed\n");
  return 0;
}
)");
  EXPECT_EQ(built_and_run(folder, {"-ldl"}, {{"ARDEA_NUM_THREADS", "4"}}), "closed\n");
}

TEST(Linking, an_allocation_that_fails_is_a_sentence) {
  const Folder folder;
  export_text(R"(
@T.prim_func
def big(x: T.handle, y: T.handle):
    n = T.int64()
    X = T.match_buffer(x, (n,), "float32")
    Y = T.match_buffer(y, (1,), "float32")
    S = T.allocate([n * 1099511627776], "float32", "global")
    S_1 = T.Buffer((n * 1099511627776,), data=S)
    for i in range(n):
        S_1[i * 1099511627776] = X[i]
    Y[0] = S_1[0]
)",
              folder, {.files = {LibraryFile::object, LibraryFile::header}});
  folder.write("main.c", R"(
#include <stdio.h>
#include "big.h"
static _Alignas(64) float X[1 << 10], Y[1];
int main(void) {
  const int status = ardea_big(X, Y, 1 << 10);
  printf("%d %s\n", status != 0, ardea_big_error());
  return 0;
}
)");
  const std::string said = built_and_run(folder, {"big.o"});
  EXPECT_TRUE(said.starts_with("1 ardea_big: ")) << said;
  EXPECT_NE(said.find("memory"), std::string::npos) << said;
}

TEST(Linking, a_function_that_nobody_registered_is_a_sentence) {
  const Folder folder;
  export_text(R"(
@T.prim_func
def asks(Y: T.Buffer((1,), "float32")):
    Y[0] = T.call_registered("tests.answer", 6, dtype="float32")
)",
              folder, {.files = {LibraryFile::object, LibraryFile::header}});
  folder.write("main.c", R"(
#include <stdio.h>
#include "asks.h"
static _Alignas(64) float Y[1];
int main(void) {
  const int status = ardea_asks(Y);
  printf("%d %s\n", status != 0, ardea_asks_error());
  return 0;
}
)");
  EXPECT_EQ(built_and_run(folder, {"asks.o"}),
            "1 the program calls the registered function \"tests.answer\", which nobody provides here; load "
            "the library "
            "by ardea::runtime::load_module in a process that registers it\n");
}

}  // namespace
}  // namespace ardea::test
