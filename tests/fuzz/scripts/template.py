i, j, *k = sch.get_loops(sch.get_block("C"))
io, ii = cfg.define_split("a", i, 2)
jo, ji = cfg.define_split("b", j, 2, policy="padded", most_innermost=4)
x, y = cfg.factors("a")[1], cfg.factors("b")[1]
cfg.require(x * y <= 64 and 0 < x or y % 2 == 0, "small")
cfg.define_reorder("c", [io, ii])
cfg.define_annotate("d", [ii, ji], "try_both")
n = cfg.define_knob("e", [1, 2])
sch.annotate(io, "n", n * x)
