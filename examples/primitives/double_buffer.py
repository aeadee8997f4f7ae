p = sch.get_block("P")
sch.double_buffer(p, buffer_index=0)
