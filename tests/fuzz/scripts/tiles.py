# Nested calls, indexing, slices, stars, for, += and arithmetic.
b = sch.get_block("C")
loops = sch.get_loops(b)
tiles = []
for loop, size in zip(loops[:2], [2, 2 * 2]):
    tiles += sch.split(loop, [None, size])
sch.reorder(*tiles[::2], *loops[2:], *tiles[1::2])
first, *rest = sch.get_loops(b)
sch.parallel(first)
sch.vectorize(sch.get_loops(b)[-1])
