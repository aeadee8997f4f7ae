y = sch.get_block("Y")
windows = sch.reindex(y, ("read", 0))
