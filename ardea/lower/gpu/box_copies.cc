#include <algorithm>
#include <unordered_set>

#include "ardea/arith/copied_box.h"
#include "ardea/ir/guarded_copy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/storage_alignment.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/copy_waits.h"
#include "ardea/lower/gpu/launch.h"
#include "ardea/lower/gpu/passes.h"
#include "ardea/support/error.h"

namespace ardea::lower {

namespace {

using arith::Analyzer;

class BoxCopies {
 public:
  BoxCopies(const Function& f, const target::CopyEngine& engine) : name_(f.name), engine_(engine) {
    visit_stmts(f.body, [&](const Stmt& s) {
      const auto* allocate = s.as<Allocate>();
      if (allocate == nullptr) return;
      if (allocate->annotations.contains(async_copies_key)) awaited_.insert(allocate->data);
      if (allocate->annotations.contains(storage_alignment_key)) spread_.insert(allocate->data);
    });
  }

  Stmt run(const Stmt& s, const Analyzer& facts) {
    const auto* loop = s.as<For>();
    if (loop != nullptr && integer_attribute(loop->annotations, box_copy_key, 0) == 1)
      return copied(*loop, facts);
    const bool is_thread = loop != nullptr && is_thread_loop(*loop);
    if (is_thread) threads_.push_back(loop->var);
    Stmt out =
        map_inside(s, facts, [&](const Stmt& part, const Analyzer& known) { return run(part, known); });
    if (is_thread) threads_.pop_back();
    return out;
  }

 private:
  Stmt copied(const For& rows, const Analyzer& facts) const {
    const auto refuse_unless = [&](bool holds, const char* fact) {
      require(holds, "lower {}: loop {} is to be a copy of a box, but {}; take the annotation {} from it",
              name_, rows.var.name(), fact, box_copy_key);
    };
    const auto* columns = rows.body.as<For>();
    const auto* store = columns == nullptr ? nullptr : columns->body.as<Store>();
    const auto height = constant_int(rows.extent),
               width = columns == nullptr ? std::nullopt : constant_int(columns->extent);
    refuse_unless(store != nullptr && is_zero(rows.min) && is_zero(columns->min) && height && width,
                  "it is not two loops over numbers of rows and columns around one store");
    const auto copy = guarded_copy(store->value);
    refuse_unless(
        copy && copy->load->buffer->scope == "global" && copy->load->buffer->type == store->buffer->type &&
            is_true(store->predicate) && is_true(copy->load->predicate),
        "the store does more than to move an element of the device's memory, or 0 where there is none");
    refuse_unless(
        awaited_.contains(store->buffer->data),
        "nothing waits for what it brings: it stands in no pipeline, or one that is not understood");
    Analyzer inside_rows = inside(facts, rows), inside_both = inside(inside_rows, *columns);
    for (const Var& thread : threads_)
      refuse_unless(facts.proves(equals(thread, make_int(0, thread.type()))),
                    "it is not the first thread of the block that does it, and no other");
    const auto to = beginning_of_rows(*store, rows.var, columns->var, *width, inside_both);
    refuse_unless(to.has_value() && !spread_.contains(store->buffer->data),
                  "what it fills are no whole rows of shared memory, one behind the other");
    auto box = arith::copied_box(copy->load->buffer, copy->load->indices, copy->condition, rows.var,
                                 columns->var, inside_both);
    refuse_unless(box.has_value(), "what it reads is not proved to be a box of an array of known size");
    refuse_unless(std::max({box->outers, box->rows, box->columns}) <= most_counted_by_unit,
                  "the array has more rows than the unit counts");
    const DataType type = store->buffer->type;
    const std::int64_t most = engine_.max_extent.value_or(*height);
    refuse_unless(*height <= most && *width <= most, "the unit copies fewer rows or columns at a time");
    refuse_unless(type.bytes(box->columns) % engine_.granule_bytes == 0 &&
                      type.bytes(*width) % engine_.granule_bytes == 0,
                  "rows do not begin on multiples of as many bytes as the unit wants");
    box->box_rows = *height, box->box_columns = *width;
    const auto address = [](const Buffer& buffer, const std::vector<Expr>& indices) {
      return make_call("address_of", {make_load(buffer, indices)});
    };
    std::vector<Expr> first;
    for (const Expr& index : copy->load->indices) first.push_back(make_int(0, index.type()));
    return Evaluate{make_box_copy(address(store->buffer, *to), address(copy->load->buffer, first), *box)};
  }

  /// Where the rows begin that are filled; nothing where they are not whole, or do not follow each other.
  static std::optional<std::vector<Expr>> beginning_of_rows(const Store& store, const Var& row,
                                                            const Var& column, std::int64_t width,
                                                            const Analyzer& facts) {
    const std::size_t rank = store.indices.size();
    if (rank < 2 || store.buffer->shape.size() != rank || constant_int(store.buffer->shape.back()) != width)
      return std::nullopt;
    std::vector<Expr> begin;
    for (std::size_t d = 0; d < rank; ++d) {
      const Expr& index = store.indices[d];
      const auto number = [&](const Expr& e) { return make_cast(index.type(), e); };
      begin.push_back(facts.simplify(
          substitute(index, {{row, make_int(0, row.type())}, {column, make_int(0, column.type())}})));
      const Expr expected = d + 1 == rank   ? number(column)
                            : d + 2 == rank ? begin.back() + number(row)
                                            : begin.back();
      if (!facts.proves(equals(index, expected))) return std::nullopt;
    }
    return begin;
  }

  const std::string& name_;
  const target::CopyEngine& engine_;
  std::unordered_set<Var> awaited_;  ///< memory of whose copies the waits are there
  std::unordered_set<Var> spread_;   ///< memory whose rows shall lie further apart
  std::vector<Var> threads_;
};

}  // namespace

Function box_copies(const Function& f, const target::Target& target) {
  const target::CopyEngine* engine = box_engine(target);
  if (engine == nullptr) return f;
  Function out = f;
  out.body = BoxCopies(f, *engine).run(f.body, arith::facts_of(f));
  return out;
}

}  // namespace ardea::lower
