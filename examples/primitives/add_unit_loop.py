# A loop for a step that wants one more.
y = sch.get_block("Y")
one = sch.add_unit_loop(y)
