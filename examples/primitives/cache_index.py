y = sch.get_block("Y")
rows, columns = sch.cache_index(y, "global")
