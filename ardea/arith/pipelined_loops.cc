#include "ardea/arith/pipelined_loops.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "ardea/arith/allocation_site.h"
#include "ardea/arith/dependence.h"
#include "ardea/arith/inside.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {

namespace {

using Way = std::vector<Stmt>;

template <class Found>
void each_way(const Stmt& s, Way& way, const Found& found) {
  way.push_back(s);
  found(way);
  for_each_child(
      s, [](const Expr&) {},
      [&](const Stmt& part) {
        if (part.defined()) each_way(part, way, found);
      });
  way.pop_back();
}

const Attribute* find(const Attributes& attributes, const char* key) {
  const auto at = attributes.find(key);
  return at == attributes.end() ? nullptr : &at->second;
}

NotPipelined no_list(const For& loop, const char* key) {
  return {"lists_do_not_fit",
          fmt::format("the annotation {} of loop {} is no list of integers", key, loop.var.name()),
          "give one number a statement of the loop's body"};
}

/// What the annotations of the loop say, not yet judged; nothing where there are none.
std::optional<std::variant<PipelineStages, NotPipelined>> annotated_stages(const For& loop) {
  const Attribute *stage = find(loop.annotations, pipeline_stage_key),
                  *order = find(loop.annotations, pipeline_order_key);
  if (stage == nullptr && order == nullptr) return std::nullopt;
  const auto* sequence = loop.body.as<Seq>();
  PipelineStages stages;
  if (stage != nullptr) {
    const auto numbers = numbers_of(*stage);
    if (!numbers) return no_list(loop, pipeline_stage_key);
    stages.stage = *numbers;
  } else {
    stages.stage.resize(sequence == nullptr ? 1 : sequence->statements.size(), 0);
  }
  if (order != nullptr) {
    const auto numbers = numbers_of(*order);
    if (!numbers) return no_list(loop, pipeline_order_key);
    stages.order = *numbers;
  } else {
    stages.order.resize(sequence == nullptr ? 1 : sequence->statements.size());
    std::iota(stages.order.begin(), stages.order.end(), 0);
  }
  return stages;
}

/// The statements of the loop's body that must run with those that are marked: each that one of them needs in
/// the same iteration.
void mark_what_they_need(const For& loop, const Analyzer& facts, std::vector<bool>& marked) {
  const std::vector<Stmt>& parts = loop.body.as<Seq>()->statements;
  const std::vector<LoopRange> range = {{loop.var, Range{loop.min, loop.extent}}};
  for (std::size_t later = parts.size(); later-- > 1;) {
    if (!marked[later]) continue;
    for (std::size_t i = 0; i < later; ++i) {
      if (marked[i]) continue;
      const std::vector<Conflict> found = conflicts_between(parts[i], parts[later], range, facts);
      marked[i] = std::any_of(found.begin(), found.end(),
                              [](const Conflict& conflict) { return conflict.distance[0].zero; });
    }
  }
}

/// The memory that the double buffers of one loop are about.
struct DoubleBuffers {
  Way way;  ///< to the loop
  std::vector<Buffer> buffers = {};
};

bool writes(const Stmt& s, const Buffer& buffer, const Analyzer& facts) {
  const std::vector<Touched> all = accesses(s, facts).writes;
  return std::any_of(all.begin(), all.end(),
                     [&](const Touched& t) { return t.region.buffer->data == buffer->data; });
}

Analyzer facts_inside_of(const Function& f, const Way& way) {
  Analyzer facts = facts_of(f);
  for (const Stmt& s : way) facts = inside(facts, s);
  return facts;
}

std::variant<PipelineStages, NotPipelined> two_stages(const Function& f, const DoubleBuffers& asked) {
  const auto& loop = *asked.way.back().as<For>();
  const std::vector<Stmt>& parts = loop.body.as<Seq>()->statements;
  const Analyzer facts = facts_inside_of(f, asked.way);
  std::vector<bool> fills(parts.size(), false);
  for (const Buffer& buffer : asked.buffers)
    for (std::size_t i = 0; i < parts.size(); ++i) fills[i] = fills[i] || writes(parts[i], buffer, facts);
  mark_what_they_need(loop, facts, fills);
  for (const Buffer& buffer : asked.buffers) {
    bool is_used = false;
    for (std::size_t i = 0; i < parts.size(); ++i)
      is_used = is_used || (!fills[i] && touches(parts[i], buffer->data));
    if (!is_used)
      return NotPipelined{
          "no_use_to_overlap",
          fmt::format("every statement of loop {} that reads {} must run with the one that fills it",
                      loop.var.name(), buffer->name),
          "double_buffer a buffer that another statement of the loop reads"};
  }
  PipelineStages stages{std::vector<std::int64_t>(parts.size()), std::vector<std::int64_t>(parts.size())};
  std::int64_t place = 0;
  for (const bool first : {true, false})
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (fills[i] == first) {
        stages.stage[i] = first ? 0 : 1;
        stages.order[i] = place++;
      }
  if (auto refusal = refuse_stages(f, asked.way, stages)) return *std::move(refusal);
  return stages;
}

}  // namespace

