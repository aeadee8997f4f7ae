r = sch.get_block("R")
i, j = sch.get_loops(r)
sch.software_pipeline(i, stage=[0, 1], order=[0, 1])
