# The copy into another shape is done by the block that makes the values.
y = sch.get_block("Y")
sch.reverse_compute_inline(y)
