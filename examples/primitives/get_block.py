# By its name, which must be the name of one block only.
y = sch.get_block("Y")
