#include "tests/schedule/campaign/judge_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "ardea/ir/function.h"
#include "ardea/ir/traverse.h"
#include "ardea/measure/check.h"
#include "ardea/measure/inputs.h"
#include "ardea/schedule/program/tree.h"
#include "ardea/support/random.h"

namespace ardea::schedule {

std::optional<Question> question_of(const Parallel& step) {
  return Question{{step.loop.var}, Concurrency::parallel};
}
std::optional<Question> question_of(const Vectorize& step) {
  return Question{{step.loop.var}, Concurrency::lanes};
}
std::optional<Question> question_of(const Bind& step) {
  return Question{{step.loop.var},
                  step.thread_axis.starts_with("vthread")    ? Concurrency::lanes
                  : step.thread_axis.starts_with("blockIdx") ? Concurrency::blocks
                                                             : Concurrency::threads};
}
std::optional<Question> question_of(const Reorder& step) {
  Question question;
  for (const LoopRef& loop : step.loops) question.loops.push_back(loop.var);
  return question;
}

std::vector<interp::Argument> campaign_arguments(const Function& program, std::uint64_t seed) {
  Random random(seed);
  std::map<std::string, std::int64_t> sizes;
  for (const Var& v : shape_variables(program)) sizes[v.name()] = random.integer(1, 9);
  return measure::make_arguments(program, {.seed = seed, .sizes = sizes});
}

namespace {

using Variables = std::unordered_set<Var>;

/// All loops and block iterators of the program.
Variables iterating(const Function& program) {
  Variables all;
  visit_stmts(program.body, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>()) all.insert(loop->var);
    if (const auto* block = s.as<Block>())
      for (const BlockIterator& iterator : block->iterators) all.insert(iterator.var);
  });
  return all;
}

bool varies(const Expr& e, const Variables& iterating) {
  bool found = false;
  visit_exprs(
      e, [&](const Expr& part) { found = found || (part.is<VarNode>() && iterating.contains(Var(part))); });
  return found;
}

/// Whether the expression is more than a sum of multiples of loops.
bool is_bent(const Expr& e, const Variables& iterating) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) {
    const auto* node = part.as<Binary>();
    if (node == nullptr || found) return;
    const bool left = varies(node->left, iterating), right = varies(node->right, iterating);
    switch (node->op) {
      case BinaryOp::mul: found = left && right; break;
      case BinaryOp::floor_div:
      case BinaryOp::floor_mod:
      case BinaryOp::min:
      case BinaryOp::max: found = left || right; break;
      default: break;
    }
  });
  return found;
}

}  // namespace

namespace {

/// Whether bounds of loops in the statement vary by the loops, or something in it is indexed, guarded or
/// bound by bent expressions of them.
bool depends_or_is_bent(const Stmt& root, const Variables& loops) {
  bool found = false;
  const auto bent = [&](const Expr& e) { found = found || (e.defined() && is_bent(e, loops)); };
  visit_stmts(root, [&](const Stmt& s) {
    if (const auto* inner = s.as<For>())
      found = found || varies(inner->min, loops) || varies(inner->extent, loops);
    if (const auto* branch = s.as<If>()) bent(branch->condition);
    if (const auto* store = s.as<Store>()) std::for_each(store->indices.begin(), store->indices.end(), bent);
    if (const auto* block = s.as<Block>()) {
      bent(block->predicate);
      for (const BlockIterator& iterator : block->iterators) bent(iterator.binding);
    }
  });
  visit_exprs(root, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) std::for_each(load->indices.begin(), load->indices.end(), bent);
  });
  return found;
}

}  // namespace

bool is_dependent(const Function& program, const Var& loop) {
  const std::optional<Path> path = path_to(program, LoopRef{loop});
  return path && depends_or_is_bent(path->back(), iterating(program));
}

bool is_easy_to_prove(const Function& program) {
  const std::vector<Path> blocks = all_blocks(program);
  return shape_variables(program).empty() && !depends_or_is_bent(program.body, iterating(program)) &&
         std::none_of(blocks.begin(), blocks.end(),
                      [](const Path& path) { return path.block_around().size() > 1; });
}

namespace {

bool has_guarded_reduction(const Function& program) {
  const std::vector<Path> blocks = all_blocks(program);
  return std::any_of(blocks.begin(), blocks.end(), [](const Path& path) {
    const Block& block = path.block();
    return block.predicate.defined() &&
           std::any_of(block.iterators.begin(), block.iterators.end(),
                       [](const BlockIterator& i) { return i.kind == IteratorKind::reduce; });
  });
}

/// Whether several iterators share a dimension of what is written.
bool writes_numbered_elements(const Function& program) {
  const Variables all = iterating(program);
  bool found = false;
  visit_stmts(program.body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    if (store == nullptr) return;
    for (const Expr& index : store->indices) {
      Variables used;
      visit_exprs(index, [&](const Expr& part) {
        if (part.is<VarNode>() && all.contains(Var(part))) used.insert(Var(part));
      });
      found = found || used.size() > 1;
    }
  });
  return found;
}

