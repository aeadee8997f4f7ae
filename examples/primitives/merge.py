# Y and Z read of B what the same iteration has written.
b = sch.get_block("B")
y = sch.get_block("Y")
z = sch.get_block("Z")
i_b = sch.get_loops(b)
i_y = sch.get_loops(y)
i_z = sch.get_loops(z)
i = sch.merge(i_b, i_y, i_z)
