# A schedule for `gemm` on AVX-512: both operands packed into panels, a tile of 14 x 32 sums in registers. Sizes that the
# tile does not divide give kernels of their own for what is left on the right, below and in the corner.
#   ardea run gemm 1000,1000,1000 --schedule examples/gemm_tile.py --check
b = sch.get_block("C")
pa = sch.transform_layout(b, "A", "lambda i, k: (i // 14, k, i % 14)", pad_value=0.0)
pb = sch.transform_layout(b, "B", "lambda k, j: (j // 32, k, j % 32)", pad_value=0.0)
out = sch.cache_write(b, 0, "register")
i, j, k = sch.get_loops(b)
io, ii = sch.split(i, [None, 14])
jo, ji = sch.split(j, [None, 32])
sch.reorder(jo, io, k, ii, ji)
sch.reverse_compute_at(out, io)
first = sch.decompose_reduction(b, k)
# Rows are written out, columns are vectors: in the sum, in its beginning and in its result.
sch.unroll(ii)
sch.vectorize(ji)
*outer, fi, fj = sch.get_loops(first)
sch.unroll(fi)
sch.vectorize(fj)
*outer, oi, oj = sch.get_loops(out)
sch.unroll(oi)
sch.vectorize(oj)
# Packing: rows of B are rows of vectors; A is turned around, reading along its rows.
*outer, pj = sch.get_loops(pb)
sch.vectorize(pj)
ao, ak, ai = sch.get_loops(pa)
sch.reorder(ai, ak)
