#include "ardea/interp/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/// Contexts of POSIX, and what the sanitizers must be told where a thread goes on on another stack.

namespace ardea::interp {

namespace {

/// The address sanitizer: the stack that is left keeps its fake frames in `kept`, or has none any more where
/// that is nullptr; the one that is entered gets those that it kept.
void leave_stack([[maybe_unused]] void** kept, [[maybe_unused]] const void* next,
                 [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(kept, next, bytes);
#endif
}

void enter_stack([[maybe_unused]] void* kept, [[maybe_unused]] const void** left = nullptr,
                 [[maybe_unused]] std::size_t* left_bytes = nullptr) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(kept, left, left_bytes);
#endif
}

/// The thread sanitizer: a fiber is a thread to it, and whoever resumes it happens before what it does then.
void go_on_as([[maybe_unused]] void* thread) {
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(thread, 0);
#endif
}

void check_context(int failed) {
  if (failed != 0) throw std::bad_alloc();
}

}  // namespace

FiberStacks::FiberStacks(std::size_t count) : count_(count) {
  void* memory = mmap(nullptr, count * stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < count; ++i)
    if (mprotect(stack(i), page, PROT_NONE) != 0) {
      munmap(memory_, count * stack_bytes);
      throw std::bad_alloc();
    }
}

FiberStacks::~FiberStacks() {
#ifdef __SANITIZE_ADDRESS__
  // What lies there next knows nothing of the frames that ended here.
  __asan_unpoison_memory_region(memory_, count_ * stack_bytes);
#endif
  munmap(memory_, count_ * stack_bytes);
}

std::byte* FiberStacks::stack(std::size_t which) const { return memory_ + which * stack_bytes; }

Fiber::Fiber(std::byte* stack, std::function<void()> body) : body_(std::move(body)), stack_(stack) {
  check_context(getcontext(&here_));
  here_.uc_stack.ss_sp = stack;
  here_.uc_stack.ss_size = FiberStacks::stack_bytes;
  here_.uc_link = nullptr;
  // An int is all that makecontext hands over for certain.
  const auto self = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this));
  makecontext(&here_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
#ifdef __SANITIZE_THREAD__
  thread_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(thread_);
#endif
}

void Fiber::enter(unsigned upper, unsigned lower) {
  const std::uint64_t self_bits = std::uint64_t{upper} << 32 | std::uint64_t{lower};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer's two halves
  auto* self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(self_bits));
  enter_stack(nullptr, &self->owner_stack_, &self->owner_stack_bytes_);
  self->body_();
  self->has_ended_ = true;
  leave_stack(nullptr, self->owner_stack_, self->owner_stack_bytes_);
  go_on_as(self->owner_thread_);
  setcontext(&self->owner_);
}

void Fiber::resume() {
  has_begun_ = true;
  void* kept = nullptr;
  leave_stack(&kept, stack_, FiberStacks::stack_bytes);
#ifdef __SANITIZE_THREAD__
  owner_thread_ = __tsan_get_current_fiber();
#endif
  go_on_as(thread_);
  check_context(swapcontext(&owner_, &here_));
  enter_stack(kept);
}

void Fiber::pause() {
  leave_stack(&fake_stack_, owner_stack_, owner_stack_bytes_);
  go_on_as(owner_thread_);
  check_context(swapcontext(&here_, &owner_));
  enter_stack(fake_stack_, &owner_stack_, &owner_stack_bytes_);
}

}  // namespace ardea::interp
