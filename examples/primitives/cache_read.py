c = sch.get_block("C")
i, j, k = sch.get_loops(c)
copy = sch.cache_read(c, 0, "local")
sch.compute_at(copy, i)
