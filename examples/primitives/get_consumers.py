b = sch.get_block("B")
y, z = sch.get_consumers(b)
