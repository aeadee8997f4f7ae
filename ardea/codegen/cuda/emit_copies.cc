#include <algorithm>

#include "ardea/codegen/cuda/emitter.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/first_cache.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/row_swizzle.h"
#include "ardea/ir/window_copy.h"
#include "ardea/support/error.h"

/// Asynchronous copies: by threads, and of boxes by a unit.

namespace ardea::codegen::cuda {

bool Emitter::is_async_copy(const Call& call) {
  const std::string& name = call.op->name;
  return name == "async_copy" || name == "async_copy_or_zero" || is_copy_by_unit(call);
}

bool Emitter::is_kept_in_first_cache(const Var& shared) const {
  return std::any_of(kernel_.shared.begin(), kernel_.shared.end(), [&](const lower::SharedBuffer& one) {
    return one.allocation.data == shared &&
           integer_attribute(one.allocation.annotations, first_cache_key, 0) == 1;
  });
}

/// By the copy engine, where the bytes are as many as it takes and lie as it wants; else at once, which no
/// program can tell.
Text Emitter::emit_async_copy(const std::vector<Expr>& arguments) {
  const Load &to = element_at(arguments[0]), &from = element_at(arguments[1]);
  const std::int64_t count = constant_int(arguments[2]).value(), bytes = to.buffer->type.bytes(count);
  const Text target = emit_pointer(to.buffer, emit(to.indices.at(0))),
             source = emit_pointer(from.buffer, emit(from.indices.at(0)));
  const bool fits = (bytes == 4 || bytes == 8 || bytes == 16) &&
                    proved_alignment(to.buffer, to.indices[0]) % bytes == 0 &&
                    proved_alignment(from.buffer, from.indices[0]) % bytes == 0;
  const std::string by = is_kept_in_first_cache(to.buffer->data) ? "copy_async_kept" : "copy_async";
  if (arguments.size() == 4) {
    const std::string helper = helpers_.need(fits ? by + "_or_zero" : "copy_or_zero");
    return c::call_text(fmt::format("{}<{}>", helper, bytes),
                        {target.text, source.text, emit(arguments[3]).text});
  }
  if (fits) return c::call_text(fmt::format("{}<{}>", helpers_.need(by), bytes), {target.text, source.text});
  return c::call_text("memcpy", {target.text, source.text, std::to_string(bytes)});
}

/// The driver has told what the unit needs to know of the array, as an argument of the kernel.
std::vector<std::string> Emitter::arguments_of_unit(const Call& call, bool is_swizzled) {
  const auto array = lower::boxed_array(call);
  const auto at = std::find_if(kernel_.boxes.begin(), kernel_.boxes.end(),
                               [&](const lower::BoxedArray& one) { return one.is_alike(*array); });
  const Load &to = element_at(call.arguments[0]), &from = element_at(call.arguments[1]);
  require(is_zero(from.indices.at(0)),
          "{}: boxes are copied of whole arrays, and that of {} begins at element {}", kernel_.name,
          from.buffer->name, print(from.indices[0]));
  const std::int64_t needed = is_swizzled ? swizzled_rows_alignment_bytes : tensor_row_bytes;
  constexpr std::int64_t needed_of_array = 16;
  require(proved_alignment(to.buffer, to.indices.at(0)) % needed == 0,
          "{}: a box that is copied to {} is not proved to begin on a multiple of {} bytes; give it whole "
          "rows of "
          "shared memory",
          kernel_.name, to.buffer->name, needed);
  require(proved_alignment(from.buffer, from.indices.at(0)) % needed_of_array == 0,
          "{}: boxes are copied of arrays that begin on a multiple of {} bytes, and {} is not promised to; "
          "promise it "
          "(--align), or take the annotation {} from its copy",
          kernel_.name, needed_of_array, from.buffer->name, box_copy_key);
  return {"landings", emit_pointer(to.buffer, emit(to.indices[0])).text,
          fmt::format("&{}{}", tensor_map_name, at - kernel_.boxes.begin())};
}

Text Emitter::emit_box_copy(const Call& call) {
  const auto box = box_copy_of(call);
  ensure(box.has_value(), "the CUDA backend met T.async_copy_box without numbers");
  std::vector<std::string> arguments = arguments_of_unit(call, box->is_swizzled);
  for (const Expr& number : {box->column, box->row, box->outer})
    arguments.push_back(c::cast_text("int", emit(number)).text);
  const std::int64_t elements = box->box_rows * box->box_columns;
  return c::call_text(fmt::format("{}<{}>", helpers_.need("copy_box"),
                                  element_at(call.arguments[0]).buffer->type.bytes(elements)),
                      arguments);
}

/// Innermost first, as the unit wants it.
Text Emitter::emit_window_copy(const Call& call) {
  const auto windows = window_copy_of(call);
  ensure(windows.has_value(), "the CUDA backend met T.async_copy_window without numbers");
  std::vector<std::string> arguments = arguments_of_unit(call, windows->is_swizzled);
  const auto add = [&](const char* type, const Expr& number) {
    arguments.push_back(c::cast_text(type, emit(number)).text);
  };
  const std::size_t dimensions = windows->dimensions();
  add("int", windows->channel);
  for (std::size_t d = dimensions; d-- > 0;) add("int", windows->corner[d]);
  add("int", windows->image);
  for (std::size_t d = dimensions; d-- > 0;) add("uint16_t", windows->tap[d]);
  const std::int64_t elements = windows->box_windows * windows->box_channels;
  return c::call_text(fmt::format("{}<{}>", helpers_.need(fmt::format("copy_windows_{}d", dimensions)),
                                  element_at(call.arguments[0]).buffer->type.bytes(elements)),
                      arguments);
}

/// What ends or waits for groups of copies: those of threads, and those of the unit.
Text Emitter::emit_groups(const std::string& of_threads, const std::string& of_unit) {
  if (kernel_.boxes.empty()) return {of_threads};
  if (copies_by_threads_) line(of_threads + ";");
  return {"landings." + of_unit};
}

}  // namespace ardea::codegen::cuda
