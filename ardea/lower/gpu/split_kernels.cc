#include "ardea/lower/gpu/split_kernels.h"

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/substitute.h"
#include "ardea/lower/gpu/early_kernels.h"
#include "ardea/lower/gpu/shared_memory.h"
#include "ardea/support/ceil_div.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

/// What CUDA counts blocks by, on every device that it compiles for.
constexpr std::int64_t most_blocks_along_x = 0x7fffffff, most_blocks_along_others = 65535;

class Splitting {
 public:
  Splitting(const Function& f, const target::Target& target) : f_(f), target_(target) {}

  SplitProgram run() {
    program_.host = f_;
    program_.host.attributes.erase("concurrent_threads");
    program_.host.body = without_launches(f_.body);
    if (kernels_begin_early(target_)) let_kernels_begin_early();
    return std::move(program_);
  }

 private:
  Stmt without_launches(const Stmt& s) {
    if (const auto launch = launch_of(s)) return called(s, *launch);
    loops_around_ += s.is<For>();
    const Stmt host =
        map_children(s, Mapper{.stmt = [&](const Stmt& part) { return without_launches(part); }});
    loops_around_ -= s.is<For>();
    return host;
  }

  void let_kernels_begin_early() {
    const bool has_loop = std::find(is_repeated_.begin(), is_repeated_.end(), true) != is_repeated_.end();
    if (program_.kernels.size() <= 1 && !has_loop) return;
    std::vector<std::unordered_set<Var>> written;
    for (const Kernel& kernel : program_.kernels) written.push_back(memory_written(kernel.launch.body));
    for (std::size_t i = 0; i < program_.kernels.size(); ++i)
      for (std::size_t before = 0; before < program_.kernels.size(); ++before) {
        // What stands in a loop of the host's comes before itself, too.
        if (before >= i && !(is_repeated_[before] && is_repeated_[i])) continue;
        Kernel& late = program_.kernels[i];
        const Kernel& early = program_.kernels[before];
        late.begins_early = true;
        for (const Var& var : late.arguments)
          if ((written[i].contains(var) || written[before].contains(var)) &&
              std::find(early.arguments.begin(), early.arguments.end(), var) != early.arguments.end())
            late.awaited.insert(var);
      }
    for (std::size_t i = 0; i + 1 < program_.kernels.size(); ++i)
      program_.kernels[i].calls_next =
          !is_repeated_[i] && !is_repeated_[i + 1] && has_warps_for_all(program_.kernels[i + 1]);
  }

  /// As many as there are schedulers of warps. Blocks of smaller kernels, called while others run, crowd into
  /// the first places that there are instead of having multiprocessors of their own.
  bool has_warps_for_all(const Kernel& kernel) const {
    constexpr std::int64_t schedulers = 4;
    std::int64_t threads = 1;
    for (const auto& extents : {kernel.grid, kernel.block})
      for (const Expr& extent : extents) threads *= constant_int(extent).value_or(0);
    return threads >= schedulers * target_.gpu->warp_threads * target_.cores;
  }

