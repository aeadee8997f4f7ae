#include <algorithm>

#include "ardea/arith/regions_linear.h"
#include "ardea/arith/verify_laws.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/text.h"

namespace ardea::arith {

namespace {

class KindCheck {
 public:
  KindCheck(const Block& block, const Analyzer& shared, Report& report)
      : block_(block),
        facts_(facts_inside(block, shared)),
        each_(each_access(block, shared)),
        report_(report) {
    for (const BlockIterator& i : block.iterators) {
      all_.emplace_back(i.var, i.domain);
      if (facts_.proves(equals(as_index(i.domain.extent), make_int(1)))) continue;
      if (i.kind == IteratorKind::spatial) spatial_.emplace_back(i.var, i.domain);
      if (i.kind == IteratorKind::reduce) reduce_.emplace_back(i.var, i.domain);
    }
  }

  void run() {
    if (block_.init.defined()) init_matches_body();
    if (!reduce_.empty()) {
      outputs_do_not_move();
      body_updates();
    }
    if (!spatial_.empty()) spatial();
  }

 private:
  /// Where the block writes: by its code, or by its declaration where an address is given away.
  std::vector<BufferRegion> written() const {
    std::vector<BufferRegion> regions;
    for (const Access& access : each_)
      if (access.write && !access.opaque) regions.push_back(access.touched().region);
    if (!block_.writes) return regions;
    for (const BufferRegion& region : *block_.writes)
      if (given_away(region.buffer)) regions.push_back(region);
    return regions;
  }

  bool given_away(const Buffer& buffer) const {
    return std::any_of(each_.begin(), each_.end(), [&](const Access& access) {
      return access.opaque && access.each.buffer->data == buffer->data;
    });
  }

  // --- spatial ---

  /// Boxes of the writes that may meet in different iterations; those that never meet are judged alone.
  std::vector<Touched> clusters() const {
    std::vector<Touched> found;
    for (const BufferRegion& region : written()) {
      Touched box{region, false};
      for (std::size_t i = found.size(); i-- > 0;) {
        if (!(found[i].region.buffer == region.buffer)) continue;
        const BufferRegion mine = relax(box.region, spatial_, facts_).region;
        const BufferRegion other = relax(found[i].region, spatial_, facts_).region;
        if (disjoint(mine, other, facts_) == Proof::proved) continue;
        box = unite(box, found[i], facts_);
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
      }
      found.push_back(std::move(box));
    }
    return found;
  }

  void spatial() {
    for (const Touched& cluster : clusters()) {
      const BufferRegion& box = cluster.region;
      const auto dims = separating_dimensions(box.region, spatial_, facts_);
      if (!dims) {
        overlapping(box);
        continue;
      }
      for (const Access& access : each_)
        if (!access.write && !access.opaque && access.each.buffer == box.buffer)
          reads_only_its_own(access, box, *dims);
    }
  }

  void overlapping(const BufferRegion& box) {
    for (const auto& [var, domain] : spatial_) {
      const bool moves = std::any_of(box.region.begin(), box.region.end(), [&, v = var](const Range& range) {
        return uses(range.min, v) || uses(range.extent, v);
      });
      if (moves) continue;
      report_.add_proof(
          false, "spatial_iterator_overlaps",
          "block {}: {} is a spatial iterator, but every value of it writes the same {}; make it a reduce, "
          "ordered or opaque iterator, or index the output with it",
          block_.name, var.name(), print(box));
      return;
    }
    report_.add_proof(false, "spatial_iterator_overlaps",
                      "block {}: it is not proved that different values of its spatial iterators {} write "
                      "different elements "
                      "of {}; make those that do not tell the elements apart ordered or opaque iterators",
                      block_.name, names(spatial_), print(box));
  }

  void reads_only_its_own(const Access& access, const BufferRegion& write,
                          const std::vector<std::size_t>& dims) {
    const BufferRegion& read = access.touched().region;
    BufferRegion read_part{read.buffer, {}}, write_part{write.buffer, {}};
    for (const std::size_t d : dims) {
      read_part.region.push_back(read.region[d]);
      write_part.region.push_back(write.region[d]);
    }
    if (contains(write_part, read_part, facts_) == Proof::proved) return;
    if (disjoint(relax(write, all_, facts_).region, read, facts_) == Proof::proved) return;
    report_.add_proof(false, "spatial_reads_other_elements",
                      "block {}: {} reads {}, which other values of the spatial iterators {} write (this one "
                      "writes {}); make "
                      "them ordered iterators, or read from another buffer",
                      block_.name, brief(access.statement), print(read), names(spatial_), print(write));
  }

