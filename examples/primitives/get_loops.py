c = sch.get_block("C")
i, j, k = sch.get_loops(c)
