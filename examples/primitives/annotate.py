y = sch.get_block("Y")
i = sch.get_loops(y)
sch.annotate(y, "note", "the only stage")
sch.annotate(i, "grain", 4)
