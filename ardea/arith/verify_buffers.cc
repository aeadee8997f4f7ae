#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "ardea/arith/verify_laws.h"
#include "ardea/ir/print.h"
#include "ardea/ir/scope.h"
#include "ardea/ir/traverse.h"
#include "ardea/support/text.h"

namespace ardea::arith {

namespace {

/// Products that say when they leave int64.
struct Checked {
  std::int64_t value = 1;
  bool fits = true;

  void multiply(std::int64_t by) { fits = fits && !__builtin_mul_overflow(value, by, &value); }
  void add(std::int64_t by) { fits = fits && !__builtin_add_overflow(value, by, &value); }
};

std::string shape_of(const std::vector<Expr>& extents) {
  std::vector<std::string> names;
  for (const Expr& extent : extents) names.push_back(print(extent));
  return "(" + join(names, ", ") + ")";
}

class BufferCheck {
 public:
  explicit BufferCheck(Report& report) : report_(report) {}

  void function(const Function& f) {
    for (const Parameter& p : f.parameters)
      if (p.buffer.defined()) buffer(p.buffer);
    // A declaration that nothing uses is a mention too, so that this list is complete.
    for (const Buffer& b : buffers_in(f.body)) buffer(b);
    visit(f.body);
    if (f.attributes.contains("calling_convention")) register_slots(f);
  }

 private:
  void buffer(const Buffer& b) {
    if (!seen_.insert(b).second) return;
    const std::string what = "buffer " + b->name;
    if (!b->data.type().is_handle())
      report_.add("data_type", "{}: its data is {}; it must be a handle", what, to_string(b->data.type()));
    if (b->type.is_handle() || b->type.is_none())
      report_.add("element_type", "{}: its elements are {}; they must be numbers", what, to_string(b->type));
    scope(what, b->scope);
    extents(what, b->shape);
    if (b->element_offset.defined() && !integer(b->element_offset))
      report_.add("extent_type", "{}: its offset is {}; it must be a scalar integer", what,
                  to_string(b->element_offset.type()));
    if (b->alignment_bytes < 0 || (b->alignment_bytes & (b->alignment_bytes - 1)) != 0)
      report_.add("alignment", "{}: its alignment is {} bytes; it must be a power of two", what,
                  b->alignment_bytes);
    if (b->strides.empty())
      size(what, b->type, b->shape);
    else
      strides(what, b);
  }

  static bool integer(const Expr& e) { return e.type().is_integer() && e.type().is_scalar(); }

  void scope(const std::string& what, const std::string& name) {
    if (!scope_rank(name))
      report_.add("unknown_scope", "{}: there is no memory scope {}; the scopes are {}", what,
                  in_quotes(name), known_scopes());
  }

  void extents(const std::string& what, const std::vector<Expr>& shape) {
    for (const Expr& extent : shape) {
      if (!integer(extent)) {
        report_.add("extent_type", "{}: the extent {} is {}; it must be a scalar integer", what,
                    print(extent), to_string(extent.type()));
      } else if (const auto value = constant_int(extent); value && *value < 1) {
        report_.add("extent_not_positive", "{}: an extent of {} is {}; extents must be at least 1", what,
                    shape_of(shape), *value);
      }
    }
  }

  /// The product of the constant extents: symbolic ones are at least 1.
  void size(const std::string& what, DataType type, const std::vector<Expr>& shape) {
    Checked bits;
    for (const Expr& extent : shape)
      if (const auto value = constant_int(extent)) bits.multiply(*value);
    bits.multiply(type.lanes);
    bits.multiply(type.is_bool() ? 8 : type.bits);
    if (!bits.fits)
      report_.add("size_overflow", "{}: {} elements of {} are more than any memory holds; make it smaller",
                  what, shape_of(shape), to_string(type));
  }

  void strides(const std::string& what, const Buffer& b) {
    if (b->strides.size() != b->shape.size()) {
      report_.add("stride_count",
                  "{}: {} strides for {} dimensions; give one for each, or none for row-major", what,
                  b->strides.size(), b->shape.size());
      return;
    }
    Checked last{.value = 1};
    for (std::size_t d = 0; d < b->shape.size(); ++d) {
      if (!integer(b->strides[d]))
        report_.add("extent_type", "{}: the stride {} is {}; it must be a scalar integer", what,
                    print(b->strides[d]), to_string(b->strides[d].type()));
      const auto extent = constant_int(b->shape[d]), stride = constant_int(b->strides[d]);
      if (!extent || !stride) continue;
      Checked reach{.value = *extent - 1};
      reach.multiply(*stride < 0 ? 0 : *stride);
      last.fits = last.fits && reach.fits;
      last.add(reach.value);
    }
    last.multiply(b->type.is_bool() ? 8 : b->type.bits * b->type.lanes);
    if (!last.fits)
      report_.add("size_overflow", "{}: strides {} reach further than any memory; make it smaller", what,
                  shape_of(b->strides));
  }

