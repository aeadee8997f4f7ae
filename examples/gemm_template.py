# A schedule with knobs, in AutoTVM's words: `ardea space` opens what cfg defines.
#   ardea space gemm 64,64,64 --schedule examples/gemm_template.py --show
#   ardea run gemm 64,64,64 --schedule examples/gemm_template.py --draw 3 --check
c = sch.get_block("C")
i, j, k = sch.get_loops(c)
io, ii = cfg.define_split("rows", i, 2, most_innermost=16)
jo, ji = cfg.define_split("columns", j, 2, policy="padded", most_innermost=64)
ko, ki = cfg.define_split("steps", k, 2, policy="padded", most_innermost=32)
rows, columns, steps = cfg.factors("rows")[1], cfg.factors("columns")[1], cfg.factors("steps")[1]
cfg.require(rows * columns <= 256, "the tile of sums stays close")
cfg.require(steps >= 2 or rows == 1, "several rows share a block of steps")
sch.reorder(io, jo, ko, ki, ii, ji)
cfg.define_reorder("order", [io, jo, ko], [[io, jo, ko], [jo, io, ko]])
cfg.define_annotate("inner", [ii, ji], "try_both")
ahead = cfg.define_knob("ahead", [1, 2, 4])
sch.pragma(jo, "prefetch", ["B", ahead * columns])
