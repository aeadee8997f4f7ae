#include <map>
#include <set>

#include "ardea/codegen/c/emitter.h"
#include "ardea/intrin/families.h"
#include "ardea/support/error.h"

/// Tensor instructions: the text of the record's implementation becomes a helper, which is called.

namespace ardea::codegen::c {

Text Emitter::emit_instruction(const Call& call) {
  const std::vector<Expr>& arguments = call.arguments;
  const intrin::Instruction& record = intrin::find_instruction(arguments.at(0).as<StringImm>()->value);
  ensure(record.implementations.contains("c"), "{}: {} has no implementation in C, which lowering expands",
         name_, record.name);
  std::string name = record.name;
  std::map<std::string, std::string> tiles;
  std::set<std::size_t> are_tiles;
  for (const TileOperand& operand : tile_operands(call)) {
    tiles[operand.parameter] = std::to_string(tiles_.number(operand));
    are_tiles.insert(operand.position);
  }
  for (const auto& [parameter, number] : tiles) name += "." + number;
  if (!tiles.empty()) frame_.uses_tiles = frame_.fails = true;
  std::vector<Expr> given;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (!are_tiles.contains(i)) given.push_back(arguments[i]);
  std::vector<std::string> values;
  for (const Text& value : operands(given)) values.push_back(value.text);
  ++frame_.effects;
  const std::string text = intrin::filled(record.implementations.at("c"), tiles);
  line(call_text(helpers_.instruction(name, text), values).text + ";");
  return {"0"};
}

}  // namespace ardea::codegen::c
