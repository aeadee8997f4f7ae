#include "tests/schedule/campaign/access_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "ardea/interp/memory.h"
#include "ardea/interp/place.h"
#include "ardea/ir/equal.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"

namespace ardea::schedule {

namespace {

bool combines_in_any_order_here(BinaryOp op) {
  return op == BinaryOp::add || op == BinaryOp::mul || op == BinaryOp::min || op == BinaryOp::max ||
         op == BinaryOp::bit_and || op == BinaryOp::bit_or || op == BinaryOp::bit_xor ||
         op == BinaryOp::logical_and || op == BinaryOp::logical_or;
}

bool loads_from(const Expr& e, const Buffer& buffer) {
  bool found = false;
  visit_exprs(e, [&](const Expr& part) {
    const auto* load = part.as<Load>();
    found = found || (load != nullptr && load->buffer->data == buffer->data);
  });
  return found;
}

/// x = x + y, where nothing else of it reads x's memory.
bool is_update(const Stmt& s) {
  const auto* store = s.as<Store>();
  const auto* value = store != nullptr ? store->value.as<Binary>() : nullptr;
  if (value == nullptr || !combines_in_any_order_here(value->op)) return false;
  const auto is_same_element = [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load == nullptr || !(load->buffer == store->buffer)) return false;
    for (std::size_t d = 0; d < store->indices.size(); ++d)
      if (!structurally_equal(load->indices[d], store->indices[d])) return false;
    return true;
  };
  const bool left = is_same_element(value->left);
  if (!left && !is_same_element(value->right)) return false;
  for (const Expr& index : store->indices)
    if (loads_from(index, store->buffer)) return false;
  return !loads_from(left ? value->right : value->left, store->buffer);
}

}  // namespace

AccessRecord::AccessRecord(const Function& program, const std::vector<interp::Argument>& arguments) {
  interp::Options options;
  options.observer = this;
  interp::run(program, arguments, options);
}

void AccessRecord::begins(const For& loop, std::int64_t value) {
  if (is_complete()) events_.push_back({Kind::begin, 0, 0, loop.var.get(), value, value});
}

void AccessRecord::ends(const For& loop) {
  if (is_complete()) events_.push_back({Kind::end, 0, 0, loop.var.get()});
}

void AccessRecord::allocates(const void* memory, const std::string& name, const std::string& scope) {
  memory_numbers_[memory] = static_cast<std::uint32_t>(memories_.size());
  const auto rank = scope_rank(scope);
  memories_.push_back({name, false, rank == ScopeRank::thread, rank != ScopeRank::device});
}

std::uint32_t AccessRecord::number_of(const Stmt& statement) {
  const auto [at, is_new] =
      statement_numbers_.try_emplace(statement, static_cast<std::uint32_t>(statements_.size()));
  if (is_new) {
    statements_.push_back(statement);
    combines_.push_back(is_update(statement));
    const auto* store = statement.as<Store>();
    starts_.push_back(store != nullptr && !loads_from(store->value, store->buffer));
  }
  return at->second;
}

void AccessRecord::touches(const void* memory, const std::string& name, std::int64_t begin_bit,
                           std::int64_t end_bit, bool writes, const Stmt& statement) {
  if (!is_complete()) return;
  const auto [at, is_new] = memory_numbers_.try_emplace(memory, static_cast<std::uint32_t>(memories_.size()));
  if (is_new) memories_.push_back({name});
  Memory& touched = memories_[at->second];
  touched.bit_count = std::max(touched.bit_count, end_bit);
  touched.unit_bits = std::gcd(touched.unit_bits, std::gcd(begin_bit, end_bit));
  Event event{
      writes ? Kind::write : Kind::read, at->second, number_of(statement), nullptr, begin_bit, end_bit};
  if (!writes)
    std::memcpy(&event.found, static_cast<const interp::Allocation*>(memory)->data + begin_bit / 8,
                static_cast<std::size_t>(std::min<std::int64_t>(8, (end_bit + 7) / 8 - begin_bit / 8)));
  events_.push_back(event);
}

