# The loop of the sum outside the columns: rows of B and C are walked in the order in which they lie.
c = sch.get_block("C")
i, j, k = sch.get_loops(c)
sch.reorder(k, j)
