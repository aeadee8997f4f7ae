# The zeros are written before the loop k, which is then free of the question whether it is at its beginning.
c = sch.get_block("C")
i, j, k = sch.get_loops(c)
init = sch.decompose_reduction(c, k)
