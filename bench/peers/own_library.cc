#include "bench/peers/own_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace peer {

namespace {

/// A copy in memory, by a path that no other copy has: the loader opens a file, and a path, only once. The
/// descriptor stays open, so that its number is not used again.
std::string copy_in_memory(const std::string& file) {
  const int from = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (from < 0 || fstat(from, &status) != 0) throw std::runtime_error(file + " cannot be read");
  const int to = memfd_create("peer", MFD_CLOEXEC);
  off_t copied = 0;
  while (to >= 0 && copied < status.st_size)
    if (sendfile(to, from, &copied, static_cast<std::size_t>(status.st_size - copied)) <= 0) break;
  close(from);
  if (to < 0 || copied < status.st_size) throw std::runtime_error(file + " cannot be copied to memory");
  return "/proc/self/fd/" + std::to_string(to);
}

}  // namespace

OwnLibrary::OwnLibrary(const std::string& file, const std::string& variable, const std::string& value)
    : OwnLibrary(file, copy_in_memory(file), variable, value) {}

OwnLibrary OwnLibrary::in_place(const std::string& file, const std::string& variable,
                                const std::string& value) {
  return {file, file, variable, value};
}

OwnLibrary::OwnLibrary(const std::string& file, const std::string& opened, const std::string& variable,
                       const std::string& value)
    : file_(file), variable_(variable), value_(value) {
  void* handle = nullptr;
  with_setting([&] { handle = dlopen(opened.c_str(), RTLD_NOW | RTLD_LOCAL); });
  if (handle == nullptr) throw std::runtime_error(dlerror());
  handle_ = std::shared_ptr<void>(handle, [](void*) {});  // never closed: its threads run its code
}

void OwnLibrary::with_setting(const std::function<void()>& body) const {
  const bool set = !value_.empty() && std::getenv(variable_.c_str()) == nullptr;
  if (set) setenv(variable_.c_str(), value_.c_str(), 1);
  body();
  if (set) unsetenv(variable_.c_str());
}

void OwnLibrary::start(const std::function<void()>& first_call) const { with_setting(first_call); }

void* OwnLibrary::find(const char* symbol) const {
  void* const found = dlsym(handle_.get(), symbol);
  if (found == nullptr) throw std::runtime_error(file_ + " has no " + symbol);
  return found;
}

double fastest_s(const std::function<void()>& call) {
  call();
  double least = 1e30;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

}  // namespace peer
