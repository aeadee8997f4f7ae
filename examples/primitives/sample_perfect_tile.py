# Drawn from the seed of the schedule; the trace keeps what was drawn.
y = sch.get_block("Y")
i = sch.get_loops(y)
factors = sch.sample_perfect_tile(i, n=3, max_innermost_factor=16)
sch.split(i, factors)
