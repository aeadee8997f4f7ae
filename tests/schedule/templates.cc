#include "tests/schedule/templates.h"

#include <fmt/core.h>

#include "ardea/arith/load.h"
#include "ardea/ir/substitute.h"
#include "ardea/schedule/canon.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/rolling_buffer.h"
#include "ardea/schedule/primitives/memory/stage_mem.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/split_prefix.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/support/text.h"
#include "tests/schedule/gemm_template.h"

namespace ardea::schedule::testing {

namespace {

Function load(const std::string& text) { return arith::load_program(text, "template.tir").functions[0]; }

Function gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return load(fmt::format(R"(@T.prim_func
def main(A: T.Buffer(({0}, {2}), "float32"), B: T.Buffer(({2}, {1}), "float32"), C: T.Buffer(({0}, {1}), "float32")):
)",
                          m, n, k) +
              gemm_nest(std::to_string(m), std::to_string(n), std::to_string(k)));
}

std::vector<std::optional<Number>> numbers(const Numbers& of, const std::vector<std::string>& names) {
  std::vector<std::optional<Number>> all;
  for (const std::string& name : names) all.emplace_back(of(name));
  return all;
}

/// Splits the loop by numbers of these names, so that their product is its extent.
std::vector<LoopRef> exactly(Schedule& s, const LoopRef& loop, const Numbers& of,
                             const std::vector<std::string>& names) {
  return s.loops(Split{.loop = loop, .factors = numbers(of, names), .disable_predication = true});
}

std::vector<LoopRef> padded(Schedule& s, const LoopRef& loop, const Numbers& of,
                            const std::vector<std::string>& names) {
  return s.loops(Split{.loop = loop, .factors = numbers(of, names)});
}

Template three_levels() {
  return {"gemm with three levels of tiles",
          gemm(48, 60, 36),
          {{48, {"i0", "i1", "i2"}}, {60, {"j0", "j1", "j2"}}, {36, {"k0", "k1"}}},
          [](Schedule& s, const Numbers& of) {
            const BlockRef c = s.get_block("C");
            const BlockRef sums = s.blocks(CacheWrite{c, 0, "local"})[0];
            const auto [i, j, k] =
                tile_gemm(s, c,
                          {numbers(of, {"i0", "i1", "i2"}), numbers(of, {"j0", "j1", "j2"}),
                           numbers(of, {"k0", "k1"}), true});
            s.apply(ReverseComputeAt{sums, j[1]});
            const BlockRef a = s.blocks(CacheRead{c, 0, "global"})[0];
            s.apply(ComputeAt{a, k[0]});
            const BlockRef b = s.blocks(CacheRead{c, 1, "global"})[0];
            s.apply(ComputeAt{b, k[0]});
            s.apply(DecomposeReduction{c, k[0]});
            s.apply(Vectorize{j[2]});
            s.apply(Parallel{i[0]});
          }};
}

/// B in panels of j1 columns, and tiles of C to which each round of k adds; the loop over a tile's columns.
LoopRef pack_and_accumulate(Schedule& s, const Numbers& of, decltype(exactly)& split) {
  const BlockRef c = s.get_block("C");
  s.apply(TransformLayout{c, "B", IndexText("lambda k, j: (j // t, k, j % t)", {{"t", of("j1")}}), 0.0});
  const auto loops = s.get_loops(c);
  const auto i = split(s, loops[0], of, {"i0", "i1"});
  const auto j = split(s, loops[1], of, {"j0", "j1"});
  const auto k = exactly(s, loops[2], of, {"k0", "k1"});
  s.apply(Reorder{{k[0], j[0], i[0], k[1], i[1], j[1]}});
  s.apply(StageMem{.block_or_loop = k[1], .buffer = "C", .storage_scope = "local", .accumulate = true});
  return j[1];
}

Template packed_tiles() {
  return {"gemm with packed operands and an accumulating tile",
          gemm(24, 40, 30),
          {{24, {"i0", "i1"}}, {40, {"j0", "j1"}}, {30, {"k0", "k1"}}},
          [](Schedule& s, const Numbers& of) { s.apply(Vectorize{pack_and_accumulate(s, of, exactly)}); }};
}

