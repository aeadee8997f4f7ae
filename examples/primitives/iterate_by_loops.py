# Two loops that were fused are one iterator.
y = sch.get_block("Y")
i, j = sch.get_loops(y)
sch.fuse(i, j)
sch.iterate_by_loops(y)
