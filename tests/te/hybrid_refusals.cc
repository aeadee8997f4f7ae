#include <gtest/gtest.h>

#include "ardea/support/random.h"
#include "ardea/te/create_prim_func.h"
#include "ardea/te/hybrid.h"
#include "tests/te/refused.h"

namespace ardea::te {
namespace {

/// The lines as the body of a function of a float32 (5, 7) matrix a, a list of two tensors and a number n.
std::string around(const std::string& lines) {
  return "def f(a, list, n):\n    c = output_tensor((5,))\n" + lines + "\n    return c\n";
}

void read(const std::string& source) {
  const Tensor a = placeholder("a", {5, 7}), i = placeholder("i", {5}, int32);
  hybrid(source, {a, HybridArgument::List{a, i}, size("n")});
}

#define EXPECT_LINE_REFUSED(line, sentence) \
  EXPECT_REFUSED(read(around("    " line)), std::string("hybrid:3:") + (sentence))

TEST(HybridRefusals, name_the_statement_that_there_is_not) {
  EXPECT_LINE_REFUSED(
      "while n > 0: c[0] = 1",
      "5: there is no while: loops count; write for i in range(…) and put the body under an if");
  EXPECT_LINE_REFUSED("break", "5: there is no break; put the rest of the loop under an if");
  EXPECT_LINE_REFUSED("continue", "5: there is no continue; put the rest of the loop under an if");
  EXPECT_LINE_REFUSED("import math",
                      "5: there is nothing to import; the functions are there by name, as in exp(x)");
  EXPECT_LINE_REFUSED("def g(): pass",
                      "5: a text holds one function; make another stage of it by another call of hybrid");
  EXPECT_LINE_REFUSED("class C: pass", "5: there are no classes; a text holds one function");
  EXPECT_LINE_REFUSED("with n: pass", "5: there is no with; allocate(…) holds to the end of its lines");
  EXPECT_LINE_REFUSED("lambda x: x", "5: there is no lambda; write the expression where it is used");
  EXPECT_LINE_REFUSED("else: pass", "5: found 'else' without an if before it at the same indentation");
  EXPECT_LINE_REFUSED("try: pass", "5: found 'try', expected a statement");
  EXPECT_LINE_REFUSED("x, y = 1, 2", "6: found ',', expected '=': one store a line");
  EXPECT_LINE_REFUSED("x = 1, 2", "10: found ',', expected the end of the line: one store a line");
  EXPECT_LINE_REFUSED("c[0] = 1, 2", "13: found ',', expected the end of the line: one store a line");
  EXPECT_LINE_REFUSED(
      "x: float32 = 1",
      "6: found ':', expected '=': the type of a variable is its first value's; cast that, as in "
      "x = float32(0)");
  EXPECT_LINE_REFUSED("exp(1.0)", "5: the value of exp(…) would be lost; store it, as in x = exp(…)");
  EXPECT_LINE_REFUSED("c[0] == 1", "10: found '==', expected '=' or an operator such as '+='");
  EXPECT_LINE_REFUSED(
      "c", "6: found the end of the line, expected '=', or an element such as c[i] on the left of '='");
  EXPECT_LINE_REFUSED("  c[0] = 1", "7: this line is indented deeper than the one before");
}

TEST(HybridRefusals, name_what_a_name_is) {
  EXPECT_LINE_REFUSED("c[0] = lst[0][1, 1]", "12: there is no lst here; did you mean list?");
  EXPECT_LINE_REFUSED("c[0] = f(a)", "12: f calls itself; a stage cannot recurse, write a loop");
  EXPECT_LINE_REFUSED(
      "c[0] = exq(1.0)",
      "12: there is no function exq; did you mean exp, erf or exp2?; a hybrid function calls no other "
      "one");
  EXPECT_LINE_REFUSED("c[0] = n(1)", "12: n is a parameter, not a function");
  EXPECT_LINE_REFUSED("c[0] = range(3)", "12: range stands in no expression; write for i in range(…)");
  EXPECT_LINE_REFUSED("c[0] = allocate(3)", "12: allocate stands in no expression; write x = allocate(…)");
  EXPECT_LINE_REFUSED(
      "a[0, 0] = 1",
      "5: a is an input, which is only read; write to an output_tensor or to what allocate gives");
  EXPECT_LINE_REFUSED(
      "list[1][0] = 1",
      "5: list is an input, which is only read; write to an output_tensor or to what allocate gives");
  EXPECT_LINE_REFUSED("n = 1",
                      "5: n is a parameter, which cannot be stored to; store to a variable of another name");
  EXPECT_LINE_REFUSED(
      "a = 1", "5: a is an input, which has elements such as a[…]; store to a variable of another name");
  EXPECT_LINE_REFUSED("x += 1", "5: there is no x here; did you mean a, c or n?");
  EXPECT_LINE_REFUSED(
      "for i in range(5): i = 3",
      "24: i is a loop variable, which cannot be stored to; store to a variable of another name");
  EXPECT_LINE_REFUSED("for n in range(5): pass", "9: n is a parameter; give the loop variable another name");
  EXPECT_LINE_REFUSED("c = allocate((3,))", "5: c is an output of line 2; give the array another name");
  EXPECT_LINE_REFUSED("n = output_tensor((3,))", "5: n is a parameter; give the output another name");
  EXPECT_LINE_REFUSED("n[0] = 1", "5: n is a parameter, only arrays have elements");
  EXPECT_LINE_REFUSED("c[0] = n[0]", "12: n is a parameter, only arrays have elements");
  EXPECT_LINE_REFUSED("c[0] = n.shape[0]", "12: n is a parameter, only arrays have attributes here");
  EXPECT_LINE_REFUSED("c[0] = a", "12: a is an input; write an element such as a[…]");
  EXPECT_LINE_REFUSED("c[0] = list", "12: list is a list; write list[0], with a constant index");
  EXPECT_LINE_REFUSED("c[0] = while", "12: found 'while', expected an expression");
  EXPECT_REFUSED(
      read(around("    if n > 1:\n        x = 1\n    else:\n        x = 2\n    c[0] = x")),
      "hybrid:7:12: x was first stored in line 6, inside a loop or an if that has ended; store it before "
      "that begins, too");
}

TEST(HybridRefusals, want_constants_where_the_program_is_made) {
  const std::string constant =
      " must be a constant integer: a number, a variable of const_range, or an argument that is a number";
  EXPECT_LINE_REFUSED("c[0] = a.shape[n]", "20: the index of a.shape" + constant);
  EXPECT_LINE_REFUSED("c[0] = a.shape[2]", "20: a.shape[2]: a has 2 dimensions");
  EXPECT_LINE_REFUSED("c[0] = a.shape", "12: a.shape is a list; write one extent, as in a.shape[0]");
  EXPECT_LINE_REFUSED("c[0] = a.size", "14: a has the attributes shape and dtype, not size");
  EXPECT_LINE_REFUSED("c[0] = a.dtype",
                      "14: a.dtype is a type and stands where a type does, as in cast(a.dtype, x)");
  EXPECT_LINE_REFUSED("c[0] = list[n][0, 0]", "17: the index of the list list" + constant);
  EXPECT_LINE_REFUSED("c[0] = list[2][0, 0]", "17: list[2]: the list has 2 elements");
  EXPECT_LINE_REFUSED("for i in const_range(n): pass", "26: a bound of const_range" + constant);
  EXPECT_LINE_REFUSED("for i in const_range(1, 2, 0): pass", "26: const_range: the step is 0");
  EXPECT_LINE_REFUSED("for i in const_range(1000000): pass",
                      "26: const_range has more than 100000 values; use range or unroll");
  EXPECT_REFUSED(
      read(around("    for i in const_range(500):\n        for j in const_range(500):\n            "
                  "c[0] = 1")),
      "hybrid:5:13: const_range unrolls to more than 100000 statements; use range or unroll");
  EXPECT_LINE_REFUSED("c[0] = 1 // 0", "14: a division by zero");
  EXPECT_LINE_REFUSED("c[0] = 2 ** 65", "14: the constant does not fit 64 bits");
}

TEST(HybridRefusals, say_which_types_do_not_meet) {
  EXPECT_LINE_REFUSED("c[0] = a[0, 0] * n",
                      "20: *: the sides are float32 and int64; cast one of them, as in float32(…)");
  EXPECT_LINE_REFUSED("c[0] = n / 2",
                      "14: /: the operands are int64; integers divide by floor_div(a, b), in text a // b, or "
                      "by trunc_div(a, b), in text T.truncdiv(a, b)");
  EXPECT_LINE_REFUSED("c[0] = n", "5: c holds float32, the value is int64; cast it, as in float32(…)");
  EXPECT_LINE_REFUSED("c[a[0, 0]] = 1",
                      "5: c[…]: index 1 is float32, must be an integer; cast it, as in int64(…)");
  EXPECT_LINE_REFUSED("c[0, 1] = 1", "5: c[…]: 2 indices for 1 dimension");
  EXPECT_LINE_REFUSED("c[-1] = 1",
                      "7: c[…]: the index -1 is negative; count from the front, as in c.shape[0] - 1");
  EXPECT_LINE_REFUSED("c[0:2] = 1", "8: c[…]: there are no slices; write a loop over the elements");
  EXPECT_LINE_REFUSED("if n: pass",
                      "8: if: the condition is int64, must be a bool; compare it, as in x != 0");
  EXPECT_LINE_REFUSED("c[0] = 1 if n else 2",
                      "14: if: the condition is int64, must be a bool; compare it, as in x != 0");
  EXPECT_LINE_REFUSED("c[0] = a[0, 0] if n > 1 else n",
                      "20: if … else: the sides are float32 and int64; cast one of them");
  EXPECT_LINE_REFUSED("c[0] = exp(n)",
                      "12: exp: argument 1 is int64, must be a float; cast it, as in float32(…)");
  EXPECT_LINE_REFUSED("c[0] = exp(1.0, 2.0)", "12: exp takes 1 argument, got 2");
  EXPECT_LINE_REFUSED("c[0] = min(1)", "12: min takes at least 2 arguments, got 1");
  EXPECT_LINE_REFUSED("c[0] = popcount(a[0, 0])",
                      "12: popcount: the argument is float32, must be an integer");
  EXPECT_LINE_REFUSED(
      "c[0] = n ** n",
      "14: **: an integer is raised to constants from 1 to 64 only; cast it to a float, as in float32(…)");
  EXPECT_LINE_REFUSED("c[0] = cast(\"float33\", n)",
                      "17: there is no scalar type \"float33\"; did you mean float32, float16 or float64?");
  EXPECT_LINE_REFUSED(
      "c[0] = (1, 2)",
      "14: found ',', expected ')': there are no tuples of values; write one statement for each");
  EXPECT_LINE_REFUSED("c[0] = max_value(\"float32\")",
                      "12: max_value is for integers; a float's bound is infinity(\"float32\")");
}

TEST(HybridRefusals, judge_loops_and_arrays) {
  EXPECT_LINE_REFUSED(
      "for i in rang(5): pass",
      "14: there is no loop rang; did you mean range?; the loops are const_range, range, serial, "
      "unroll, parallel, vectorize, bind");
  EXPECT_LINE_REFUSED("for i, j in range(5): pass",
                      "10: found ',', expected 'in': a loop has one variable; nest loops");
  EXPECT_LINE_REFUSED(
      "for i in range(0, 5, 2): pass",
      "26: range takes an end, or a first value and an end; for steps write range((n + 1) // 2) and "
      "use 2 * i");
  EXPECT_LINE_REFUSED("for i in range(a[0, 0]): pass",
                      "20: range: a bound is float32, must be an integer; cast it, as in int64(…)");
  EXPECT_LINE_REFUSED("for i in range(): pass", "20: range: how many iterations?");
  EXPECT_LINE_REFUSED(
      "for i in bind(\"thread\", 4): pass",
      "19: there is no thread \"thread\"; the threads are threadIdx.x, threadIdx.y, threadIdx.z, "
      "blockIdx.x, blockIdx.y, blockIdx.z, vthread, vthread.x, vthread.y, vthread.z");
  EXPECT_LINE_REFUSED(
      "x = allocate((n,), \"float32\", \"cache\")",
      "35: there is no scope \"cache\"; the scopes are global, shared, shared.dyn, warp, local, register, "
      "scratchpad.*, wmma.*, mma.*, amx.*, vta.*");
  EXPECT_LINE_REFUSED("x = allocate((0,))", "18: x: the extent 0 is not positive");
  EXPECT_LINE_REFUSED("x = allocate((1.5,))", "19: an extent is float32, must be an integer");
  EXPECT_LINE_REFUSED("x = allocate((1 << 40, 1 << 40))", "18: x: the array is larger than any memory");
  EXPECT_LINE_REFUSED("x = allocate((list[1][0],))",
                      "18: the extent i[0] reads an array or a variable that changes; store it in a variable "
                      "that is stored once");
  EXPECT_LINE_REFUSED(
      "x = output_tensor((list[1][0],))",
      "23: the extent i[0] depends on the content of an array; extents follow from shapes and "
      "arguments");
  EXPECT_LINE_REFUSED("if n > 1: x = output_tensor((3,))",
                      "15: output_tensor stands in no loop and no if; move it before them");
}

TEST(HybridRefusals, judge_what_parallel_iterations_write) {
  EXPECT_REFUSED(
      read(around("    s = 0.0\n    for i in parallel(5):\n        s += a[i, 0]\n    c[0] = s")),
      "hybrid:4:5: parallel: every iteration of i writes the same s; store to it first inside the loop, or "
      "write for i in range(…)");
  EXPECT_REFUSED(
      read(around("    for i in parallel(n):\n        for j in range(5):\n            c[j] = a[j, i]")),
      "hybrid:3:5: parallel: every iteration of i writes the same c[j]; index it with i, or write for i in "
      "range(…)");
  EXPECT_NO_THROW(
      read(around("    for i in parallel(5):\n        if i == 3: c[0] = 1\n        k = i + 1\n"
                  "        s = 0.0\n        s += 1\n        for j in range(k): c[j] = s")));
}

TEST(HybridRefusals, judge_the_function_as_a_whole) {
  const Tensor a = placeholder("a", {5});
  const auto refused = [&](const std::string& source, const std::string& sentence) {
    EXPECT_REFUSED(hybrid(source, {a}, "f.py"), "f.py:" + sentence);
  };
  refused("def f(a, b):\n    pass\n", "1:6: f takes 2 arguments, got 1");
  refused("def f(a, a):\n    pass\n", "1:6: f takes 2 arguments, got 1");
  refused("def f(a: int):\n    pass\n",
          "1:8: parameters are names alone: their types follow from the arguments");
  refused("", "1:1: found the end of the text, expected a function, as in def scale(a, factor):");
  refused("x = 1\n", "1:1: found 'x', expected a function, as in def scale(a, factor):");
  refused("@jit\ndef f(a):\n    pass\n", "1:1: found another decorator, expected @te.hybrid.script or none");
  refused("def f(a):\n    pass\n",
          "1:9: f returns nothing; end it with return c, where c = output_tensor(…)");
  refused("def f(a):\n    return a\n",
          "2:12: return a: a is an input; what is returned is a whole array of output_tensor(…)");
  refused("def f(a):\n    c = output_tensor((5,))\n    return c[0]\n",
          "3:12: return c: c is an output; what is returned is a whole array of output_tensor(…)");
  refused("def f(a):\n    c = output_tensor((5,))\n    return c, c\n", "3:15: c is returned twice");
  refused("def f(a):\n    c = output_tensor((5,))\n    d = output_tensor((5,))\n    return c\n",
          "1:9: d is an output of f that it does not return; return it, or make it by allocate(…)");
  refused("def f(a):\n    c = output_tensor((5,))\n    return c\n    c[0] = 1\n",
          "4:5: return is the last line of the function; this line comes after it");
  refused("def f(a):\n    c = output_tensor((5,))\n    if a[0] > 0: return c\n",
          "3:18: return is the last line of the function, and stands in no loop and no if");
  refused("def f(a):\n    c = output_tensor((5,))\n    return c\ndef g(a):\n    pass\n",
          "4:1: found 'def' after the function f; a text holds one function");
  refused("def f(a):\n\tpass\n", "2:1: a tab in the indentation; indent with spaces");
  EXPECT_REFUSED(hybrid("def f(a, a):\n    pass\n", {a, a}), "hybrid:1:10: there are two parameters a");
  EXPECT_REFUSED(
      hybrid("def f(a):\n    pass\n", {Tensor()}),
      "hybrid:1:7: a default-constructed te::Tensor was used; make one with placeholder or compute");
  EXPECT_REFUSED(hybrid("def f(a):\n    pass\n", {Expr()}), "hybrid:1:7: an argument is an empty expression");
}

TEST(HybridRefusals, hold_against_depth) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  const auto refused = [&](const std::string& lines, const std::string& part) {
    try {
      read(around(lines));
      ADD_FAILURE() << "not refused: " << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("    c[0] = " + repeated("(", 100000), "more than 256 brackets");
  refused("    c[0] = " + repeated("-", 100000) + "1", "more than 256 brackets");
  refused("    c[0] = " + repeated("2 ** ", 100000) + "1", "more than 256 brackets");
  refused("    c[0] = " + repeated("1 if n > 0 else ", 100000) + "1", "more than 256 brackets");
  refused("    c[0] = a[0, 0]" + repeated(" + a[0, 0]", 100000), "deeper than 1000 operations");
  std::string nested, chain = "    if n == 0: pass\n", variables, longer = "    x0 = n + 1\n";
  for (int i = 0; i < 2000; ++i) {
    nested += std::string(4 + static_cast<std::size_t>(i), ' ') + "if n > " + std::to_string(i) + ":\n";
    chain += "    elif n == " + std::to_string(i) + ": c[0] = 1\n";
    variables += "    x" + std::to_string(i) + " = n + 1\n";
  }
  for (int i = 1; i < 60; ++i) longer += fmt::format("    x{} = x{} * x{}\n", i, i - 1, i - 1);
  refused(nested, "statements nest deeper than 1000");
  refused(chain, "statements nest deeper than 1000");
  refused(variables, "statements nest deeper than 1000");
  refused(longer + "    d = output_tensor((x59,))", "the extent has more than 1000 operations");
}

TEST(HybridRefusals, meet_broken_texts_with_sentences) {
  const std::string whole = R"(
@te.hybrid.script
def f(a, list, n):
    c = output_tensor((a.shape[0] + 1, n * 2), list[0].dtype)
    t = allocate((3,), "float32", "local")
    total = 0
    for i in parallel(a.shape[0]):
        s = 0.0
        for j in const_range(1, 3):
            if 0 <= j < 2 and not a[i, j] > 1e-3:
                s += max(a[i, j] ** 2, exp(-a[i, j]), 1) if j == 1 else 0.5
            elif list[1][i] % 3 == 1: pass
            else:
                s //= 2 if False else 3
        c[i, 0] = s / 3
    for i in unroll(3, annotations={"a": [1, "b"]}):
        total += i
        t[i] = float32(total)
    assert total >= 0, "sum"
    return c
)";
  const std::vector<std::string> pieces = {"(",          ")",           "[",
                                           "]",          ":",           ",",
                                           "=",          "\n",          "    ",
                                           "\n        ", "if ",         "else:",
                                           "for ",       " in ",        "0",
                                           "1.5",        "\"",          "a",
                                           "list",       "c[0, 0] = ",  "const_range(2)",
                                           "return c",   "-",           "**",
                                           "s",          "not ",        "n",
                                           ".shape",     "elif n > 1:", "{",
                                           "}",          "\x80",        "9223372036854775807",
                                           "<<"};
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    Random random(seed);
    std::string text = whole;
    const auto place = [&] {
      return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(text.size())));
    };
    for (std::int64_t edits = random.integer(1, 4); edits > 0; --edits) {
      const std::size_t at = place();
      const auto length = static_cast<std::size_t>(random.integer(1, 12));
      switch (random.integer(0, 3)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, random.pick(pieces)); break;
        case 2: text.insert(at, text.substr(place(), 2 * length)); break;
        default:
          if (seed % 4 == 0) text.resize(at);
      }
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    try {
      const Tensor a = placeholder("a", {5, 7}), i = placeholder("i", {5}, int32);
      const Var n = size("n");
      const auto results = hybrid(text, {a, HybridArgument::List{a, i}, n});
      std::vector<Argument> arguments = {a, i, n};
      arguments.insert(arguments.end(), results.begin(), results.end());
      create_prim_func(arguments);
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
}

}  // namespace
}  // namespace ardea::te