  void visit(const Stmt& s) {
    if (const auto* loop = s.as<For>()) return visit_loop(*loop);
    if (const auto* memory = s.as<Allocate>()) {
      const std::string what = "allocation " + memory->data.name();
      if (!memory->data.type().is_handle())
        report_.add("data_type", "{}: its handle is {}; it must be a handle", what,
                    to_string(memory->data.type()));
      scope(what, memory->scope);
      extents(what, memory->extents);
      size(what, memory->type, memory->extents);
    }
    for_each_child(s, [](const Expr&) {}, [&](const Stmt& part) { visit(part); });
  }

  /// What lowering leaves for a backend: no register is chosen at run time.
  void register_slots(const Function& f) {
    const auto slot = [&](const std::string& what, const std::vector<Expr>& extents) {
      if (extents.size() != 1 || !is_one(extents[0]))
        report_.add("register_slot",
                    "{} has {} elements in scope \"register\"; after lowering a slot is one vector or number",
                    what, shape_of(extents));
    };
    const auto access = [&](const Buffer& b, const std::vector<Expr>& indices) {
      if (b->scope == register_scope && (indices.size() != 1 || !constant_int(indices[0])))
        report_.add(
            "register_slot",
            "buffer {} in scope \"register\" is accessed at {}; after lowering such an index is constant",
            b->name, shape_of(indices));
    };
    visit_stmts(f.body, [&](const Stmt& s) {
      if (const auto* memory = s.as<Allocate>(); memory != nullptr && memory->scope == register_scope)
        slot("allocation " + memory->data.name(), memory->extents);
      if (const auto* store = s.as<Store>()) access(store->buffer, store->indices);
    });
    visit_exprs(f.body, [&](const Expr& e) {
      if (const auto* load = e.as<Load>()) access(load->buffer, load->indices);
    });
  }

  void visit_loop(const For& loop) {
    const std::string& name = loop.var.name();
    if (const auto extent = constant_int(loop.extent); extent && *extent < 0)
      report_.add("negative_extent", "loop {} runs {} times; an extent must be at least 0", name, *extent);
    const bool thread = loop.kind == ForKind::thread_binding || loop.kind == ForKind::virtual_thread;
    if (!tag_fits(loop))
      report_.add(
          "thread_tag",
          "loop {} has the thread {}; a thread-bound loop needs threadIdx.x, .y, .z or blockIdx.x, .y, .z, a "
          "virtual thread needs vthread, vthread.x, .y or .z, any other loop none",
          name, in_quotes(loop.thread));
    const auto around = threads_.find(loop.thread);
    const bool nested = thread && around != threads_.end() && loop.thread != "vthread";
    if (nested && constant_int(around->second) && constant_int(loop.extent) &&
        constant_int(around->second) != constant_int(loop.extent))
      report_.add(
          "thread_extent",
          "loop {} binds {} with extent {} inside a loop that binds it with extent {}; both must agree", name,
          loop.thread, print(loop.extent), print(around->second));
    if (thread && !nested) threads_[loop.thread] = loop.extent;
    visit(loop.body);
    if (thread && !nested) threads_.erase(loop.thread);
  }

  static bool tag_fits(const For& loop) {
    const auto axis_of = [&](std::string_view prefix) {
      return loop.thread.size() == prefix.size() + 2 && loop.thread.starts_with(prefix) &&
             loop.thread[prefix.size()] == '.' && loop.thread.back() >= 'x' && loop.thread.back() <= 'z';
    };
    switch (loop.kind) {
      case ForKind::thread_binding: return axis_of("threadIdx") || axis_of("blockIdx");
      case ForKind::virtual_thread: return loop.thread == "vthread" || axis_of("vthread");
      default: return loop.thread.empty();
    }
  }

  Report& report_;
  std::unordered_set<Buffer> seen_;
  std::unordered_map<std::string, Expr> threads_;  ///< extents of the thread loops around
};

}  // namespace

void check_buffers(const Function& f, Report& report) { BufferCheck(report).function(f); }

}  // namespace ardea::arith
