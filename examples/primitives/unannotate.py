# Without its annotation the loop can be reshaped again.
y = sch.get_block("Y")
i = sch.get_loops(y)
sch.unannotate(i, "grain")
