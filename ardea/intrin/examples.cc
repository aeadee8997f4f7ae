#include "ardea/intrin/examples.h"

#include "ardea/ir/builder.h"

namespace ardea::intrin {

namespace {

Instruction dot4_i8() {
  FunctionBuilder f("dot4_i8");
  const Buffer c = f.parameter("C", std::vector<std::int64_t>{1}, int32);
  const Buffer a = f.parameter("A", std::vector<std::int64_t>{4}, int8);
  const Buffer b = f.parameter("B", std::vector<std::int64_t>{4}, int8);
  f.grid({"k"}, {make_int(4)}, [&](const std::vector<Var>& loops) {
    f.block("dot", [&](BlockBuilder& block) {
      const Var k = block.reduce("vk", make_int(4), loops[0]);
      const Expr product = make_cast(int32, make_load(a, {k})) * make_cast(int32, make_load(b, {k}));
      f.store(c, {make_int(0)}, make_load(c, {make_int(0)}) + product);
    });
  });
  return {.name = "ardea.dot4_i8",
          .meaning = f.build(),
          .operands = {{"global", 4}, {"global", 1}, {"global", 1}},
          .required_feature = {},
          .implementations = {}};
}

// A row of 4 elements follows the row before it `row_stride` elements later.
Buffer strided_tile(const std::string& name, const Var& row_stride) {
  return Buffer(BufferNode{.name = name,
                           .data = Var(name, handle_type),
                           .type = float32,
                           .shape = {make_int(4), make_int(4)},
                           .strides = {row_stride, make_int(1)}});
}

Instruction tile_4x4x4_f32() {
  const Var ldc("ldc"), lda("lda"), ldb("ldb");
  const Buffer c = strided_tile("C", ldc), a = strided_tile("A", lda), b = strided_tile("B", ldb);
  FunctionBuilder f("tile_4x4x4_f32");
  const Expr four = make_int(4);
  f.grid({"i", "j", "k"}, {four, four, four}, [&](const std::vector<Var>& loops) {
    f.block("tile", [&](BlockBuilder& block) {
      const Var i = block.spatial("vi", four, loops[0]), j = block.spatial("vj", four, loops[1]);
      const Var k = block.reduce("vk", four, loops[2]);
      f.store(c, {i, j}, make_load(c, {i, j}) + make_load(a, {i, k}) * make_load(b, {k, j}));
    });
  });
  Function meaning = f.build();
  for (const Buffer& tile : {c, a, b})
    meaning.parameters.push_back({Var(tile->name + "_handle", handle_type), tile});
  for (const Var& stride : {ldc, lda, ldb}) meaning.parameters.push_back({stride});
  return {.name = "ardea.tile_4x4x4_f32",
          .meaning = std::move(meaning),
          .operands = {{"", 4}, {"", 4}, {"", 4}},
          .required_feature = {},
          .implementations = {}};
}

}  // namespace

std::vector<Instruction> example_instructions() { return {dot4_i8(), tile_4x4x4_f32()}; }

}  // namespace ardea::intrin
