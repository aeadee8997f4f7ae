#include <algorithm>
#include <numeric>

#include "ardea/codegen/cuda/emitter.h"
#include "ardea/intrin/instruction.h"
#include "ardea/ir/box_copy.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/instruction_windows.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

/// Tensor instructions, and the fragments that they work on.

namespace ardea::codegen::cuda {

namespace {

const intrin::Instruction& record_of(const Call& call) {
  return intrin::find_instruction(call.arguments.at(0).as<StringImm>()->value);
}

/// What `visit(parameter, operand, argument)` is called with for each buffer of the call.
template <class Visit>
void for_each_operand(const Call& call, const Visit& visit) {
  const intrin::Instruction& record = record_of(call);
  std::size_t next = 0;
  for (std::size_t i = 0; i < record.meaning.parameters.size(); ++i)
    if (record.meaning.parameters[i].buffer.defined())
      visit(record.meaning.parameters[i].buffer, record.operands[next++], call.arguments.at(i + 1));
}

}  // namespace

const Load& Emitter::element_at(const Expr& address) {
  const auto* call = address.as<Call>();
  const auto* element =
      call != nullptr && call->op->name == "address_of" ? call->arguments[0].as<Load>() : nullptr;
  ensure(element != nullptr, "the CUDA backend met {} in the place of an address", print(address));
  return *element;
}

/// Who copies, and how fragments lie in registers.
void Emitter::define_memory_of_calls() {
  visit_exprs(kernel_.launch.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call == nullptr) return;
    copies_by_threads_ = copies_by_threads_ || (is_async_copy(*call) && !is_copy_by_unit(*call));
    if (call->op->name != "tensor_instruction") return;
    for_each_operand(*call, [&](const Buffer&, const intrin::Operand& operand, const Expr& address) {
      const Buffer& actual = element_at(address).buffer;
      helpers_.need_type(actual->type);
      if (operand.lane_words == 0) return;
      const auto [at, is_new] =
          fragments_.try_emplace(actual->data, Fragment{operand.tile_bytes, operand.lane_words});
      require(at->second.tile_bytes == operand.tile_bytes && at->second.lane_words == operand.lane_words,
              "{}: {} is a fragment of {} bytes to {}, and one of {} to another instruction; use buffers of "
              "their own",
              kernel_.name, actual->name, operand.tile_bytes, record_of(*call).name, at->second.tile_bytes);
    });
  });
}

void Emitter::emit_fragments(const Allocate& allocation, std::int64_t elements) {
  const auto at = fragments_.find(allocation.data);
  require(at != fragments_.end(),
          "{}: {} is in scope {}, which only instructions of warps reach; tensorize all that touches it",
          kernel_.name, allocation.data.name(), allocation.scope);
  const std::int64_t bytes = allocation.type.bytes(elements), tile = at->second.tile_bytes;
  line(fmt::format("uint32_t {}[{}];", names_.define(allocation.data),
                   (bytes + tile - 1) / tile * at->second.lane_words));
}

void Emitter::require_no_fragment(const Buffer& buffer) const {
  require(!lower::is_warp_memory(buffer->scope),
          "{}: {} is in scope {}, which only instructions of warps reach; tensorize all that touches it",
          kernel_.name, buffer->name, buffer->scope);
}

/// The registers of a fragment, or where in memory an operand begins.
Text Emitter::emit_operand(const intrin::Operand& operand, const Load& element) {
  const Buffer& buffer = element.buffer;
  ensure(element.indices.size() == 1, "the CUDA backend met the buffer {}, which flatten_storage makes flat",
         buffer->name);
  const Expr& index = element.indices[0];
  if (operand.lane_words == 0) return emit_pointer(buffer, emit(index));
  const std::int64_t tile = operand.tile_bytes / buffer->type.bytes();
  const Expr words = facts_.simplify(floor_div(index, make_int(tile, index.type())) *
                                     make_int(operand.lane_words, index.type()));
  require(facts_.proves(equals(floor_mod(index, make_int(tile, index.type())), make_int(0, index.type()))),
          "{}: it is not proved that a fragment of {} begins at {}; lay it out fragment by fragment "
          "(transform_layout)",
          kernel_.name, buffer->name, print(index));
  count_use(words);
  const Text at = emit(words);
  const std::string& name = names_.of(buffer->data);
  return at.text == "0" ? Text{name} : Text{name + " + " + inside(at, Binding::product), Binding::sum};
}

