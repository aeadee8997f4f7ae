# Pieces of 64 elements, in parallel; what is left at the end is masked.
block = sch.get_block("Y")
i = sch.get_loops(block)
pieces, lanes = sch.split(i, [None, 64])
sch.parallel(pieces)
sch.vectorize(lanes)
