#include <algorithm>
#include <bit>
#include <ranges>
#include <unordered_map>

#include "ardea/ir/equal.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/memory_ages.h"
#include "ardea/lower/passes.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

/// Backends read elements that lie nearer to each other by rows anyway.
constexpr std::int64_t nearest_rows = 5;

/// A vector whose lanes lie in as many rows of a matrix: a load of base, base + stride, …
struct Column {
  Expr load;
  const Load* access;
  const Ramp* lanes;
  std::int64_t offset = 0;  ///< of its base from that of the first in its matrix
};

/// Columns whose places differ by numbers that are known.
struct Matrix {
  std::vector<Column> columns;

  bool has(const Column& other) const {
    const Column& first = columns.front();
    return first.access->buffer == other.access->buffer && first.load.type() == other.load.type() &&
           structurally_equal(first.lanes->stride, other.lanes->stride);
  }
};

/// Whether e is evaluated only where something says so.
bool is_lazy(const Expr& e) {
  const auto* call = e.as<Call>();
  return e.is<Let>() || (call != nullptr && call->op->name == "if_then_else");
}

using Names = std::vector<std::pair<Var, Expr>>;

/// Rows of a square, of which each exchange of lanes between two makes two of the next: after the first one,
/// squares of 2 × 2 elements are transposed, after the second one squares of 4 × 4, until the whole is. All
/// are of two vectors, which every machine has an instruction or two for; and each serves all columns.
std::vector<Var> transposed(std::vector<Var> rows, const std::string& name, Names& names) {
  const std::size_t lanes = rows.size();
  for (std::size_t side = 1; side < lanes; side *= 2) {
    std::vector<Var> next = rows;
    for (std::size_t upper = 0; upper < lanes; ++upper) {
      if ((upper & side) != 0) continue;
      const std::size_t lower = upper + side;
      std::vector<std::int64_t> firsts, seconds;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool is_left = (lane & side) == 0;
        firsts.push_back(static_cast<std::int64_t>(is_left ? lane : lanes + lane - side));
        seconds.push_back(static_cast<std::int64_t>(is_left ? lane + side : lanes + lane));
      }
      const auto exchanged = [&](const std::vector<std::int64_t>& lanes_of_both) {
        const Expr value = make_shuffle({rows[upper], rows[lower]}, lanes_of_both);
        names.emplace_back(Var(name + "_tile", value.type()), value);
        return names.back().first;
      };
      next[upper] = exchanged(firsts);
      next[lower] = exchanged(seconds);
    }
    rows = std::move(next);
  }
  return rows;
}

/// Stores that follow each other.
class Run {
 public:
  Run(const std::vector<Stmt>& stores, const Analyzer& facts, MemoryAges& ages, const target::Target& target)
      : stores_(stores), all_(make_seq(stores)), facts_(facts), ages_(ages), target_(target) {}

  std::vector<Stmt> by_rows() {
    for (const Stmt& s : stores_) collect(s.as<Store>()->value);
    for (Matrix& matrix : matrices_) transpose(matrix);
    if (names_.empty()) return stores_;
    std::vector<Stmt> stores;
    for (const Stmt& s : stores_) {
      Store store = *s.as<Store>();
      store.value = with_names(store.value);
      stores.emplace_back(store);
    }
    Stmt body = make_seq(std::move(stores));
    for (const auto& [name, value] : std::views::reverse(names_)) body = LetStmt{name, value, body};
    return {body};
  }

 private:
  void collect(const Expr& e) {
    if (is_lazy(e) || !visited_.emplace(e, Var()).second) return;
    if (const auto column = as_column(e)) return add(*column);
    for_each_child(e, [&](const Expr& part) { collect(part); });
  }

  std::optional<Column> as_column(const Expr& e) {
    const auto* load = e.as<Load>();
    const Ramp* ramp = load != nullptr ? load->indices.at(0).as<Ramp>() : nullptr;
    if (ramp == nullptr || load->predicate.defined() || reads_memory(ramp->base)) return std::nullopt;
    const DataType type = e.type();
    const auto stride = constant_int(ramp->stride);
    if (stride && *stride < std::max<std::int64_t>(nearest_rows, type.lanes)) return std::nullopt;
    // As many columns as lanes are in registers at once, beside what they are made of.
    if (!std::has_single_bit(static_cast<unsigned>(type.lanes)) || type.is_bool() || type.bits < 8 ||
        type.lanes > target_.vector_registers / 2)
      return std::nullopt;
    if (load->buffer->scope != "global" || ages_.may_write(all_, load->buffer->data)) return std::nullopt;
    return Column{e, load, ramp};
  }

