#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ardea/interp/memory.h"
#include "ardea/interp/turns.h"
#include "ardea/interp/value.h"
#include "ardea/ir/expr.h"
#include "ardea/support/random.h"

namespace ardea::interp {

/// The extents of the thread-bound loops of a launch, by tag ("threadIdx.x", "blockIdx.y", …). x runs
/// fastest.
struct Grid {
  std::map<std::string, std::int64_t> extents;

  static bool is_block_tag(const std::string& tag) { return tag.starts_with("blockIdx."); }
  static bool is_thread_tag(const std::string& tag) { return tag.starts_with("threadIdx."); }

  std::int64_t blocks() const;
  std::int64_t threads() const;
  std::int64_t index(const std::string& tag, std::int64_t block, std::int64_t thread) const;
  /// "thread (blockIdx.x = 1, threadIdx.x = 3)"
  std::string name(std::int64_t block, std::int64_t thread) const;
};

/// The threads of one block of a launch: runs them one at a time between barriers, in an order drawn from
/// `random`, and holds the memory that they share.
class ThreadBlock {
 public:
  ThreadBlock(const Grid& grid, std::int64_t block, Random random);

  /// body(thread) on every thread; returns when all have finished. Error where a barrier is not reached by
  /// all its threads.
  void run(const std::function<void(int)>& body);

  enum class Group { block, warp };

  /// Called by a thread of the block.
  void barrier(int thread, Group group, const Stmt* statement);
  /// Called by a thread of each warp that runs an instruction together: waits for the others of the warp, but
  /// orders nothing that they do to memory, as machines do not.
  void meet(int thread, const Stmt* statement);
  bool is_first_of_warp(int thread) const { return thread % threads_in_warp == 0; }
  int threads_of_warp(int thread) const {
    return end_thread(thread, Group::warp) - first_thread(thread, Group::warp);
  }

  /// Called by each thread of a warp: what the one `offset` lanes behind gives, of the `width` lanes from a
  /// multiple of them on; its own where there is none.
  Lane shuffle_down(int thread, Lane given, std::int64_t offset, std::int64_t width, const Stmt* statement);

  std::int64_t number() const { return block_; }
  std::uint32_t block_barriers() const { return block_barriers_; }
  std::uint32_t warp_barriers(int thread) const {
    return warp_barriers_[static_cast<std::size_t>(thread / threads_in_warp)];
  }

  /// The memory that the threads of `group` share for the nth execution of the allocation `key` by each of
  /// them: made by the first that comes, dropped when the last one leaves.
  std::shared_ptr<Allocation> enter(const Var& data, std::uint64_t nth, int thread, Group group,
                                    const std::function<std::shared_ptr<Allocation>()>& make);
  void leave(const Var& data, std::uint64_t nth, int thread, Group group);

 private:
  struct Waiting {
    const Stmt* statement = nullptr;  ///< nullptr: not at a barrier
    Group group = Group::block;
    bool orders_memory = true;
    bool finished = false;
  };
  struct SharedMemory {
    std::shared_ptr<Allocation> memory;
    int left = 0;
  };
  struct Key {
    Var data;
    std::uint64_t nth = 0;
    int first_thread = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (std::hash<Var>()(key.data) * 31 + key.nth) * 31 + static_cast<std::size_t>(key.first_thread);
    }
  };

  Key key_of(const Var& data, std::uint64_t nth, int thread, Group group) const;
  int first_thread(int thread, Group group) const;
  int end_thread(int thread, Group group) const;
  bool all_wait_together(int first, int end, Group group) const;
  void release(int first, int end);
  bool release_some();
  [[noreturn]] void report_deadlock() const;

  const Grid& grid_;
  std::int64_t block_;
  Random random_;
  int count_;
  Turns* turns_ = nullptr;
  std::vector<Waiting> states_;
  std::vector<int> ready_;
  std::vector<Lane> given_;  ///< by threads that exchange values
  std::uint32_t block_barriers_ = 0;
  std::vector<std::uint32_t> warp_barriers_;
  std::unordered_map<Key, SharedMemory, KeyHash> shared_;
};

}  // namespace ardea::interp
