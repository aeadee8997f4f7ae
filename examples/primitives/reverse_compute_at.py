# The sum of a row is complete after the loop k, so Y may follow it there.
s = sch.get_block("S")
y = sch.get_block("Y")
i, k = sch.get_loops(s)
sch.reverse_compute_at(y, i)
