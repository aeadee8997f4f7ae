# None is the factor that the others leave open. Where they do not divide the extent, the rest is guarded.
y = sch.get_block("Y")
i = sch.get_loops(y)
outer, inner = sch.split(i, [None, 16])
