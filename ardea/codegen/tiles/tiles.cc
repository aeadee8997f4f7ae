#include "ardea/codegen/tiles/tiles.h"

#include <fmt/core.h>

#include "ardea/intrin/instruction.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/traverse.h"
#include "ardea/limits/registers.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::codegen {

std::vector<unsigned char> tile_configuration() {
  std::vector<unsigned char> bytes(64, 0);
  bytes[0] = 1;  // the palette
  for (std::size_t i = 0; i < tile_registers; ++i) {
    bytes[16 + 2 * i] = 64;  // bytes of a row
    bytes[48 + i] = 16;      // rows
  }
  return bytes;
}

std::vector<TileOperand> tile_operands(const Call& instruction) {
  const intrin::Instruction& record =
      intrin::find_instruction(instruction.arguments.at(0).as<StringImm>()->value);
  const std::vector<Parameter>& parameters = record.meaning.parameters;
  std::vector<TileOperand> found;
  std::size_t operand = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Buffer& buffer = parameters[i].buffer;
    if (!buffer.defined() || record.operands[operand++].scope != "amx.tile") continue;
    TileOperand tile{i + 1, buffer->name, instruction.arguments.at(i + 1).as<Call>()->arguments[0], {}, 1};
    for (std::size_t d = 1; d < buffer->shape.size(); ++d) tile.row *= *constant_int(buffer->shape[d]);
    for (std::size_t p = 0; p < parameters.size(); ++p)
      if (!buffer->strides.empty() && buffer->strides[0] == parameters[p].var)
        tile.row_stride = instruction.arguments.at(p + 1);
    found.push_back(std::move(tile));
  }
  return found;
}

Tiles::Tiles(const Function& f) : name_(f.name) {
  std::unordered_set<Expr> as_tiles;
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    if (call == nullptr || call->op->name != "tensor_instruction") return;
    for (const TileOperand& operand : tile_operands(*call)) {
      as_tiles.insert(operand.element);
      tiles_.insert(operand.element.as<Load>()->buffer->data);
    }
  });
  const auto refuse = [&](const Buffer& buffer) {
    require(!tiles_.contains(buffer->data),
            "{}: {} lives in tile registers, which only instructions on tiles reach; tensorize all that "
            "touches it",
            f.name, buffer->name);
  };
  visit_exprs(f.body, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load != nullptr && !as_tiles.contains(e)) refuse(load->buffer);
  });
  visit_stmts(f.body, [&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) refuse(store->buffer);
  });
}

void Tiles::begin(const Allocate& allocation) {
  std::int64_t elements = 1;
  for (const Expr& extent : allocation.extents) {
    const auto value = constant_int(extent);
    require(value.has_value(), "{}: the tiles of {} must be as many as a constant says", name_,
            allocation.data.name());
    elements *= *value;
  }
  const auto count = static_cast<int>(limits::tiles_in(allocation.type.bytes(elements)));
  const int first = live_.empty() ? 0 : live_.back().first + live_.back().count;
  live_.push_back({allocation.data, first, count});
  if (first + count <= tile_registers) return;
  std::vector<std::string> names;
  for (const Registers& registers : live_)
    names.push_back(fmt::format("{} ({})", registers.data.name(), registers.count));
  fail("{}: {} take {} tiles, and there are {} registers; use smaller tiles or fewer at a time", name_,
       join(names, ", "), first + count, tile_registers);
}

void Tiles::end(const Allocate& allocation) {
  ensure(!live_.empty() && live_.back().data == allocation.data,
         "tiles end in the order in which they began");
  live_.pop_back();
}

int Tiles::number(const TileOperand& operand) const {
  const Load& element = *operand.element.as<Load>();
  const auto index = constant_int(element.indices.at(0));
  const std::string& buffer = element.buffer->name;
  require(index.has_value(),
          "{}: which tile of {} is meant must be a constant; unroll the loops over its tiles", name_, buffer);
  const std::int64_t byte = element.buffer->type.bytes(*index);
  const bool rows_follow = !operand.row_stride.defined() || constant_int(operand.row_stride) == operand.row;
  require(byte % tile_bytes == 0 && rows_follow,
          "{}: the rows of a tile at byte {} of {} do not lie one after another; lay it out tile by tile "
          "(transform_layout)",
          name_, byte, buffer);
  for (const Registers& registers : live_)
    if (registers.data == element.buffer->data) return registers.first + static_cast<int>(byte / tile_bytes);
  fail("{}: the tiles of {} are allocated outside of the parallel loop that uses them", name_, buffer);
}

}  // namespace ardea::codegen
