#include "ardea/lower/gpu/launch.h"

#include "ardea/ir/in_loops.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/instruction_windows.h"

namespace ardea::lower {

bool is_block_loop(const For& loop) {
  return loop.kind == ForKind::thread_binding && loop.thread.starts_with("blockIdx.");
}

bool is_thread_loop(const For& loop) {
  return loop.kind == ForKind::thread_binding && loop.thread.starts_with("threadIdx.");
}

bool is_launch_loop(const For& loop) { return is_block_loop(loop) || is_thread_loop(loop); }

namespace {

template <class Wanted>
bool has_statement(const Stmt& s, const Wanted& wanted) {
  bool found = false;
  visit_stmts(s, [&](const Stmt& part) { found = found || wanted(part); });
  return found;
}

}  // namespace

bool holds_launch_loop(const Stmt& s) {
  return has_statement(s, [](const Stmt& part) {
    const auto* loop = part.as<For>();
    return loop != nullptr && is_launch_loop(*loop);
  });
}

std::string first_line(const Stmt& s) {
  const std::string text = print(s);
  const std::size_t begin = text.find_first_not_of(" \n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

bool is_private(const std::string& scope) { return scope_rank(scope) == ScopeRank::thread; }
bool is_block_memory(const std::string& scope) { return scope_rank(scope) == ScopeRank::block; }

bool is_warp_memory(const std::string& scope) { return scope_rank(scope) == ScopeRank::warp; }

bool is_warp_instruction(const Stmt& s) {
  const Call* call = limits::instruction_call(s);
  return call != nullptr && intrin::find_instruction(call->arguments[0].as<StringImm>()->value).is_of_warp();
}

Stmt with_accesses_shown(const Stmt& s, const arith::Analyzer& facts) {
  return rewrite(s, Rewriter{.stmt = [&](const Stmt& x) -> std::optional<Stmt> {
                   const Call* call = limits::instruction_call(x);
                   if (call == nullptr) return std::nullopt;
                   std::vector<Stmt> all;
                   for (const Buffer& buffer : buffers_in(x)) {
                     const auto windows = limits::windows_of(*call, buffer, facts);
                     if (!windows) return std::nullopt;
                     all.push_back(limits::touching(*windows, *call));
                   }
                   return make_seq(std::move(all));
                 }});
}

Stmt make_block_barrier() { return Evaluate{make_call("barrier", {make_string("shared")})}; }

Stmt make_warp_barrier() { return Evaluate{make_call("barrier", {make_string("warp")})}; }

bool is_block_barrier(const Stmt& s) {
  const auto* evaluate = s.as<Evaluate>();
  const auto* call = evaluate == nullptr ? nullptr : evaluate->value.as<Call>();
  return call != nullptr && call->op->name == "barrier" &&
         call->arguments[0].as<StringImm>()->value == "shared";
}

bool holds_block_barrier(const Stmt& s) { return has_statement(s, is_block_barrier); }

std::optional<Launch> launch_of(const Stmt& s) {
  Launch launch{{}, {}, s};
  while (const auto* loop = launch.body.as<For>()) {
    if (!is_launch_loop(*loop)) break;
    const Stmt inner = loop->body;
    (is_block_loop(*loop) ? launch.blocks : launch.threads).push_back(*loop);
    launch.body = inner;
  }
  if (launch.blocks.empty() && launch.threads.empty()) return std::nullopt;
  return launch;
}

Stmt statement_of(Launch launch) {
  std::vector<For> loops = std::move(launch.blocks);
  loops.insert(loops.end(), launch.threads.begin(), launch.threads.end());
  return in_loops(std::move(loops), std::move(launch.body));
}

}  // namespace ardea::lower
