#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ardea/intrin/tile_registers.h"
#include "ardea/ir/function.h"

namespace ardea::codegen {

using intrin::tile_bytes;
using intrin::tile_registers;

/// Every tile has all its rows and columns: what ldtilecfg reads.
std::vector<unsigned char> tile_configuration();

/// An operand of an instruction's call that is a tile.
struct TileOperand {
  std::size_t position = 0;  ///< in the call
  std::string parameter;     ///< $parameter in an implementation stands for its number
  Expr element;              ///< the load of its first element
  Expr row_stride;           ///< as the call has it
  std::int64_t row = 0;      ///< elements in a row
};
std::vector<TileOperand> tile_operands(const Call& instruction);

/// The tile registers of one lowered function: memory that instructions use as tiles is a row of registers.
class Tiles {
 public:
  Tiles() = default;
  /// Error where something other than instructions touches such memory.
  explicit Tiles(const Function& f);

  /// Whether the memory is registers.
  bool are(const Var& data) const { return tiles_.contains(data); }

  /// The registers for the length of the allocation's body: between the two calls. Error where there are not
  /// enough.
  void begin(const Allocate& allocation);
  void end(const Allocate& allocation);

  /// The number of its register. Error where the operand is not a whole one that is known.
  int number(const TileOperand& operand) const;

 private:
  std::string name_;
  std::unordered_set<Var> tiles_;
  struct Registers {
    Var data;
    int first = 0, count = 0;
  };
  std::vector<Registers> live_;
};

}  // namespace ardea::codegen