  Stmt called(const Stmt& s, const Launch& launch) {
    Kernel kernel;
    kernel.name = fmt::format("{}_kernel_{}", f_.name, program_.kernels.size() + 1);
    kernel.arguments = arguments(s);
    kernel.grid = extents(launch.blocks);
    kernel.block = extents(launch.threads);
    check_grid(kernel);
    ensure(!holds_launch_loop(launch.body), "split_kernels: the loops of a launch of {} are not one nest",
           f_.name);
    kernel.launch = launch;
    std::vector<Allocate> memory;
    kernel.launch.body = without_shared_memory(launch.body, memory);
    std::stable_partition(memory.begin(), memory.end(),
                          [](const Allocate& one) { return bytes_of(one).has_value(); });
    for (const Allocate& one : memory) place(one, kernel);
    kernel.boxes = boxed_arrays(launch.body);
    require(
        kernel.boxes.size() <= most_boxed_arrays,
        "lower {}: a kernel copies boxes of {} arrays or forms, and may of {}; let threads copy some of them",
        f_.name, kernel.boxes.size(), most_boxed_arrays);
    if (!kernel.boxes.empty()) {
      kernel.landings_first_byte = round_up(kernel.shared_bytes, landing_bytes);
      kernel.shared_bytes = kernel.landings_first_byte + landings_of_kernel * landing_bytes;
    }
    const std::int64_t most = target_.gpu->shared_bytes_per_block;
    require(kernel.shared_bytes <= most,
            "lower {}: a block takes {} bytes of shared memory, target {} has {}; make the tiles smaller",
            f_.name, kernel.shared_bytes, target_.name, most);
    std::vector<Expr> call = {make_string(kernel.name)};
    call.insert(call.end(), kernel.arguments.begin(), kernel.arguments.end());
    program_.kernels.push_back(std::move(kernel));
    is_repeated_.push_back(loops_around_ > 0);
    return Evaluate{make_call("call_registered", int32, std::move(call))};
  }

  /// The parameters' memory in the order of the parameters, then memory of the host's own, then numbers.
  std::vector<Var> arguments(const Stmt& launch) const {
    std::vector<Var> all = free_variables(launch);
    const auto rank = [&](const Var& var) {
      std::size_t at = 0;
      for (const Parameter& p : f_.parameters) {
        if (p.buffer.defined() && p.buffer->data == var) return at;
        ++at;
      }
      return at + (var.type().is_handle() ? 0 : 1);
    };
    std::stable_sort(all.begin(), all.end(), [&](const Var& a, const Var& b) { return rank(a) < rank(b); });
    return all;
  }

  static std::array<Expr, 3> extents(const std::vector<For>& loops) {
    std::array<Expr, 3> all = {make_int(1), make_int(1), make_int(1)};
    for (const For& loop : loops) all[static_cast<std::size_t>(loop.thread.back() - 'x')] = loop.extent;
    return all;
  }

  void check_grid(const Kernel& kernel) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t most = axis == 0 ? most_blocks_along_x : most_blocks_along_others;
      const auto extent = constant_int(kernel.grid[axis]);
      require(
          !extent || *extent <= most,
          "lower {}: blockIdx.{} has {} blocks, there may be {}; bind the loop to blockIdx.x, or split it",
          f_.name, static_cast<char>('x' + axis), extent.value_or(0), most);
    }
  }

  static Stmt without_shared_memory(const Stmt& s, std::vector<Allocate>& found) {
    return rewrite(s, Rewriter{.stmt = [&](const Stmt& part) -> std::optional<Stmt> {
                     const auto* allocate = part.as<Allocate>();
                     if (allocate == nullptr || !is_block_memory(allocate->scope)) return std::nullopt;
                     found.push_back(*allocate);
                     found.back().body = {};
                     return without_shared_memory(allocate->body, found);
                   }});
  }

  /// Where barriers know that it lies, or behind all else.
  static void place(const Allocate& memory, Kernel& kernel) {
    const auto known = bytes_of(memory);
    const std::int64_t free = round_up(kernel.shared_bytes, allocated_on(memory.annotations));
    kernel.shared.push_back({memory, known ? known->first : free});
    const std::int64_t end = kernel.shared.back().end_byte();
    ensure(!known || end <= known->end, "split_kernels: {} has become larger than it was",
           memory.data.name());
    kernel.shared_bytes = std::max(kernel.shared_bytes, end);
  }

  const Function& f_;
  const target::Target& target_;
  SplitProgram program_;
  int loops_around_ = 0;           ///< of the host's
  std::vector<bool> is_repeated_;  ///< of each kernel: it stands in such a loop
};

}  // namespace

std::int64_t SharedBuffer::end_byte() const {
  return first_byte + allocation.type.bytes(constant_int(allocation.extents[0]).value());
}

SplitProgram split_kernels(const Function& lowered, const target::Target& target) {
  return Splitting(lowered, target).run();
}

}  // namespace ardea::lower