  // --- reduce ---

  void outputs_do_not_move() {
    for (const BufferRegion& region : written())
      for (const Range& range : region.region)
        for (const auto& [var, domain] : reduce_)
          if (uses(facts_.simplify(range.min), var) || uses(facts_.simplify(range.extent), var)) {
            report_.add_proof(
                false, "reduce_indexes_output",
                "block {}: {} is a reduce iterator, but what the block writes, {}, depends on it; make it a "
                "spatial or ordered iterator",
                block_.name, var.name(), print(region));
            return;
          }
  }

  bool body_reads(const Buffer& buffer) const {
    return given_away(buffer) || std::any_of(each_.begin(), each_.end(), [&](const Access& access) {
             return !access.write && !access.in_init && access.each.buffer->data == buffer->data;
           });
  }

  /// x = f(x, …): else the last value of the reduce iterators alone would decide. A conditional write counts
  /// as an update: the condition stands for the old value (an index kept beside its maximum).
  void body_updates() {
    bool any = false;
    for (const Access& access : each_)
      any = any || (access.write && !access.in_init && body_reads(access.each.buffer));
    for (const Access& access : each_) {
      if (!access.write || access.in_init) continue;
      const BufferRegion& box = access.touched().region;
      if (body_reads(box.buffer) || (access.conditional && any) || block_inside_updates(access)) continue;
      report_.add_proof(false, "reduce_without_update",
                        "block {}: it has the reduce iterators {}, but {} does not combine with what {} held "
                        "before; write an "
                        "update such as x = x + y, or make the iterators ordered",
                        block_.name, names(reduce_), brief(access.statement), print(box));
      return;
    }
  }

  /// Whether the access is a whole block inside that updates what it writes, as this one should. Its own
  /// declaration leaves out what an update reads.
  bool block_inside_updates(const Access& access) const {
    const auto* inside = access.statement.as<Block>();
    if (inside == nullptr) return false;
    const std::vector<Access> parts = each_access(*inside, facts_);
    const auto reads = [&](const Buffer& buffer) {
      return std::any_of(parts.begin(), parts.end(), [&](const Access& part) {
        return !part.write && !part.in_init && part.each.buffer->data == buffer->data;
      });
    };
    const bool any = std::any_of(parts.begin(), parts.end(), [&](const Access& part) {
      return part.write && !part.in_init && reads(part.each.buffer);
    });
    return std::all_of(parts.begin(), parts.end(), [&](const Access& part) {
      return !part.write || part.in_init || !(part.each.buffer->data == access.each.buffer->data) ||
             reads(part.each.buffer) || (part.conditional && any);
    });
  }

  void init_matches_body() {
    const auto boxes = [&](bool in_init) {
      std::vector<Touched> found;
      for (const Access& access : each_) {
        if (!access.write || access.in_init != in_init) continue;
        const auto same = std::find_if(found.begin(), found.end(), [&](const Touched& t) {
          return t.region.buffer == access.each.buffer;
        });
        if (same == found.end())
          found.push_back(access.touched());
        else
          *same = unite(*same, access.touched(), facts_);
      }
      return found;
    };
    const auto regions = [](const std::vector<Touched>& touched) {
      std::vector<BufferRegion> list;
      for (const Touched& t : touched) list.push_back(t.region);
      return list;
    };
    const std::vector<Touched> init = boxes(true), body = boxes(false);
    const auto all_in = [&](const std::vector<Touched>& some, const std::vector<Touched>& others) {
      return std::all_of(some.begin(), some.end(), [&](const Touched& t) {
        return given_away(t.region.buffer) ||
               std::any_of(others.begin(), others.end(), [&](const Touched& o) {
                 return o.region.buffer == t.region.buffer &&
                        contains(o.region, t.region, facts_) == Proof::proved;
               });
      });
    };
    if (all_in(init, body) && all_in(body, init)) return;
    report_.add_proof(
        false, "init_region_differs",
        "block {}: its init writes {}, but its body writes {}; both must write the same elements",
        block_.name, listed(regions(init)), listed(regions(body)));
  }

  static std::string names(const std::vector<LoopRange>& iterators) {
    std::vector<std::string> list;
    for (const auto& [var, domain] : iterators) list.push_back(var.name());
    return join(list, ", ");
  }

  const Block& block_;
  const Analyzer facts_;
  const std::vector<Access> each_;
  Report& report_;
  std::vector<LoopRange> all_, spatial_, reduce_;
};

}  // namespace

void check_iterator_kinds(const Block& block, const Analyzer& shared, Report& report) {
  KindCheck(block, shared, report).run();
}

}  // namespace ardea::arith
