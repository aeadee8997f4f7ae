#include <algorithm>
#include <unordered_set>

#include "ardea/arith/copied_box.h"
#include "ardea/arith/copied_window.h"
#include "ardea/ir/guarded_copy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/storage_alignment.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/lower/facts.h"
#include "ardea/lower/gpu/common_corners.h"
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
    const Stmt out = with_copies(s, facts);
    return with_common_corners(out, windows_);
  }

 private:
  Stmt with_copies(const Stmt& s, const Analyzer& facts) {
    const auto* loop = s.as<For>();
    if (loop != nullptr && integer_attribute(loop->annotations, box_copy_key, 0) == 1)
      return copied(*loop, facts);
    const bool is_thread = loop != nullptr && is_thread_loop(*loop);
    if (is_thread) threads_.push_back(loop->var);
    Stmt out = map_inside(s, facts,
                          [&](const Stmt& part, const Analyzer& known) { return with_copies(part, known); });
    if (is_thread) threads_.pop_back();
    return out;
  }

  Stmt copied(const For& rows, const Analyzer& facts) {
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
    const DataType type = store->buffer->type;
    const auto is_granular = [&](std::int64_t columns) {
      return type.bytes(columns) % engine_.granule_bytes == 0 &&
             type.bytes(*width) % engine_.granule_bytes == 0;
    };
    constexpr auto fewer = "the unit copies fewer rows or columns at a time",
                   not_granular = "rows do not begin on multiples of as many bytes as the unit wants",
                   too_many = "the array has more rows than the unit counts";
    const auto address = [](const Buffer& buffer, const std::vector<Expr>& indices) {
      return make_call("address_of", {make_load(buffer, indices)});
    };
    const Buffer& array = copy->load->buffer;
    std::vector<Expr> first;
    for (const Expr& index : copy->load->indices) first.push_back(make_int(0, index.type()));
    const Expr target = address(store->buffer, *to), source = address(array, first);
    if (auto box = arith::copied_box(array, copy->load->indices, copy->condition, rows.var, columns->var,
                                     inside_both)) {
      refuse_unless(std::max({box->outers, box->rows, box->columns}) <= most_counted_by_unit, too_many);
      const std::int64_t most = engine_.max_extent.value_or(*height);
      refuse_unless(*height <= most && *width <= most, fewer);
      refuse_unless(is_granular(box->columns), not_granular);
      box->box_rows = *height, box->box_columns = *width;
      return Evaluate{make_box_copy(target, source, *box)};
    }
    auto windows = arith::copied_window(array, copy->load->indices, copy->condition, rows.var, columns->var,
                                        inside_both);
    refuse_unless(
        windows.has_value(),
        "what it reads is not proved to be a box of an array of known size, nor what windows see of "
        "images");
    refuse_unless(std::max({windows->images, windows->channels,
                            *std::max_element(windows->extents.begin(), windows->extents.end())}) <=
                      most_counted_by_unit,
                  too_many);
    refuse_unless(*height <= WindowLimits::most_windows && *width <= WindowLimits::most_channels, fewer);
    refuse_unless(is_granular(windows->channels), not_granular);
    windows->box_windows = *height, windows->box_channels = *width;
    std::vector<std::int64_t> farthest;
    for (const Expr& tap : windows->tap)
      farthest.push_back(
          inside_both.constant_bounds(tap).high.value_or(window_limits(windows->dimensions()).farthest_tap));
    const Expr call = make_window_copy(target, source, *windows);
    windows_.push_back({call, *windows, array->data, farthest});
    return Evaluate{call};
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
  std::vector<WindowUse> windows_;
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
