#include "ardea/codegen/cuda/fenced_barriers.h"

#include "ardea/intrin/instruction.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/gpu/launch.h"

namespace ardea::codegen::cuda {

namespace {

/// Who goes to the block's shared memory.
struct Users {
  bool threads = false, units = false;

  Users operator|(const Users& other) const { return {threads || other.threads, units || other.units}; }
};

bool is_of_units(const Call& call) {
  if (is_copy_by_unit(call)) return true;
  return call.op->name == "tensor_instruction" &&
         intrin::find_instruction(call.arguments.at(0).as<StringImm>()->value).warps > 1;
}

class FencedBarriers {
 public:
  std::unordered_set<Expr> of(const Stmt& kernel) {
    mark(kernel, {}, {});
    return std::move(barriers_);
  }

 private:
  void mark(const Stmt& s, const Users& before, const Users& after) {
    if (lower::is_block_barrier(s)) {
      if (before.threads && after.units) barriers_.insert(s.as<Evaluate>()->value);
      return;
    }
    if (!lower::holds_block_barrier(s)) return;
    if (const auto* parts = s.as<Seq>()) {
      mark_parts(parts->statements, before, after);
      return;
    }
    // Other iterations come before and after.
    const Users around = s.is<For>() ? users_of(s) : Users{};
    for_each_child(
        s, [](const Expr&) {}, [&](const Stmt& part) { mark(part, before | around, after | around); });
  }

  void mark_parts(const std::vector<Stmt>& parts, Users before, const Users& after) {
    std::vector<Users> behind(parts.size() + 1, after);  // from the part of that place on
    for (std::size_t i = parts.size(); i-- > 0;) behind[i] = behind[i + 1] | users_of(parts[i]);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      mark(parts[i], before, behind[i + 1]);
      before = before | users_of(parts[i]);
    }
  }

  static Users users_of(const Stmt& s) {
    Users users;
    std::unordered_set<Expr> of_units;
    visit_exprs(s, [&](const Expr& e) {
      const auto* call = e.as<Call>();
      if (call == nullptr || !is_of_units(*call)) return;
      users.units = true;
      for (const Expr& argument : call->arguments)
        if (const auto* address = argument.as<Call>();
            address != nullptr && address->op->name == "address_of")
          of_units.insert(address->arguments[0]);
    });
    visit_exprs(s, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      users.threads = users.threads || (load != nullptr && lower::is_block_memory(load->buffer->scope) &&
                                        !of_units.contains(e));
    });
    visit_stmts(s, [&](const Stmt& part) {
      const auto* store = part.as<Store>();
      users.threads = users.threads || (store != nullptr && lower::is_block_memory(store->buffer->scope));
    });
    return users;
  }

  std::unordered_set<Expr> barriers_;
};

}  // namespace

std::unordered_set<Expr> fenced_barriers(const Stmt& kernel) { return FencedBarriers().of(kernel); }

}  // namespace ardea::codegen::cuda
