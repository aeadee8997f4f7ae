# Eight sums side by side, which may become lanes or threads; then their sum.
s = sch.get_block("S")
i, k = sch.get_loops(s)
outer, inner = sch.split(k, [None, 8])
partial = sch.rfactor(inner, factor_axis=0)
