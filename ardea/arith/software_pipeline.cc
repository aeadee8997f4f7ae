#include "ardea/arith/software_pipeline.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/dependence.h"
#include "ardea/arith/inside.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"

namespace ardea::arith {

namespace {

/// What holds where the last statement of the way stands.
Analyzer facts_around(const Function& f, const std::vector<Stmt>& way) {
  Analyzer facts = facts_of(f);
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    const auto* branch = way[i].as<If>();
    if (branch != nullptr && way[i + 1] == branch->then_case) facts = where(facts, branch->condition);
    facts = inside(facts, way[i]);
  }
  return facts;
}

bool gives_handle_away(const Stmt& s, const Var& data) {
  bool found = false;
  visit_exprs(s, [&](const Expr& e) { found = found || e == data; });
  return found;
}

bool holds(const std::vector<Buffer>& buffers, const Buffer& buffer) {
  return std::any_of(buffers.begin(), buffers.end(),
                     [&](const Buffer& b) { return b->data == buffer->data; });
}

std::optional<NotPipelined> refuse_loop(const For& loop) {
  const std::string& name = loop.var.name();
  if (loop.kind != ForKind::serial)
    return NotPipelined{"loop_is_not_serial", fmt::format("loop {} is not serial", name),
                        "pipeline it instead, or a serial loop inside"};
  for (const Expr& bound : {loop.min, loop.extent})
    if (reads_memory(bound))
      return NotPipelined{"bounds_read_memory",
                          fmt::format("the bounds of loop {} are read from memory, {}, which the iterations "
                                      "that run ahead may change",
                                      name, print(bound)),
                          "give the loop bounds that are known before"};
  if (!loop.body.is<Seq>())
    return NotPipelined{"not_a_sequence",
                        fmt::format("the body of loop {} is one statement, not a sequence", name),
                        "put a producer into it by compute_at, or a consumer by reverse_compute_at"};
  return std::nullopt;
}

std::optional<NotPipelined> refuse_numbers(const For& loop, const PipelineStages& stages) {
  const std::size_t count = loop.body.as<Seq>()->statements.size();
  const std::string& name = loop.var.name();
  if (stages.stage.size() != count || stages.order.size() != count)
    return NotPipelined{"lists_do_not_fit",
                        fmt::format("loop {} holds {} statements, and there are {} stages and {} places in "
                                    "the order",
                                    name, count, stages.stage.size(), stages.order.size()),
                        "give one stage and one place a statement"};
  for (std::size_t i = 0; i < count; ++i)
    if (stages.stage[i] < 0 || stages.stage[i] > greatest_stage)
      return NotPipelined{
          "no_such_stage",
          fmt::format("stage {} is {}, and stages are from 0 to {}", i + 1, stages.stage[i], greatest_stage),
          ""};
  std::vector<std::int64_t> sorted = stages.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < count; ++i)
    if (sorted[i] != static_cast<std::int64_t>(i))
      return NotPipelined{"not_a_permutation",
                          fmt::format("the order [{}] does not have each of 0 to {} once",
                                      fmt::join(stages.order, ", "), count - 1),
                          "say of each statement how many run before it at the same time"};
  return std::nullopt;
}

/// The new order of two statements' instances.
class NewOrder {
 public:
  NewOrder(const PipelineStages& stages, std::size_t first, std::size_t second)
      : ahead_(stages.stage[second] - stages.stage[first]),
        is_placed_first_(stages.order[first] < stages.order[second]) {}

  /// Whether the first still runs before the second where the iteration of the second is `distance` later.
  bool first_is_first(std::int64_t distance) const {
    const std::int64_t later = ahead_ + distance;
    return later > 0 || (later == 0 && is_placed_first_);
  }

 private:
  std::int64_t ahead_;
  bool is_placed_first_;
};

/// Whether a conflict of two statements, the first of which stands before the second, is no longer in order.
/// Where the iterations may be further apart, one apart is the hardest to keep.
struct Broken {
  bool in_one_iteration = false, between_iterations = false;
};
Broken broken_by(const NewOrder& order, const Signs& distance) {
  return {distance.zero && !order.first_is_first(0),
          (distance.positive && !order.first_is_first(1)) || (distance.negative && order.first_is_first(-1))};
}

class PairCheck {
 public:
  PairCheck(const For& loop, const PipelineStages& stages, const std::vector<Buffer>& own,
            const Analyzer& facts)
      : parts_(loop.body.as<Seq>()->statements),
        loop_name_(loop.var.name()),
        stages_(stages),
        own_(own),
        facts_(facts),
        range_{{loop.var, Range{loop.min, loop.extent}}} {}

  std::optional<NotPipelined> refuse(std::size_t first, std::size_t second) const {
    const NewOrder order(stages_, first, second);
    const Broken anything = broken_by(order, {});
    if (!anything.in_one_iteration && !anything.between_iterations) return std::nullopt;
    if (has_effects(parts_[first]) && has_effects(parts_[second]))
      return NotPipelined{"calls_change_places",
                          fmt::format("{} and {} of loop {} both call out, and their calls would change "
                                      "places",
                                      name(first), name(second), loop_name_),
                          "give both one stage, in the order in which they stand"};
    for (const Conflict& conflict : conflicts_between(parts_[first], parts_[second], range_, facts_)) {
      const Broken broken = broken_by(order, conflict.distance[0]);
      if (broken.in_one_iteration) return refused_in_one(first, second, conflict);
      if (broken.between_iterations && !holds(own_, conflict.first.buffer))
        return refused_between(first, second, conflict);
    }
    return std::nullopt;
  }

