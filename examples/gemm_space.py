# A schedule with choices: `ardea space` opens what it samples.
#   ardea space gemm 64,64,64 --schedule examples/gemm_space.py --show
c = sch.get_block("C")
i, j, k = sch.get_loops(c)
sums = sch.cache_write(c, 0, "register")
# The tile of sums that stays in registers: rows, and columns of whole vectors.
i0, i1 = sch.sample_perfect_tile(i, 2, 16)
lanes = sch.sample_categorical([4, 8, 16, 32], [1, 1, 1, 1])
io, ii = sch.split(i, [i0, i1])
jo, ji = sch.split(j, [None, lanes])
sch.reorder(jo, io, k, ii, ji)
sch.reverse_compute_at(sums, io)
rows, columns = sch.get_loops(sums)[-2:]
sch.unroll(rows)
sch.vectorize(columns)
init = sch.decompose_reduction(c, k)
rows, columns = sch.get_loops(init)[-2:]
sch.unroll(rows)
sch.vectorize(columns)
sch.unroll(ii)
sch.vectorize(ji)
