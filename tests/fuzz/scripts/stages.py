"A chain, its copies and its places."
b = sch.get_block("C")
d = sch.get_block("D")
x, y = sch.get_loops(d)
sch.compute_at(b, x)
l, = sch.get_child_blocks(sch.get_block("root"))[:1]
w = sch.cache_write(d, 0, "local")
sch.reverse_compute_at(w, y)
for block in [b, d]:
    sch.get_loops(block)
r = sch.rfactor(sch.get_loops(b)[-1], 0)
t = sch.sample_perfect_tile(sch.get_loops(r)[0], 2)
