# The border gets loops of its own; lowering then drops the condition in the middle.
y = sch.get_block("Y")
i = sch.get_loops(y)
left, middle, right = sch.loop_partition(i, [2, 18])
