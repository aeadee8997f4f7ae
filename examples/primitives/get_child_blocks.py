pair = sch.get_block("pair")
y, first = sch.get_child_blocks(pair)
