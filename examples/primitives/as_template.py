# Nothing is left over of 12 by 3, and the loop for it stays: it is what another number would need.
sch.as_template()
y = sch.get_block("Y")
i = sch.get_loops(y)
sch.split(i, [None, 3], tail="cut")
