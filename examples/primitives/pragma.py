# Lowering unrolls the loops inside as long as no more than 64 steps come of it.
c = sch.get_block("C")
i, j, k = sch.get_loops(c)
sch.pragma(i, "auto_unroll_max_step", 64)
