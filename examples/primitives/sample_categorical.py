y = sch.get_block("Y")
i = sch.get_loops(y)
width = sch.sample_categorical([4, 8, 16], [0.25, 0.25, 0.5])
sch.split(i, [None, width])