Template convolution() {
  return {"convolution with stride, padding and halo",
          load(R"(@T.prim_func
def main(X: T.Buffer((4, 15, 17), "float32"), W: T.Buffer((6, 4, 3, 3), "float32"), Y: T.Buffer((6, 8, 9), "float32")):
    P = T.alloc_buffer((4, 17, 19))
    for c, y, x in T.grid(4, 17, 19):
        with T.block("P"):
            vc, vy, vx = T.axis.remap("SSS", [c, y, x])
            P[vc, vy, vx] = T.if_then_else(1 <= vy and vy < 16 and 1 <= vx and vx < 18, X[vc, vy - 1, vx - 1], T.float32(0))
    for o, y, x, c, p, q in T.grid(6, 8, 9, 4, 3, 3):
        with T.block("Y"):
            vo, vy, vx, vc, vp, vq = T.axis.remap("SSSRRR", [o, y, x, c, p, q])
            with T.init():
                Y[vo, vy, vx] = T.float32(0)
            Y[vo, vy, vx] = Y[vo, vy, vx] + P[vc, vy * 2 + vp, vx * 2 + vq] * W[vo, vc, vp, vq]
)"),
          {{6, {"o0", "o1"}}, {8, {"y0", "y1"}}, {9, {"x0", "x1"}}, {4, {"c0", "c1"}}},
          [](Schedule& s, const Numbers& of) {
            const BlockRef y = s.get_block("Y"), p = s.get_block("P");
            const auto loops = s.get_loops(y);
            const auto o = exactly(s, loops[0], of, {"o0", "o1"});
            const auto rows = exactly(s, loops[1], of, {"y0", "y1"});
            const auto columns = exactly(s, loops[2], of, {"x0", "x1"});
            const auto c = exactly(s, loops[3], of, {"c0", "c1"});
            s.apply(Reorder{
                {o[0], rows[0], columns[0], c[0], c[1], loops[4], loops[5], o[1], rows[1], columns[1]}});
            const BlockRef w = s.blocks(CacheRead{y, 1, "global"})[0];
            s.apply(ComputeAt{w, c[0]});
            s.apply(ComputeAt{p, c[0]});
            s.apply(Vectorize{columns[1]});
            s.apply(Parallel{o[0]});
          }};
}

Template padded_tiles() {
  return {"gemm with padded tiles",
          gemm(23, 37, 12),
          {{23, {"i0", "i1"}, false}, {37, {"j0", "j1"}, false}, {12, {"k0", "k1"}}},
          [](Schedule& s, const Numbers& of) {
            const BlockRef c = s.get_block("C");
            const auto loops = s.get_loops(c);
            const auto i = padded(s, loops[0], of, {"i0", "i1"});
            const auto j = padded(s, loops[1], of, {"j0", "j1"});
            const auto k = exactly(s, loops[2], of, {"k0", "k1"});
            s.apply(Reorder{{i[0], j[0], k[0], k[1], i[1], j[1]}});
            const BlockRef b = s.blocks(CacheRead{c, 1, "global"})[0];
            s.apply(ComputeAt{b, k[0]});
            s.apply(DecomposeReduction{c, k[0]});
            s.apply(Parallel{i[0]});
          }};
}

Template packed_padded_tiles() {
  return {"gemm with packed operands and padded accumulating tiles",
          gemm(23, 37, 30),
          {{23, {"i0", "i1"}, false}, {37, {"j0", "j1"}, false}, {30, {"k0", "k1"}}},
          [](Schedule& s, const Numbers& of) { pack_and_accumulate(s, of, padded); }};
}

/// Factors that are decisions of sampling steps, and rows as far apart as a variable says.
Template aligned_rows() {
  return {"gemm with sampled tiles and rows that lie apart",
          gemm(24, 20, 30),
          {{24, {"i0", "i1"}}, {20, {"j0", "j1"}}},
          [](Schedule& s, const Numbers& of) {
            const BlockRef c = s.get_block("C");
            const auto loops = s.get_loops(c);
            const auto tiled = [&](const LoopRef& loop, const std::string& outer, const std::string& inner) {
              const auto sampled =
                  s.numbers(SamplePerfectTile{.loop = loop,
                                              .n = 2,
                                              .max_innermost_factor = 64,
                                              .decision = std::vector<Number>{of(outer), of(inner)}});
              return s.loops(Split{.loop = loop, .factors = {sampled[0], sampled[1]}});
            };
            const auto i = tiled(loops[0], "i0", "i1"), j = tiled(loops[1], "j0", "j1");
            s.apply(Reorder{{i[0], j[0], loops[2], i[1], j[1]}});
            const BlockRef b = s.blocks(CacheRead{c, 1, "global"})[0];
            s.apply(ComputeAt{b, j[0]});
            s.apply(StorageAlign{b, 0, 0, of("i1"), 0});
          }};
}