 private:
  std::string name(std::size_t position) const { return name_of_part(parts_, position); }

  NotPipelined refused_in_one(std::size_t first, std::size_t second, const Conflict& conflict) const {
    return {
        "stage_breaks_dependence",
        fmt::format("in one iteration of loop {} {} touches {} and then {} touches {}, which would "
                    "change places: their stages are {} and {}, their places {} and {}",
                    loop_name_, name(first), print(conflict.first), name(second), print(conflict.second),
                    stages_.stage[first], stages_.stage[second], stages_.order[first], stages_.order[second]),
        fmt::format("give {} a later stage, or the same and a later place", name(second))};
  }

  NotPipelined refused_between(std::size_t first, std::size_t second, const Conflict& conflict) const {
    return {"pipeline_breaks_dependence",
            fmt::format("iterations of loop {} meet in {} of {} and {} of {}, and would change places: "
                        "their stages are {} and {}",
                        loop_name_, print(conflict.first), name(first), print(conflict.second), name(second),
                        stages_.stage[first], stages_.stage[second]),
            "give both one stage; or have them meet in memory that a block allocates and each iteration "
            "fills before it reads it"};
  }

  const std::vector<Stmt>& parts_;
  const std::string& loop_name_;
  const PipelineStages& stages_;
  const std::vector<Buffer>& own_;
  const Analyzer& facts_;
  std::vector<LoopRange> range_;
};

std::optional<NotPipelined> refuse_versions(const For& loop, const PipelineStages& stages,
                                            const std::vector<Buffer>& own) {
  const std::vector<Stmt>& parts = loop.body.as<Seq>()->statements;
  for (const Buffer& buffer : own) {
    if (buffer->scope != "register") continue;
    std::vector<std::size_t> touching;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (touches(parts[i], buffer->data)) touching.push_back(i);
    const std::int64_t count = versions_needed(stages, touching, loop.extent);
    if (count > 1)
      return NotPipelined{"versions_in_registers",
                          fmt::format("{} would need {} versions, of which the iteration chooses one, and "
                                      "registers have no index",
                                      buffer->name, count),
                          "keep it in another scope, or its statements in one stage"};
  }
  return std::nullopt;
}

}  // namespace

std::string name_of_part(const std::vector<Stmt>& parts, std::size_t position) {
  std::string name;
  visit_stmts(parts[position], [&](const Stmt& s) {
    const auto* block = s.as<Block>();
    if (block != nullptr && name.empty()) name = block->name;
  });
  return name.empty() ? fmt::format("statement {}", position + 1)
                      : fmt::format("statement {} ({})", position + 1, name);
}

std::int64_t versions_needed(const PipelineStages& stages, const std::vector<std::size_t>& touching,
                             const Expr& iterations) {
  std::int64_t count = 1;
  // The slot of iteration j is filled again by iteration j + count: all that b does there must come after
  // all that a does in j. Two that only read need nothing, and ask for no more than a writer before them.
  for (const std::size_t a : touching)
    for (const std::size_t b : touching)
      count =
          std::max(count, stages.stage[a] - stages.stage[b] + (stages.order[a] < stages.order[b] ? 0 : 1));
  const auto most = constant_int(iterations);
  return most ? std::clamp<std::int64_t>(*most, 1, count) : count;
}

std::vector<Buffer> buffers_of_an_iteration(const Function& f, const std::vector<Stmt>& way) {
  const auto& loop = *way.back().as<For>();
  std::vector<Buffer> own;
  Analyzer facts = facts_of(f);
  for (const Stmt& s : way) {
    if (const auto* block = s.as<Block>())
      for (const Buffer& buffer : block->allocations) {
        const std::vector<Stmt> site = way_to_allocation(*block, buffer, facts);
        if (!site.empty() && site.back() == loop.body && !gives_handle_away(loop.body, buffer->data))
          own.push_back(buffer);
      }
    facts = inside(facts, s);
  }
  return own;
}

std::optional<NotPipelined> refuse_stages(const Function& f, const std::vector<Stmt>& way,
                                          const PipelineStages& stages) {
  const auto& loop = *way.back().as<For>();
  if (auto refusal = refuse_loop(loop)) return refusal;
  if (auto refusal = refuse_numbers(loop, stages)) return refusal;
  const std::vector<Buffer> own = buffers_of_an_iteration(f, way);
  if (auto refusal = refuse_versions(loop, stages, own)) return refusal;
  const Analyzer facts = facts_around(f, way);
  const PairCheck pairs(loop, stages, own, facts);
  for (std::size_t first = 0; first < stages.stage.size(); ++first)
    for (std::size_t second = first + 1; second < stages.stage.size(); ++second)
      if (auto refusal = pairs.refuse(first, second)) return refusal;
  return std::nullopt;
}

}  // namespace ardea::arith
