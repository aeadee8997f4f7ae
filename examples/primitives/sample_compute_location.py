# One of the loops of Y, the place where B is, or, as here, its readers.
b = sch.get_block("B")
place = sch.sample_compute_location(b)
sch.compute_at(b, place)
