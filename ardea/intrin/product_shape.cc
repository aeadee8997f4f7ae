#include "ardea/intrin/product_shape.h"

#include "ardea/intrin/instruction.h"
#include "ardea/support/error.h"

namespace ardea::intrin {

namespace {

std::vector<std::int64_t> shape_of(const Instruction& record, const std::string& name) {
  for (const Parameter& parameter : record.meaning.parameters) {
    if (!parameter.buffer.defined() || parameter.buffer->name != name) continue;
    std::vector<std::int64_t> shape;
    for (const Expr& extent : parameter.buffer->shape) shape.push_back(*constant_int(extent));
    return shape;
  }
  fail("product_shape({}): it has no operand {}, so that it is no sum C of products of A and B", record.name,
       name);
}

}  // namespace

ProductShape product_shape(const std::string& instruction) {
  const Instruction& record = find_instruction(instruction);
  const std::vector<std::int64_t> c = shape_of(record, "C");
  return {.rows = c.size() > 1 ? c[0] : 1,
          .columns = c.back(),
          .depth = shape_of(record, "A").back(),
          .group = shape_of(record, "B").back()};
}

}  // namespace ardea::intrin
