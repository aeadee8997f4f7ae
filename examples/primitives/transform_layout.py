# B in panels of four columns, the last one padded, packed for each round of four columns.
c = sch.get_block("C")
i, j, k = sch.get_loops(c)
jo, ji = sch.split(j, [None, 4])
sch.reorder(jo, i, k, ji)
pack = sch.transform_layout(c, "B", lambda k, n: (n // 4, k, n % 4), pad_value=0)
sch.compute_at(pack, jo)
