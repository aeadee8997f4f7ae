#include "ardea/schedule/primitives/memory/read_place.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/arith/verify_laws.h"
#include "ardea/schedule/program/scope.h"

namespace ardea::schedule {

namespace {

/// The block directly in the scope that holds the touch; nothing where none does, or where the touch is by
/// what the block evaluates outside of itself.
std::optional<Path> block_of(const Path& scope, const Touch& touch) {
  for (std::size_t i = scope.size(); i < touch.path.size(); ++i) {
    if (!touch.path[i].is<Block>()) continue;
    if (i + 1 == touch.path.size() && touch.plain) return std::nullopt;
    return touch.path.upto(i);
  }
  return std::nullopt;
}

bool holds_end(const Path& block, const Touch& touch) { return block.holds(block.size() - 1, touch.path); }

/// Where in the statements that of the path's `depth` stands.
std::size_t position(const std::vector<Stmt>& statements, const Path& path, std::size_t depth) {
  return static_cast<std::size_t>(std::find(statements.begin(), statements.end(), path[depth]) -
                                  statements.begin());
}

class ReadPlacing {
 public:
  explicit ReadPlacing(const Readers& readers) : readers_(readers), path_(readers.blocks[0]) {}

  Result<Path> run() const {
    ARDEA_TRY(refuse_init_and_body());
    for (std::size_t depth = readers_.scope.size();; ++depth) {
      // All readers stand in the statement at this depth.
      const Stmt& s = path_[depth];
      if (const auto* sequence = s.as<Seq>()) {
        const auto [first, last] = span(*sequence, depth + 1);
        const Touch* writer = first_writer(*sequence, depth + 1, first, last);
        if (writer == nullptr) return place(depth, sequence->statements[first]);
        if (first != last) return between(*writer);
        continue;
      }
      const Touch* writer = writer_in(depth);
      if (writer == nullptr) return path_.upto(depth);
      if (const auto* block = s.as<Block>())
        return Refusal{"reads_itself", fmt::format("block {} also writes {}, which it reads", block->name,
                                                   readers_.buffer->name)};
      const bool apart = std::any_of(readers_.blocks.begin(), readers_.blocks.end(),
                                     [&](const Path& other) { return !path_.holds(depth + 1, other); });
      if (apart) return between(*writer);
    }
  }

 private:
  /// An init does not run in each instance, and the body begins after it: a copy in the one is none for the
  /// other.
  std::optional<Refusal> refuse_init_and_body() const {
    for (const Path& other : readers_.blocks)
      if (!path_.holds(readers_.scope.size(), other))
        return Refusal{"not_in_one_scope",
                       fmt::format("block {} stands in the init of block {}, and block {} in its body",
                                   path_.block().name, readers_.scope.block().name, other.block().name),
                       {},
                       [] { return std::string("name the consumers of one of them"); }};
    return std::nullopt;
  }

  Path place(std::size_t depth, const Stmt& statement) const {
    Path place = path_.upto(depth);
    place.push_back(statement);
    return place;
  }

  /// The first and the last of the statements that hold readers.
  std::pair<std::size_t, std::size_t> span(const Seq& sequence, std::size_t depth) const {
    std::size_t first = sequence.statements.size(), last = 0;
    for (const Path& block : readers_.blocks) {
      const std::size_t at = position(sequence.statements, block, depth);
      first = std::min(first, at);
      last = std::max(last, at);
    }
    return {first, last};
  }

  const Touch* writer_in(std::size_t depth) const {
    const auto at = std::find_if(readers_.touches.begin(), readers_.touches.end(), [&](const Touch& touch) {
      return touch.writes && path_.holds(depth, touch.path);
    });
    return at == readers_.touches.end() ? nullptr : &*at;
  }

  const Touch* first_writer(const Seq& sequence, std::size_t depth, std::size_t first,
                            std::size_t last) const {
    for (const Touch& touch : readers_.touches) {
      if (!touch.writes || !path_.holds(depth - 1, touch.path)) continue;
      const std::size_t at = position(sequence.statements, touch.path, depth);
      if (at >= first && at <= last) return &touch;
    }
    return nullptr;
  }

  Refusal between(const Touch& writer) const {
    return {"written_between",
            fmt::format("{} is written between the blocks that shall read one copy of it: {}",
                        readers_.buffer->name, arith::brief(writer.path.back()))};
  }

  const Readers& readers_;
  const Path& path_;
};

}  // namespace

Result<Readers> readers_of(const Function& f, const Path& block, const Buffer& buffer,
                           const std::vector<BlockRef>& consumers) {
  Readers readers{block.block_around(), buffer, {}, {}};
  readers.touches = touches(readers.scope, buffer);
  std::vector<Path> chosen = ARDEA_TRY(blocks_inside(f, readers.scope, consumers));
  readers.blocks = std::move(chosen);
  if (consumers.empty())
    for (const Touch& touch : readers.touches)
      if (auto reader = block_of(readers.scope, touch); reader && touch.reads)
        if (std::find(readers.blocks.begin(), readers.blocks.end(), *reader) == readers.blocks.end())
          readers.blocks.push_back(*std::move(reader));
  if (is_declared_between(readers.scope, block, buffer)) return used_through_a_view(buffer, block.block());
  if (readers.blocks.empty()) readers.blocks.push_back(block);
  for (const Path& reader : readers.blocks) {
    bool reads = false;
    for (const Touch& touch : readers.touches) {
      if (!holds_end(reader, touch)) continue;
      if (!touch.plain) return used_through_a_view(buffer, reader.block());
      reads = reads || (touch.reads && touch.path.size() > reader.size());
    }
    if (!reads)
      return Refusal{"not_a_consumer",
                     fmt::format("block {} does not read {}", reader.block().name, buffer->name)};
  }
  // Program order is that of the touches.
  std::vector<Path> ordered;
  for (const Touch& touch : readers.touches)
    for (const Path& reader : readers.blocks)
      if (holds_end(reader, touch) && std::find(ordered.begin(), ordered.end(), reader) == ordered.end())
        ordered.push_back(reader);
  readers.blocks = std::move(ordered);
  return readers;
}

Result<Path> read_place(const Readers& readers) { return ReadPlacing(readers).run(); }

std::optional<arith::Touched> read_from(const Function& f, const Readers& readers, const Path& place,
                                        const Buffer& buffer) {
  const arith::Analyzer facts = place.facts(f);
  // Readers in later statements of the sequence count, too.
  const Stmt& around = place[place.size() - 2];
  std::vector<Stmt> statements;
  if (const auto* sequence = around.as<Seq>())
    statements = sequence->statements;
  else
    statements = {place.back()};
  std::optional<arith::Touched> all;
  for (const Stmt& s : statements)
    for (const arith::Access& access : arith::each_access(s, facts)) {
      if (access.write || !(access.each.buffer == buffer)) continue;
      const bool counts = std::any_of(readers.blocks.begin(), readers.blocks.end(), [&](const Path& block) {
        return std::find(block.begin(), block.end(), access.statement) != block.end();
      });
      if (counts) all = all ? arith::unite(*all, access.touched(), facts) : access.touched();
    }
  return all;
}

}  // namespace ardea::schedule
