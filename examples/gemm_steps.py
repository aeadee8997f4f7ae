# A schedule for `gemm`: rows in tiles of 16, the sum outside them, tiles on several threads.
b = sch.get_block("C")
m, n, k = sch.get_loops(b)
mo, mi = sch.split(m, [None, 16])
sch.reorder(mo, k, mi)
sch.parallel(mo)
