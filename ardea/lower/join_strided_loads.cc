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

  Var at(std::int64_t offset) {
    const std::int64_t place = offset - begin_, sequence = place % stride_, from = place / stride_;
    const Var whole = part(sequence, from / lanes_);
    if (from % lanes_ == 0) return whole;
    const Var next = part(sequence, from / lanes_ + 1);
    std::vector<std::int64_t> picked;
    for (std::int64_t lane = 0; lane < lanes_; ++lane) picked.push_back(from % lanes_ + lane);
    return named(make_shuffle({whole, next}, picked));
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

/// The loads [first, last) of the group, which overlap.
void join(const StridedGroup& group, std::size_t first, std::size_t last, std::int64_t end,
          const Analyzer& facts, ReadBefore& read) {
  JoinedLoads joined(group, group[first].offset, end, facts, read);
  std::map<std::int64_t, Var> made;
  for (std::size_t i = first; i < last; ++i) made[group[i].offset];
  // One by one, each reads as many rows as its lanes lie apart.
  const std::int64_t apart = *constant_int(group.front().lanes->stride);
  if (joined.row_count() >= std::ssize(made) * apart) return;
  for (auto& [offset, name] : made) name = joined.at(offset);
  for (std::size_t i = first; i < last; ++i) read.replace(group[i], made.at(group[i].offset));
}

void join_overlapping(const StridedGroup& group, const Analyzer& facts, ReadBefore& read) {
  const std::int64_t reach =
      *constant_int(group.front().lanes->stride) * (group.front().load.type().lanes - 1) + 1;
  for (std::size_t first = 0, next = 0; first < group.size(); first = next) {
    std::int64_t end = 0;
    for (next = first; next < group.size() && (next == first || group[next].offset < end); ++next)
      end = group[next].offset + reach;
    join(group, first, next, end, facts, read);
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
