# Partial sums over four of k at a time, each in a window of its own; the row of A is only read.
c = sch.get_block("C")
i, j, k = sch.get_loops(c)
ko, ki = sch.split(k, [None, 4])
sch.reorder(ko, i, ki, j)
sch.decompose_reduction(c, ko)
sch.stage_mem(ki, "C", "local")
sch.stage_mem(ki, "A", "local", window="i, 0:7")
