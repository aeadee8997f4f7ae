#include <gtest/gtest.h>

#include <unistd.h>

#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include "ardea/runtime/load_module.h"
#include "tests/compile/both_ways.h"
#include "tests/compile/exported.h"

/// Temporaries of compiled libraries: what threads keep of them does not grow with the libraries they have
/// called.

namespace ardea::test {
namespace {

using runtime::Array;

/// 16 MiB of temporaries.
const char* const with_temporary = R"(
@T.prim_func
def sums(Y: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((64, 65536), "float32")
    for i, j in T.grid(64, 65536):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = T.Cast("float32", (vi * 7 + vj) % 5)
    for i, j in T.grid(64, 65536):
        with T.block("Y"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                Y[vi] = T.float32(0)
            Y[vi] = Y[vi] + B[vi, vj]
)";

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// A thread that lives through all the calls: only then does nothing but the unloading give its memory back.
class LongLivedThread {
 public:
  LongLivedThread() : thread_([this] { work(); }) {}
  ~LongLivedThread() {
    run({});
    thread_.join();
  }
  /// Empty: end.
  void run(std::function<void()> task) {
    std::unique_lock lock(mutex_);
    task_ = std::move(task);
    waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !waiting_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (bool more = true; more;) {
      changed_.wait(lock, [&] { return waiting_; });
      more = task_ != nullptr;
      if (more) task_();
      task_ = nullptr;
      waiting_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool waiting_ = false;
  std::thread thread_;
};

TEST(Memory, of_loaded_modules_is_the_process_s_and_does_not_grow_with_them) {
  const Folder folder;
  const auto library =
      export_text(with_temporary, folder, {.files = {compile::LibraryFile::shared_library}})[0];
  LongLivedThread thread;
  const Array y = Array::zeros({64}, float32);
  double before = 0;
  for (int round = 0; round < 8; ++round) {
    if (round == 2) before = resident_mib();
    // Another file each time: no library is the one before.
    const std::filesystem::path own = folder.path() / ("own" + std::to_string(round) + ".so");
    std::filesystem::copy_file(library, own);
    const runtime::Function sums = runtime::load_module(own).get_function("sums");
    thread.run([&] { sums(y); });
    sums(y);
  }
  EXPECT_LT(resident_mib() - before, 24) << "MiB after six more libraries";
}

const char* const unloading = R"(
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static _Alignas(64) float Y[64];
static pthread_barrier_t begin, end;
static int (*sums)(float*);
static void* work(void* unused) {
  while (pthread_barrier_wait(&begin), sums != NULL) {
    sums(Y);
    pthread_barrier_wait(&end);
  }
  return unused;
}
static double resident_mib(void) {
  long all = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &all, &resident) != 2) return -1;
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}
int main(void) {
  pthread_t threads[3];
  pthread_barrier_init(&begin, NULL, 4);
  pthread_barrier_init(&end, NULL, 4);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, NULL);
  double before = 0;
  for (int round = 0; round < 8; ++round) {
    if (round == 2) before = resident_mib();
    void* library = dlopen("./sums.so", RTLD_NOW);
    if (library == NULL) return puts(dlerror()), 1;
    *(void**)&sums = dlsym(library, "ardea_sums");
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    if (round == 1 && resident_mib() < 40) return puts("nothing is kept between calls"), 1;
    dlclose(library);
    if (dlopen("./sums.so", RTLD_NOW | RTLD_NOLOAD) != NULL) return puts("it is still loaded"), 1;
  }
  printf("%s\n", resident_mib() - before < 24 ? "flat" : "grown");
  sums = NULL;
  pthread_barrier_wait(&begin);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
)";

TEST(Memory, that_any_thread_keeps_of_a_library_goes_when_it_is_unloaded) {
  const Folder folder;
  export_text(with_temporary, folder);
  folder.write("main.c", unloading);
  EXPECT_EQ(built_and_run(folder, {"-D_GNU_SOURCE", "-Wno-pedantic", "-ldl", "-lpthread"}), "flat\n");
}

}  // namespace
}  // namespace ardea::test
