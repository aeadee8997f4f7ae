#include <algorithm>
#include <map>

#include "ardea/ir/substitute.h"
#include "ardea/lower/passes.h"
#include "ardea/lower/strided_runs.h"
#include "ardea/support/ceil_div.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// Of rows that hold more sequences each is taken in several steps, which cost what the loads do.
constexpr std::int64_t widest_stride = 2;

/// The elements from the first lane of some loads to the last of all, in rows of as many as there are lanes:
///
///   e0 e1 e2 e3 | e4 e5 e6 e7 | e8 …
///
/// Every second one, from the first or the second on, is a sequence; a load is a part of one of them.
class JoinedLoads {
 public:
  JoinedLoads(const StridedGroup& group, std::int64_t begin, std::int64_t end, const Analyzer& facts,
              ReadBefore& read)
      : group_(group),
        begin_(begin),
        length_(end - begin),
        lanes_(group.front().load.type().lanes),
        stride_(*constant_int(group.front().lanes->stride)),
        facts_(facts),
        read_(read) {}

  std::int64_t row_count() const { return ceil_div(length_, lanes_); }
  bool has_whole_rows() const { return length_ >= lanes_; }

  Var at(const StridedLoad& load) {
    const std::int64_t place = load.offset - begin_, sequence = ((place % stride_) + stride_) % stride_;
    const std::int64_t from = (place - sequence) / stride_, last = (length_ - 1 - sequence) / stride_;
    // Lanes that do not run may lie outside: some other element stands there.
    std::vector<Expr> sources;
    std::vector<std::int64_t> numbers, picked;
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      const std::int64_t element = std::clamp<std::int64_t>(from + lane, 0, last), number = element / lanes_;
      if (numbers.empty() || numbers.back() != number) {
        numbers.push_back(number);
        sources.emplace_back(part(sequence, number));
      }
      picked.push_back((std::ssize(sources) - 1) * lanes_ + element % lanes_);
    }
    const bool is_whole = from % lanes_ == 0 && sources.size() == 1 && !load.has_mask();
    const Var all =
        is_whole ? part(sequence, numbers[0]) : named(make_shuffle(std::move(sources), std::move(picked)));
    if (!load.has_mask()) return all;
    return named(
        make_select(load.access->predicate, all,
                    make_broadcast(make_const(0, all.type().with_lanes(1)), static_cast<int>(lanes_))));
  }

 private:
  Var named(const Expr& value) { return read_.name(group_.front().access->buffer->name + "_lanes", value); }

  /// The last row ends where the last lane is: there may be nothing behind.
  std::int64_t begin_of(std::int64_t row) const { return std::min(row * lanes_, length_ - lanes_); }

  Var row(std::int64_t number) {
    const auto [found, added] = rows_.try_emplace(number);
    if (added) found->second = read_.row(group_, begin_ + begin_of(number), 0, facts_);
    return found->second;
  }

  /// As many elements of a sequence as there are lanes; behind its end the last one again, which no load has.
  Var part(std::int64_t sequence, std::int64_t number) {
    const auto [found, added] = parts_.try_emplace({sequence, number});
    if (!added) return found->second;
    std::vector<Expr> sources;
    std::vector<std::int64_t> numbers, picked;
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      const std::int64_t wanted = sequence + stride_ * (number * lanes_ + lane);
      const std::int64_t last = sequence + (length_ - 1 - sequence) / stride_ * stride_;
      const std::int64_t place = std::min(wanted, last), in_row = place / lanes_;
      if (numbers.empty() || numbers.back() != in_row) {
        numbers.push_back(in_row);
        sources.emplace_back(row(in_row));
      }
      picked.push_back((std::ssize(sources) - 1) * lanes_ + place - begin_of(in_row));
    }
    const Var made = named(make_shuffle(std::move(sources), std::move(picked)));
    return parts_[{sequence, number}] = made;
  }

  const StridedGroup& group_;
  const std::int64_t begin_, length_, lanes_, stride_;
  const Analyzer& facts_;
  ReadBefore& read_;
  std::map<std::int64_t, Var> rows_;
  std::map<std::pair<std::int64_t, std::int64_t>, Var> parts_;
};

/// What the lanes of a load that run lie between.
struct Span {
  std::int64_t begin, end;
  const StridedLoad* load;
};

std::optional<Span> span_of(const StridedLoad& load) {
  const std::int64_t lanes = load.load.type().lanes, apart = *constant_int(load.lanes->stride);
  std::int64_t first = 0, last = lanes - 1;
  if (load.has_mask()) {
    while (first < lanes && !load.runs[static_cast<std::size_t>(first)]) ++first;
    while (last > first && !load.runs[static_cast<std::size_t>(last)]) --last;
  }
  if (first > last) return std::nullopt;
  return Span{load.offset + first * apart, load.offset + last * apart + 1, &load};
}

/// The loads, which overlap, of a group.
void join_loads(const StridedGroup& group, const std::vector<Span>& spans, const Analyzer& facts,
                ReadBefore& read) {
  std::int64_t end = 0;
  for (const Span& span : spans) end = std::max(end, span.end);
  JoinedLoads joined(group, spans.front().begin, end, facts, read);
  std::map<std::pair<std::int64_t, std::vector<bool>>, Var> made;
  for (const Span& span : spans) made[{span.load->offset, span.load->runs}];
  // One by one, each reads as many rows as its lanes lie apart.
  const std::int64_t apart = *constant_int(group.front().lanes->stride);
  if (!joined.has_whole_rows() || joined.row_count() >= std::ssize(made) * apart) return;
  for (const Span& span : spans) {
    Var& name = made.at({span.load->offset, span.load->runs});
    if (!name.defined()) name = joined.at(*span.load);
    read.replace(*span.load, name);
  }
}

void join_overlapping(const StridedGroup& group, const Analyzer& facts, ReadBefore& read) {
  std::vector<Span> spans;
  for (const StridedLoad& load : group)
    if (const auto span = span_of(load)) spans.push_back(*span);
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.begin < b.begin; });
  for (std::size_t first = 0, next = 0; first < spans.size(); first = next) {
    std::int64_t end = spans[first].end;
    for (next = first + 1; next < spans.size() && spans[next].begin < end; ++next)
      end = std::max(end, spans[next].end);
    join_loads(group,
               {spans.begin() + static_cast<std::ptrdiff_t>(first),
                spans.begin() + static_cast<std::ptrdiff_t>(next)},
               facts, read);
  }
}

}  // namespace

Function join_strided_loads(const Function& f, const target::Target&) {
  const auto is_meant = [](const StridedLoad& load) {
    const auto stride = constant_int(load.lanes->stride);
    const DataType type = load.load.type();
    return stride && *stride >= 2 && *stride <= widest_stride && !type.is_bool() && type.bits >= 8;
  };
  return rewrite_strided_runs(f, {is_meant, join_overlapping});
}

}  // namespace ardea::lower
