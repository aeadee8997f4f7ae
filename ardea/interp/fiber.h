#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace ardea::interp {

/// Memory for the stacks of many fibers, of which only what they touch is taken; each ends at a page that
/// nothing may touch.
class FiberStacks {
 public:
  /// Throws std::bad_alloc.
  explicit FiberStacks(std::size_t count);
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  std::byte* stack(std::size_t which) const;
  static constexpr std::size_t stack_bytes = std::size_t{8} << 20;  // as a thread's

 private:
  std::size_t count_;
  std::byte* memory_;
};

/// A computation on a stack of its own: it runs while it is resumed, until it pauses or ends. What resumes it
/// is always the same thread.
class Fiber {
 public:
  /// `stack` has FiberStacks::stack_bytes. The body must not throw.
  Fiber(std::byte* stack, std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void resume();
  void pause();  ///< from within its body
  bool has_begun() const { return has_begun_; }
  bool has_ended() const { return has_ended_; }

 private:
  static void enter(unsigned upper, unsigned lower);

  std::function<void()> body_;
  std::byte* stack_;
  bool has_begun_ = false, has_ended_ = false;
  ucontext_t here_ = {}, owner_ = {};

  // What the sanitizers keep for each stack.
  void* fake_stack_ = nullptr;
  const void* owner_stack_ = nullptr;
  std::size_t owner_stack_bytes_ = 0;
  void *thread_ = nullptr, *owner_thread_ = nullptr;
};

}  // namespace ardea::interp
