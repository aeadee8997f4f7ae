y = sch.get_block("Y")
b = sch.get_producers(y)