std::optional<std::vector<std::int64_t>> numbers_of(const Attribute& attribute) {
  const auto* items = std::get_if<std::vector<Attribute>>(&attribute.value);
  if (items == nullptr) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Attribute& item : *items) {
    const auto* value = std::get_if<Expr>(&item.value);
    const auto number = value == nullptr ? std::nullopt : constant_int(*value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

Attribute attribute_of(const std::vector<std::int64_t>& numbers) {
  std::vector<Attribute> items;
  for (const std::int64_t number : numbers) items.push_back({make_int(number)});
  return {std::move(items)};
}

std::variant<Way, NotPipelined> loop_of_double_buffer(const Function& f, const Way& way, std::int64_t index) {
  const auto& block = *way.back().as<Block>();
  const std::size_t written = block.writes ? block.writes->size() : 0;
  if (index < 0 || index >= static_cast<std::int64_t>(written))
    return NotPipelined{
        "no_such_buffer",
        fmt::format("there is no buffer {} among the {} that block {} writes", index, written, block.name),
        "buffers are counted from 0 in the order of T.writes"};
  const Buffer buffer = (*block.writes)[static_cast<std::size_t>(index)].buffer;
  for (std::size_t end = way.size(); end-- > 0;) {
    const Way loop(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(end) + 1);
    if (!loop.back().is<For>()) continue;
    for (const Buffer& own : buffers_of_an_iteration(f, loop))
      if (own->data == buffer->data && loop.back().as<For>()->body.is<Seq>()) return loop;
  }
  return NotPipelined{
      "not_filled_by_iterations",
      fmt::format("no loop around block {} is proved to fill {} anew in each iteration before "
                  "other statements of its body read it",
                  block.name, buffer->name),
      "put the block into a loop of its readers by compute_at first"};
}

std::vector<PipelinedLoop> pipelined_loops(const Function& f) {
  std::vector<PipelinedLoop> found;
  std::vector<DoubleBuffers> doubled;
  Way start;
  each_way(f.body, start, [&](const Way& way) {
    if (const auto* loop = way.back().as<For>()) {
      auto stages = annotated_stages(*loop);
      if (!stages) return;
      if (const auto* given = std::get_if<PipelineStages>(&*stages))
        if (auto refusal = refuse_stages(f, way, *given)) stages = *std::move(refusal);
      found.push_back({way, *std::move(stages)});
    }
    const auto* block = way.back().as<Block>();
    const Attribute* asked = block == nullptr ? nullptr : find(block->annotations, double_buffer_key);
    if (asked == nullptr) return;
    const auto* value = std::get_if<Expr>(&asked->value);
    const auto index = value == nullptr ? std::nullopt : constant_int(*value);
    auto loop = loop_of_double_buffer(f, way, index.value_or(-1));
    if (auto* refusal = std::get_if<NotPipelined>(&loop)) {
      found.push_back({way, std::move(*refusal)});
      return;
    }
    const Way& site = std::get<Way>(loop);
    const Buffer& buffer = (*block->writes)[static_cast<std::size_t>(*index)].buffer;
    const auto known = std::find_if(doubled.begin(), doubled.end(),
                                    [&](const DoubleBuffers& d) { return d.way.back() == site.back(); });
    if (known == doubled.end())
      doubled.push_back({site, {buffer}});
    else
      known->buffers.push_back(buffer);
  });
  for (const DoubleBuffers& asked : doubled) {
    const auto& loop = *asked.way.back().as<For>();
    if (annotated_stages(loop))
      found.push_back(
          {asked.way, NotPipelined{"pipelined_already",
                                   fmt::format("loop {} has stages already, and {} would give it others",
                                               loop.var.name(), asked.buffers[0]->name),
                                   "say by the stages which statements run ahead"}});
    else
      found.push_back({asked.way, two_stages(f, asked)});
  }
  return found;
}

}  // namespace ardea::arith
