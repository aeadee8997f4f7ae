#include <fmt/core.h>

#include <algorithm>

#include "ardea/ir/equal.h"
#include "ardea/ir/print_stmt.h"
#include "ardea/support/text.h"

namespace ardea {

namespace {

const char* axis_name(IteratorKind kind) {
  switch (kind) {
    case IteratorKind::spatial: return "spatial";
    case IteratorKind::reduce: return "reduce";
    case IteratorKind::ordered: return "scan";
    case IteratorKind::opaque: return "opaque";
  }
  return "opaque";
}

}  // namespace

std::string StmtPrinter::regions(const std::vector<BufferRegion>& regions) {
  std::vector<std::string> texts;
  for (const BufferRegion& region : regions) texts.push_back(exprs_.region(region));
  return join(texts, ", ");
}

// In the order TVM prints: iterators, predicate, regions, annotations, buffers, init, body.
void StmtPrinter::block(const Block& node) {
  line("with T.block(" + in_quotes(node.name) + "):");
  ++indent_;
  names_.open();
  iterators(node);
  if (node.predicate.defined()) line("T.where(" + exprs_.full(node.predicate) + ")");
  if (node.reads) line("T.reads(" + regions(*node.reads) + ")");
  if (node.writes) line("T.writes(" + regions(*node.writes) + ")");
  if (!node.annotations.empty()) line("T.block_attr(" + print_attributes(node.annotations, names_) + ")");
  for (const Buffer& buffer : node.allocations) buffer_line(buffer, "T.alloc_buffer");
  for (const MatchBuffer& match : node.matches)
    buffer_line(match.buffer, "T.match_buffer", exprs_.region(match.source));
  if (node.init.defined()) {
    line("with T.init():");
    inner_suite(node.init);
  }
  suite(node.body);
  names_.close();
  --indent_;
}

// T.axis.remap says: iterator i ranges over the range of loop i and is bound to its variable.
bool StmtPrinter::remaps(const Block& node) const {
  return node.iterators.size() > 1 &&
         std::all_of(node.iterators.begin(), node.iterators.end(), [&](const BlockIterator& iterator) {
           const auto loop = loops_.find(iterator.binding);
           return iterator.kind != IteratorKind::opaque && loop != loops_.end() &&
                  structurally_equal(loop->second.min, iterator.domain.min) &&
                  structurally_equal(loop->second.extent, iterator.domain.extent);
         });
}

void StmtPrinter::iterators(const Block& node) {
  if (remaps(node)) {
    std::vector<std::string> names, bindings;
    std::string kinds;
    for (const BlockIterator& iterator : node.iterators) {
      bindings.push_back(exprs_.full(iterator.binding));
      kinds += "SRO"[static_cast<int>(iterator.kind)];
    }
    for (const BlockIterator& iterator : node.iterators) names.push_back(names_.define(iterator.var));
    return line(join(names, ", ") + " = T.axis.remap(" + in_quotes(kinds) + ", [" + join(bindings, ", ") +
                "])");
  }
  for (const BlockIterator& iterator : node.iterators) {
    const auto [first, end] = exprs_.ends(iterator.domain);
    const bool from_zero =
        is_zero(iterator.domain.min) && iterator.domain.min.type() == iterator.domain.extent.type();
    const std::string domain =
        from_zero ? exprs_.full(iterator.domain.extent) : fmt::format("({}, {})", first, end);
    const std::string binding = exprs_.expected(iterator.binding);
    line(fmt::format("{} = T.axis.{}({}, {})", names_.define(iterator.var), axis_name(iterator.kind), domain,
                     binding));
  }
}

}  // namespace ardea