  void add(Column column) {
    for (Matrix& matrix : matrices_) {
      if (!matrix.has(column)) continue;
      const Expr& origin = matrix.columns.front().lanes->base;
      const auto offset = constant_int(facts_.simplify(column.lanes->base - origin));
      if (!offset) continue;
      column.offset = *offset;
      matrix.columns.push_back(std::move(column));
      return;
    }
    matrices_.push_back({{std::move(column)}});
  }

  /// Names for the columns of all squares in the matrix.
  void transpose(Matrix& matrix) {
    std::vector<Column>& columns = matrix.columns;
    std::stable_sort(columns.begin(), columns.end(),
                     [](const Column& a, const Column& b) { return a.offset < b.offset; });
    std::vector<std::size_t> side_by_side;  // the first of each place
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0 && columns[i].offset == columns[i - 1].offset) continue;
      if (!side_by_side.empty() && columns[i].offset != columns[side_by_side.back()].offset + 1)
        side_by_side.clear();
      side_by_side.push_back(i);
      if (std::ssize(side_by_side) < columns[i].load.type().lanes) continue;
      name_square(columns, side_by_side);
      side_by_side.clear();
    }
  }

  void name_square(const std::vector<Column>& columns, const std::vector<std::size_t>& side_by_side) {
    const Column& first = columns[side_by_side.front()];
    const Buffer& buffer = first.access->buffer;
    const int lanes = first.load.type().lanes;
    const Expr one = make_int(1, first.lanes->base.type());
    std::vector<Var> rows;
    for (int row = 0; row < lanes; ++row) {
      const Expr distance = make_int(row, first.lanes->stride.type()) * first.lanes->stride;
      const Expr begin = facts_.simplify(first.lanes->base + distance);
      const Expr value = make_load(buffer, {make_ramp(begin, one, lanes)});
      rows.emplace_back(buffer->name + "_row", value.type());
      names_.emplace_back(rows.back(), value);
    }
    const std::vector<Var> made = transposed(std::move(rows), buffer->name, names_);
    for (const Column& column : columns) {
      const std::int64_t place = column.offset - first.offset;
      if (place >= 0 && place < lanes) visited_[column.load] = made[static_cast<std::size_t>(place)];
    }
  }

  Expr with_names(const Expr& e) {
    if (is_lazy(e)) return e;
    if (const auto found = visited_.find(e); found != visited_.end() && found->second.defined())
      return found->second;
    return map_children(e, Mapper{.expr = [&](const Expr& part) { return with_names(part); }});
  }

  const std::vector<Stmt>& stores_;
  const Stmt all_;
  const Analyzer& facts_;
  MemoryAges& ages_;
  const target::Target& target_;
  std::vector<Matrix> matrices_;
  std::unordered_map<Expr, Var> visited_;  ///< and what a column is called
  Names names_;
};

class Walk {
 public:
  Walk(const Function& f, const target::Target& target) : ages_(f), target_(target) {}

  Stmt visit(const Stmt& s, const Analyzer& facts) {
    const Stmt inner =
        map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) { return visit(part, known); });
    const auto* seq = inner.as<Seq>();
    if (seq == nullptr) return inner;
    std::vector<Stmt> parts, run;
    const auto flush = [&] {
      if (run.empty()) return;
      for (const Stmt& part : Run(run, facts, ages_, target_).by_rows()) parts.push_back(part);
      run.clear();
    };
    for (const Stmt& part : seq->statements) {
      if (part.is<Store>()) {
        run.push_back(part);
        continue;
      }
      flush();
      parts.push_back(part);
    }
    flush();
    return parts == seq->statements ? inner : make_seq(std::move(parts));
  }

 private:
  MemoryAges ages_;
  const target::Target& target_;
};

bool has_columns(const Function& f) {
  bool found = false;
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    const Ramp* ramp = load != nullptr ? load->indices.at(0).as<Ramp>() : nullptr;
    found = found || (ramp != nullptr && !is_one(ramp->stride));
  });
  return found;
}

}  // namespace

Function transpose_tiles(const Function& f, const target::Target& target) {
  if (!has_columns(f)) return f;
  Function out = f;
  out.body = Walk(f, target).visit(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