/// Whether a rest is left depends on the numbers, whether its loop exists does not.
Template cut_rows() {
  return {"copy of which whole rounds are cut off",
          load(R"(@T.prim_func
def main(A: T.Buffer((50,), "float32"), B: T.Buffer((50,), "float32")):
    for i in range(50):
        with T.block("B"):
            v = T.axis.spatial(50, i)
            B[v] = A[v] * T.float32(2)
)"),
          {{50, {"i0", "i1"}, false}},
          [](Schedule& s, const Numbers& of) {
            const auto loops = s.get_loops(s.get_block("B"));
            const auto i =
                s.loops(Split{.loop = loops[0], .factors = {std::nullopt, of("i1")}, .tail = "cut"});
            s.apply(Vectorize{i[1]});
          }};
}

Template fused_and_bound() {
  return {"copy with fused and bound loops",
          load(R"(@T.prim_func
def main(A: T.Buffer((32, 54), "float32"), B: T.Buffer((32, 54), "float32")):
    for i, j in T.grid(32, 54):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.float32(1)
)"),
          {{32, {"i0", "i1"}}, {54, {"j0", "j1"}}},
          [](Schedule& s, const Numbers& of) {
            const auto loops = s.get_loops(s.get_block("B"));
            const auto i = exactly(s, loops[0], of, {"i0", "i1"});
            const auto j = exactly(s, loops[1], of, {"j0", "j1"});
            s.apply(Reorder{{i[0], j[0], i[1], j[1]}});
            const LoopRef grid = s.loops(Fuse{{i[0], j[0]}})[0];
            const LoopRef threads = s.loops(Fuse{{i[1], j[1]}})[0];
            s.apply(Bind{grid, "blockIdx.x"});
            s.apply(Bind{threads, "threadIdx.x"});
          }};
}