Text Emitter::emit_instruction(const Call& call) {
  const intrin::Instruction& record = record_of(call);
  ensure(record.implementations.contains("cuda"), "{}: {} has no implementation in CUDA C++", kernel_.name,
         record.name);
  std::vector<std::string> values;
  std::size_t next = 0;
  const std::vector<Parameter>& parameters = record.meaning.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Expr& argument = call.arguments.at(i + 1);
    if (!parameters[i].buffer.defined()) {
      values.push_back(emit(argument).text);
      continue;
    }
    const intrin::Operand& operand = record.operands[next++];
    const Load& element = element_at(argument);
    if (operand.lane_words == 0) check_rows(call, parameters[i].buffer, operand, element);
    if (operand.lane_words == 0 && record.warps > 1) check_group(record, operand, element);
    values.push_back(emit_operand(operand, element).text);
  }
  note_product(call, record);
  return c::call_text(helpers_.instruction(record.name, record.implementations.at("cuda")), values);
}

void Emitter::check_rows(const Call& call, const Buffer& formal, const intrin::Operand& operand,
                         const Load& element) const {
  const std::string& name = record_of(call).name;
  const std::int64_t proved = proved_alignment(element.buffer, element.indices.at(0));
  require(
      proved % operand.alignment_bytes == 0,
      "{}: {} wants {} on a multiple of {} bytes, and {}[{}] is proved to lie on one of {}; promise more of "
      "the array (--align), or change tiles and strides",
      kernel_.name, name, formal->name, operand.alignment_bytes, element.buffer->name,
      print(element.indices[0]), proved);
  const std::vector<Parameter>& parameters = record_of(call).meaning.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const Expr& stride : formal->strides) {
      if (!(stride == parameters[i].var)) continue;
      const arith::Congruence rows = facts_.congruence(call.arguments.at(i + 1));
      const std::int64_t bytes = std::gcd(rows.multiple, rows.remainder) * formal->type.bytes();
      require(bytes % operand.stride_bytes == 0,
              "{}: {} wants rows of {} a multiple of {} bytes apart, those of {} are {} elements apart; "
              "change its "
              "tiles, or pad its rows (buffer_dim_align)",
              kernel_.name, name, formal->name, operand.stride_bytes, element.buffer->name,
              print(call.arguments.at(i + 1)));
    }
}

/// Warps that run an instruction together are neighbours, and name the same but for `warp_bytes`.
void Emitter::check_group(const intrin::Instruction& record, const intrin::Operand& operand,
                          const Load& element) const {
  const For* warps = nullptr;
  for (const For& loop : kernel_.launch.threads) {
    const auto extent = constant_int(loop.extent);
    if (loop.thread == "threadIdx.x" || extent == 1) continue;
    const bool is_only_one = warps == nullptr && extent && *extent % record.warps == 0;
    require(is_only_one,
            "{}: {} is run by {} neighbouring warps together, whose number must be a multiple of as many "
            "along one "
            "of threadIdx.y and threadIdx.z, with nothing along the other; bind its loops so",
            kernel_.name, record.name, record.warps);
    warps = &loop;
  }
  require(warps != nullptr, "{}: {} is run by {} warps together, and a block has one; bind a loop over warps",
          kernel_.name, record.name, record.warps);
  const Var group("group", warps->var.type());
  arith::Analyzer facts = facts_;
  facts.bind(group, {make_int(0, group.type()),
                     make_int(*constant_int(warps->extent) / record.warps, group.type())});
  const Expr& index = element.indices.at(0);
  const auto of_warp = [&](int warp) {
    return make_cast(int64,
                     substitute(index, warps->var,
                                group * make_int(record.warps, group.type()) + make_int(warp, group.type())));
  };
  const std::int64_t apart = operand.warp_bytes / element.buffer->type.bytes();
  for (int warp = 1; warp < record.warps; ++warp)
    require(
        facts.proves(equals(of_warp(warp), of_warp(0) + make_int(warp * apart))),
        "{}: {} is run by {} warps together, each of which names elements {} behind those of the one before; "
        "{}[{}] is not proved to be so",
        kernel_.name, record.name, record.warps, apart, element.buffer->name, print(index));
}

}  // namespace ardea::codegen::cuda
