y = sch.get_block("Y")
i, j = sch.get_loops(y)
both = sch.fuse(i, j)