Template softmax() {
  return {"softmax with its parts in the rows",
          load(R"(@T.prim_func
def main(X: T.Buffer((20, 30), "float32"), Y: T.Buffer((20, 30), "float32")):
    M = T.alloc_buffer((20,))
    S = T.alloc_buffer((20,))
    E = T.alloc_buffer((20, 30))
    for i, j in T.grid(20, 30):
        with T.block("M"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                M[vi] = T.float32(-3.4e38)
            M[vi] = T.max(M[vi], X[vi, vj])
    for i, j in T.grid(20, 30):
        with T.block("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = T.exp(X[vi, vj] - M[vi])
    for i, j in T.grid(20, 30):
        with T.block("S"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + E[vi, vj]
    for i, j in T.grid(20, 30):
        with T.block("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = E[vi, vj] / S[vi]
)"),
          {{20, {"i0", "i1"}}, {30, {"j0", "j1"}}},
          [](Schedule& s, const Numbers& of) {
            const auto loops = s.get_loops(s.get_block("Y"));
            const auto i = exactly(s, loops[0], of, {"i0", "i1"});
            const auto j = exactly(s, loops[1], of, {"j0", "j1"});
            for (const char* name : {"S", "E", "M"}) s.apply(ComputeAt{s.get_block(name), i[0]});
            s.apply(Parallel{i[0]});
            s.apply(Vectorize{j[1]});
          }};
}

Template layernorm() {
  return {"layernorm with its sums in the rows",
          load(R"(@T.prim_func
def main(X: T.Buffer((21, 40), "float32"), Y: T.Buffer((21, 40), "float32")):
    S = T.alloc_buffer((21,))
    V = T.alloc_buffer((21,))
    for i, j in T.grid(21, 40):
        with T.block("S"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + X[vi, vj]
    for i, j in T.grid(21, 40):
        with T.block("V"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                V[vi] = T.float32(0)
            V[vi] = V[vi] + (X[vi, vj] - S[vi]) * (X[vi, vj] - S[vi])
    for i, j in T.grid(21, 40):
        with T.block("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = (X[vi, vj] - S[vi]) * T.rsqrt(V[vi] + T.float32(1))
)"),
          {{21, {"i0", "i1"}, false}, {40, {"j0", "j1"}}},
          [](Schedule& s, const Numbers& of) {
            const auto loops = s.get_loops(s.get_block("Y"));
            const auto i = padded(s, loops[0], of, {"i0", "i1"});
            exactly(s, loops[1], of, {"j0", "j1"});
            for (const char* name : {"V", "S"}) s.apply(ComputeAt{s.get_block(name), i[0]});
            s.apply(Parallel{i[0]});
          }};
}

/// A tile of rows needs some that the tile before has computed: its length is a variable, and with it how
/// many rows are kept.
Template rolling_rows() {
  return {"rows of a stencil that are kept for the next tile",
          load(R"(@T.prim_func
def main(A: T.Buffer((26, 18), "float32"), C: T.Buffer((24, 18), "float32")):
    B = T.alloc_buffer((26, 18))
    for y, x in T.grid(26, 18):
        with T.block("B"):
            vy, vx = T.axis.remap("SS", [y, x])
            B[vy, vx] = A[vy, vx] * T.float32(3)
    for y, x in T.grid(24, 18):
        with T.block("C"):
            vy, vx = T.axis.remap("SS", [y, x])
            C[vy, vx] = B[vy, vx] + B[vy + 1, vx] + B[vy + 2, vx]
)"),
          {{24, {"y0", "y1"}, true, 2}, {18, {"x0", "x1"}}},
          [](Schedule& s, const Numbers& of) {
            const auto loops = s.get_loops(s.get_block("C"));
            const auto y = exactly(s, loops[0], of, {"y0", "y1"});
            const auto x = exactly(s, loops[1], of, {"x0", "x1"});
            const BlockRef b = s.get_block("B");
            s.apply(ComputeAt{b, y[0]});
            s.apply(RollingBuffer{b});
            s.apply(Vectorize{x[1]});
          }};
}

/// The factors of an instruction's shape are numbers, for shapes fork sketches.
Template tensorized() {
  return {"tensorized product",
          gemm(24, 20, 12),
          {{6, {"i0", "i1"}}, {5, {"j0", "j1"}}, {3, {"k0", "k1"}}},
          [](Schedule& s, const Numbers& of) {
            const BlockRef c = s.get_block("C");
            const auto loops = s.get_loops(c);
            std::vector<std::vector<LoopRef>> outer;
            std::vector<LoopRef> inner;
            for (std::size_t d = 0; d < loops.size(); ++d) {
              const auto parts = s.loops(Split{loops[d], {std::nullopt, 4}});
              const std::string name(1, "ijk"[d]);
              outer.push_back(exactly(s, parts[0], of, {name + "0", name + "1"}));
              inner.push_back(parts[1]);
            }
            s.apply(Reorder{{outer[0][0], outer[1][0], outer[2][0], outer[0][1], outer[1][1], outer[2][1],
                             inner[0], inner[1], inner[2]}});
            s.apply(Tensorize{inner[0], "ardea.tile_4x4x4_f32"});
          }};
}

Numbers as_variables(const std::map<std::string, Var>& variables) {
  return [&variables](const std::string& name) -> Number { return NumberRef::fresh(variables.at(name)); };
}

std::vector<std::size_t> result_counts(const Trace& trace) {
  std::vector<std::size_t> counts;
  for (const Instruction& instruction : trace.instructions) counts.push_back(instruction.results.size());
  return counts;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return all;
}

std::int64_t pick(const std::vector<std::int64_t>& from, Random& random) {
  return from[static_cast<std::size_t>(random.integer(0, std::ssize(from) - 1))];
}

/// More prefixes than steps, so that the last chunks have none; with and without the end of a prefix.
Template prefixes_in_chunks() {
  return {"prefixes in chunks",
          load(R"(@T.prim_func
def main(A: T.Buffer((3, 17), "float32"), S: T.Buffer((3, 20), "float32"), I: T.Buffer((3, 17), "float32")):
    for i, j, r in T.grid(3, 20, 17):
        with T.block("S"):
            vi, vj, vr = T.axis.remap("SSR", [i, j, r])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + T.Select(vr < vj, A[vi, vr], T.float32(0))
    for i, j, r in T.grid(3, 17, 17):
        with T.block("I"):
            vi, vj, vr = T.axis.remap("SSR", [i, j, r])
            T.where(r <= j)
            with T.init():
                I[vi, vj] = T.float32(0)
            I[vi, vj] = I[vi, vj] + A[vi, vr]
)"),
          {{20, {"c", "f"}, false}, {5, {"g"}, false}},
          [](Schedule& s, const Numbers& of) {
            const BlockRef sums = s.get_block("S"), included = s.get_block("I");
            const LoopRef j = s.get_loops(sums)[1];
            const std::vector<BlockRef> made = s.blocks(SplitPrefix{sums, of("f")});
            s.apply(SplitPrefix{made[1], of("g")});
            padded(s, j, of, {"c", "f"});
            s.apply(SplitPrefix{included, of("f")});
          }};
}

}  // namespace

const std::vector<Template>& templates() {
  static const std::vector<Template> all = {
      three_levels(), packed_tiles(),    packed_padded_tiles(), convolution(), padded_tiles(),
      cut_rows(),     fused_and_bound(), tensorized(),          softmax(),     layernorm(),
      aligned_rows(), rolling_rows(),    prefixes_in_chunks()};
  return all;
}

Symbolic symbolic(const Template& t) {
  Symbolic made;
  Function program = t.program;
  std::vector<Var> all;
  for (const Axis& axis : t.axes)
    for (const std::string& part : axis.parts) {
      const Var var(part);
      made.variables.emplace(part, var);
      program.parameters.push_back({var});
      program.assumptions.push_back(var >= make_int(1));
      all.push_back(var);
    }
  Schedule s(program, std::make_unique<Posting>(all));
  t.steps(s, as_variables(made.variables));
  const auto& context = dynamic_cast<const Posting&>(s.context());
  made.program = s.program();
  made.posted = context.posted();
  made.deferred = context.deferred();
  made.results = result_counts(s.trace());
  return made;
}

Replayed replay(const Template& t, const Assignment& numbers) {
  Schedule s(t.program, std::make_unique<ByHand>(0, Structure::of_template));
  t.steps(s, [&](const std::string& name) -> Number { return numbers.at(name); });
  return {s.program(), result_counts(s.trace())};
}

namespace {

/// Inner ones first; the outermost is what is left.
Assignment random_parts(const Axis& axis, Edge edge, Random& random) {
  Assignment numbers;
  std::int64_t left = axis.extent;
  for (std::size_t p = axis.parts.size(); p-- > 1;) {
    std::int64_t part = pick(divisors(left), random);
    if (!axis.exact && random.chance(0.5)) part = random.integer(1, left);
    if (edge == Edge::one) part = 1;
    if (edge == Edge::whole) part = p + 1 == axis.parts.size() ? left : 1;
    if (edge == Edge::not_dividing) {
      do part = random.integer(2, left);
      while (left % part == 0);
    }
    numbers[axis.parts[p]] = part;
    left = (left + part - 1) / part;
  }
  numbers[axis.parts[0]] = left;
  return numbers;
}

}  // namespace

Assignment random_assignment(const Template& t, Edge edge, Random& random) {
  Assignment numbers;
  std::vector<std::size_t> able;
  for (std::size_t a = 0; a < t.axes.size(); ++a)
    if ((edge != Edge::not_dividing || !t.axes[a].exact) && (edge != Edge::whole || t.axes[a].least == 1))
      able.push_back(a);
  const std::size_t edged =
      able.empty() ? t.axes.size() : able[static_cast<std::size_t>(random.integer(0, std::ssize(able) - 1))];
  for (std::size_t a = 0; a < t.axes.size(); ++a) {
    const Axis& axis = t.axes[a];
    Assignment parts;
    do parts = random_parts(axis, a == edged ? edge : Edge::none, random);
    while (parts.at(axis.parts[0]) < axis.least);
    numbers.merge(parts);
  }
  return numbers;
}

bool fulfils(const Symbolic& s, const Assignment& numbers) {
  Substitution values;
  for (const auto& [name, var] : s.variables) values[var] = make_int(numbers.at(name));
  for (const Posted& posted : s.posted)
    if (!is_true(arith::Analyzer().simplify(substitute(posted.condition, values)))) return false;
  return true;
}

std::string to_string(const Assignment& numbers) {
  std::vector<std::string> parts;
  for (const auto& [name, number] : numbers) parts.push_back(fmt::format("{} = {}", name, number));
  return join(parts, ", ");
}

}  // namespace ardea::schedule::testing
