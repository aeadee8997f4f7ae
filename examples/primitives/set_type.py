s = sch.get_block("S")
sch.set_type(s, 0, "float16")
