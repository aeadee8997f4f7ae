# Each row of Y needs three rows of B, of which the row before has computed two.
b = sch.get_block("B")
y = sch.get_block("Y")
i, j = sch.get_loops(y)
sch.compute_at(b, i)
sch.rolling_buffer(b)
