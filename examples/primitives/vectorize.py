y = sch.get_block("Y")
i = sch.get_loops(y)
outer, inner = sch.split(i, [None, 16])
sch.vectorize(inner)
