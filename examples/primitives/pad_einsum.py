# Columns in whole vectors of 4, and the sum in groups of 4: what is beyond the sizes is zero.
c = sch.get_block("C")
a, b, out = sch.pad_einsum(c, [1, 4, 4])
