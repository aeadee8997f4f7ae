# Sums of rows: a row a block, whose 100 threads each add up a part and combine them. No power of two, no whole warps.
total = sch.get_block("sum")
row, column = sch.get_loops(total)
rounds, thread = sch.split(column, [None, 100])
sch.bind(row, "blockIdx.x")
sch.bind(thread, "threadIdx.x")
