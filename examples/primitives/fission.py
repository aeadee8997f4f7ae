z = sch.get_block("Z")
i = sch.get_loops(z)
i_z = sch.fission(z, i)
