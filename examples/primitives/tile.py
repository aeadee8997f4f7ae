y = sch.get_block("Y")
i, j = sch.get_loops(y)
i_tile, j_tile, i_in, j_in = sch.tile(i, j, x_factor=8, y_factor=16)