/// Whether the step may make a program hard to prove that was easy. Reductions with guards, once their loops
/// are fused, are cut by quotients and guards at once: that they count every term once is proved by running
/// through their iterations, and only where those are few. What transform_layout makes of indices is the
/// map's: quotients of shifted and mirrored ones are not always proved to tell elements apart. The block that
/// blockize makes writes a box, and the boxes around every fourth element meet where the elements do not.
bool may_make_hard(const Primitive& primitive, const Function& before) {
  return primitive.name == "transform_layout" ||
         (primitive.name == "fuse" && has_guarded_reduction(before)) ||
         (primitive.name == "blockize" && writes_numbered_elements(before));
}

}  // namespace

StepJudge::Unproved StepJudge::unproved(const Function& before, const Primitive& primitive,
                                        const std::vector<schedule::Argument>& arguments) const {
  ByHand context;
  const Outcome outcome = primitive.apply(before, arguments, context);
  const auto* applied = std::get_if<Applied>(&outcome);
  if (applied == nullptr) return {};
  Unproved found{true, is_easy_to_prove(before) && !may_make_hard(primitive, before)};
  try {
    const auto answers = measure::copy_arguments(arguments_);
    interp::run(applied->program, answers);
    for (const measure::Comparison& c :
         measure::check(original_, arguments_, answers, measure::Reference::interpreter).arguments)
      if (c.mismatches > 0)
        found.fault = fmt::format("{} at {} is {} instead of {}", c.argument, c.index, c.got, c.expected);
  } catch (const Error& e) {
    found.fault = e.what();
  }
  return found;
}

const AccessRecord& StepJudge::record_of(const Function& program) {
  if (!(recorded_ == program.body)) {
    record_ = std::make_unique<AccessRecord>(program, measure::copy_arguments(arguments_));
    recorded_ = program.body;
  }
  return *record_;
}

namespace {

/// The loops from the outermost of those named to the innermost, where nothing stands between them and no
/// bounds of one depend on another; else none.
std::vector<Var> chain_through(const Function& program, const std::vector<Var>& named) {
  Path outermost;
  for (const Var& var : named) {
    const std::optional<Path> path = path_to(program, LoopRef{var});
    if (!path) return {};
    if (outermost.empty() || path->size() < outermost.size()) outermost = *path;
  }
  if (outermost.empty()) return {};
  std::vector<Var> chain;
  Variables seen;
  std::size_t left = named.size();
  for (Stmt s = outermost.back(); left > 0;) {
    const auto* loop = s.as<For>();
    if (loop == nullptr || varies(loop->min, seen) || varies(loop->extent, seen)) return {};
    chain.push_back(loop->var);
    seen.insert(loop->var);
    left -= static_cast<std::size_t>(std::count(named.begin(), named.end(), loop->var));
    s = loop->body;
  }
  return chain;
}

/// The positions of the chain's loops in their new order: those that are named take the places of those that
/// are named.
std::vector<std::size_t> new_places(const std::vector<Var>& chain, const std::vector<Var>& named) {
  std::vector<std::size_t> order;
  auto next = named.begin();
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool moves = std::find(named.begin(), named.end(), chain[i]) != named.end();
    order.push_back(
        moves ? static_cast<std::size_t>(std::find(chain.begin(), chain.end(), *next++) - chain.begin()) : i);
  }
  return order;
}

std::optional<Concurrency> concurrency_of(const For& loop) {
  switch (loop.kind) {
    case ForKind::parallel: return Concurrency::parallel;
    case ForKind::thread_binding:
      return loop.thread.starts_with("blockIdx") ? Concurrency::blocks : Concurrency::threads;
    case ForKind::vectorized:
    case ForKind::virtual_thread: return Concurrency::lanes;
    case ForKind::serial:
    case ForKind::unrolled: break;
  }
  return std::nullopt;
}

}  // namespace

StepJudge::Answer StepJudge::answer(const Function& program, const Question& question) {
  const std::vector<Var> chain = chain_through(program, question.loops);
  if (chain.empty()) return {};
  const AccessRecord& record = record_of(program);
  if (!record.is_complete()) return {};
  return {true,
          question.how ? record.conflict(chain[0], *question.how)
                       : record.disorder(chain, new_places(chain, question.loops)),
          is_dependent(program, chain[0])};
}

std::optional<std::string> StepJudge::race(const Function& program) {
  std::optional<std::string> found;
  visit_stmts(program.body, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    const auto how = loop != nullptr ? concurrency_of(*loop) : std::nullopt;
    if (!how || found) return;
    const AccessRecord& record = record_of(program);
    if (!record.is_complete()) return;
    if (auto conflict = record.conflict(loop->var, *how))
      found =
          fmt::format("the iterations of loop {} run at the same time, but {}", loop->var.name(), *conflict);
  });
  return found;
}

}  // namespace ardea::schedule
