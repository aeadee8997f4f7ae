# Each element of B is computed once instead of up to three times.
b = sch.get_block("B")
sch.compute_root(b)
