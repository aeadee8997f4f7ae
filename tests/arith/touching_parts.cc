#include "ardea/arith/touching_parts.h"

#include <gtest/gtest.h>

#include "ardea/arith/regions.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/ir/parse.h"
#include "ardea/ir/traverse.h"

namespace ardea::arith {
namespace {

const char* const program_of_parts = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for i in T.serial(64):
        B[i] = A[i]
    for i in T.serial(64):
        if i < 60:
            C[i] = B[i] + B[i]
    for i in T.serial(64):
        C[i] = T.float32(0)
)";

Buffer named(const Function& f, const std::string& name) {
  for (const Parameter& p : f.parameters)
    if (p.buffer.defined() && p.buffer->name == name) return p.buffer;
  return {};
}

/// The statements of the program that may touch the buffer.
std::vector<bool> touching(const std::string& name) {
  const Function f = parse_function(program_of_parts);
  const Stmt body = root_block(f) == nullptr ? f.body : root_block(f)->body;
  const TouchingParts parts(body, {named(f, name)->data});
  EXPECT_TRUE(parts.names_memory());
  std::vector<bool> found;
  for (const Stmt& s : body.as<Seq>()->statements) found.push_back(parts.may_touch(s));
  return found;
}

TEST(TouchingParts, are_those_that_name_the_memory_in_a_store_or_in_a_value) {
  EXPECT_EQ(touching("A"), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(touching("B"), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(touching("C"), (std::vector<bool>{false, true, true}));
}

TEST(TouchingParts, are_marked_where_they_share_a_value) {
  const Buffer a = make_buffer("A", std::vector<int>{4}), b = make_buffer("B", std::vector<int>{4});
  const Expr value = make_load(a, {make_int(0)}) + 1;
  const Stmt first = make_store(b, {make_int(0)}, value), second = make_store(b, {make_int(1)}, value);
  const TouchingParts parts(make_seq({first, second}), {a->data});
  EXPECT_TRUE(parts.may_touch(first));
  EXPECT_TRUE(parts.may_touch(second));
}

TEST(TouchingParts, are_not_known_where_an_address_is_given_away) {
  const Buffer a = make_buffer("A", std::vector<int>{4});
  const Stmt gives = Evaluate{make_call("address_of", {make_load(a, {make_int(0)})})};
  EXPECT_FALSE(TouchingParts(gives, {a->data}).names_memory());
}

/// The accesses of one buffer are those that the walk through everything finds of it.
TEST(TouchingParts, leave_out_no_access) {
  const Function f = parse_function(program_of_parts);
  const Stmt body = root_block(f) == nullptr ? f.body : root_block(f)->body;
  const std::vector<Access> all = each_access(body, facts_of(f));
  for (const char* name : {"A", "B", "C"}) {
    const Buffer buffer = named(f, name);
    std::vector<Stmt> expected, found;
    for (const Access& access : all)
      if (access.each.buffer == buffer) expected.push_back(access.statement);
    for (const Access& access : each_access_of(buffer, body, facts_of(f))) {
      EXPECT_EQ(access.each.buffer, buffer);
      found.push_back(access.statement);
    }
    EXPECT_EQ(found, expected) << name;
    EXPECT_FALSE(found.empty()) << name;
  }
}

}  // namespace
}  // namespace ardea::arith
