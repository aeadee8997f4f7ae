# The table lives across the rows, and is made for the first one only.
row = sch.get_block("row")
table = sch.get_block("table")
i = sch.get_loops(row)
sch.lift_alloc(row, "table")
sch.add_guard(table, i)
