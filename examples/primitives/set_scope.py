b = sch.get_block("B")
sch.set_scope(b, 0, "shared")
