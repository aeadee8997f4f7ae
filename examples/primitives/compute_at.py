# Each tile of Y needs six elements of B: four, and two more for the window of the last.
b = sch.get_block("B")
y = sch.get_block("Y")
i = sch.get_loops(y)
tile, inner = sch.split(i, [None, 4])
sch.compute_at(b, tile)