std::optional<std::string> AccessRecord::conflict(const Var& loop, Concurrency how) const {
  // Of each unit, in the run of the loop under way: who wrote it last, who read it, and whether several did.
  struct Unit {
    std::uint64_t run = 0;
    bool is_written = false, is_read = false, several_read = false;
    std::int64_t writer = 0, reader = 0;
    std::uint32_t written_by = 0, read_by = 0;  ///< statements
    std::uint64_t found = 0;
  };
  struct Verdict {
    std::vector<Unit> units;
    std::optional<std::string> conflict;
    bool is_used_outside = false, reads_what_others_wrote = false, finds_others = false;
  };
  std::vector<Verdict> verdicts(memories_.size());
  std::uint64_t run = 0;
  bool is_inside = false;
  std::int64_t iteration = 0;
  // Threads add up together what each has a part of.
  const auto adds_to = [&](const Event& event, std::uint32_t before) {
    return how == Concurrency::threads && combines_[event.statement] &&
           (before == event.statement || starts_[before]);
  };
  for (const Event& event : events_) {
    if (event.kind == Kind::begin || event.kind == Kind::end) {
      if (event.loop != loop.get()) continue;
      run += event.kind == Kind::begin && !is_inside ? 1 : 0;
      is_inside = event.kind == Kind::begin;
      iteration = event.first;
      continue;
    }
    Verdict& verdict = verdicts[event.memory];
    if (!is_inside) {
      verdict.is_used_outside = true;
      continue;
    }
    const Memory& memory = memories_[event.memory];
    // Storing half a byte rewrites the other half: lanes do so together, threads one after the other.
    const std::int64_t unit_bits =
        how == Concurrency::lanes ? memory.unit_bits : std::max<std::int64_t>(memory.unit_bits, 8);
    verdict.units.resize(static_cast<std::size_t>(memory.bit_count / unit_bits + 1));
    for (std::int64_t at = event.first / unit_bits; at * unit_bits < event.last; ++at) {
      Unit& unit = verdict.units[static_cast<std::size_t>(at)];
      if (unit.run != run) unit = {run};
      const bool other_writer =
          unit.is_written && unit.writer != iteration && !adds_to(event, unit.written_by);
      const bool other_reader =
          unit.is_read && (unit.several_read || unit.reader != iteration) && !adds_to(event, unit.read_by);
      if (!verdict.conflict && (other_writer || (event.kind == Kind::write && other_reader)))
        verdict.conflict =
            fmt::format("iteration {} {} element {} of {} that iteration {} {}: `{}`", iteration,
                        event.kind == Kind::write ? "writes" : "reads", at, memories_[event.memory].name,
                        other_writer ? unit.writer : unit.reader, other_writer ? "writes" : "reads",
                        interp::first_line_of(statements_[event.statement]));
      if (event.kind == Kind::write) {
        unit.is_written = true;
        unit.writer = iteration;
        unit.written_by = event.statement;
      } else {
        if (!unit.is_written || other_writer) verdict.reads_what_others_wrote = true;
        if (unit.is_read && unit.found != event.found) verdict.finds_others = true;
        unit.found = event.found;
        unit.read_by = event.statement;
        unit.several_read = unit.several_read || (unit.is_read && unit.reader != iteration);
        unit.is_read = true;
        unit.reader = iteration;
      }
    }
  }
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    const Verdict& verdict = verdicts[m];
    const bool may_be_private =
        !memories_[m].is_argument && !verdict.is_used_outside && !verdict.reads_what_others_wrote &&
        (how == Concurrency::parallel || (how == Concurrency::threads && memories_[m].is_a_threads_own) ||
         (how == Concurrency::threads && memories_[m].is_a_blocks_own && !verdict.finds_others) ||
         (how == Concurrency::blocks && memories_[m].is_a_blocks_own));
    if (verdict.conflict && !may_be_private) return verdict.conflict;
  }
  return std::nullopt;
}

std::optional<std::string> AccessRecord::disorder(const std::vector<Var>& chain,
                                                  const std::vector<std::size_t>& order) const {
  using Iteration = std::vector<std::int64_t>;
  // Of each unit, in the run of the nest under way: the latest place in the new order of those who read it
  // and of those who wrote it, by statement where that is an update, else together.
  struct Latest {
    std::optional<Iteration> read, written;
  };
  constexpr std::uint32_t others = ~std::uint32_t{0};
  std::map<std::pair<std::uint32_t, std::int64_t>, std::map<std::uint32_t, Latest>> units;
  Iteration values(chain.size()), place(chain.size());
  bool is_inside = false;
  for (const Event& event : events_) {
    if (event.kind == Kind::begin || event.kind == Kind::end) {
      const auto at =
          std::find_if(chain.begin(), chain.end(), [&](const Var& var) { return var.get() == event.loop; });
      if (at == chain.end()) continue;
      if (at == chain.begin()) {
        if (event.kind == Kind::end) units.clear();
        is_inside = event.kind == Kind::begin;
      }
      values[static_cast<std::size_t>(at - chain.begin())] = event.first;
      for (std::size_t k = 0; k < order.size(); ++k) place[k] = values[order[k]];
      continue;
    }
    if (!is_inside) continue;
    const bool writes = event.kind == Kind::write;
    const std::uint32_t mine = combines_[event.statement] ? event.statement : others;
    const std::int64_t unit_bits = memories_[event.memory].unit_bits;
    for (std::int64_t at = event.first / unit_bits; at * unit_bits < event.last; ++at) {
      auto& history = units[{event.memory, at}];
      for (const auto& [whose, latest] : history) {
        if (whose == mine && mine != others) continue;
        for (const auto& earlier : {latest.written, writes ? latest.read : std::nullopt})
          if (earlier && place < *earlier)
            return fmt::format("`{}` {} element {} of {} before it should",
                               interp::first_line_of(statements_[event.statement]),
                               writes ? "writes" : "reads", at, memories_[event.memory].name);
      }
      std::optional<Iteration>& latest = writes ? history[mine].written : history[mine].read;
      if (!latest || *latest < place) latest = place;
    }
  }
  return std::nullopt;
}

}  // namespace ardea::schedule
