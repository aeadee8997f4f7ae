# A product of float16 matrices by Hopper's wgmma: a block of two groups of four warps makes a tile of 128 x 128, each
# group 64 rows of it. Panels of A and B, 64 deep, lie in shared memory as the tensor units read them: rows of 128 bytes
# whose units of 16 have changed places. Two panels are under way while one is multiplied. Its sizes are multiples of
# 128, 64 and 128.
#   ardea show gemm 1024,1024,1024 --in float16 --out float16 --schedule examples/gemm_wgmma.py --target h200 --align 16 --as cuda
warps = 8      # of a block, a multiple of four
columns = 128  # that an instruction multiplies: 64, 128 or 256
ahead = 2      # panels under way to shared memory
product = sch.get_block("C_acc")
result = sch.get_block("C")
sch.set_scope(product, 0, "mma.c")
a = sch.cache_read(product, 0, "shared")
b = sch.cache_read(product, 1, "shared")

m, n, k = sch.get_loops(product)
block_m, warp, m_in = sch.split(m, [None, warps, 16])
block_n, part_n, frag_n, n_in = sch.split(n, [None, columns // 64, 8, 8])
panel, k_in = sch.split(k, [None, 64])
sch.reorder(block_m, block_n, panel, warp, part_n, frag_n, m_in, n_in, k_in)
sch.reverse_compute_at(result, block_n)
sch.bind(block_m, "blockIdx.y")
sch.bind(block_n, "blockIdx.x")
for copy in [a, b]:
    sch.compute_at(copy, panel)
    again, z, x, lanes = sch.split(sch.fuse(*sch.get_loops(copy)[-2:]), [None, warps, 32, 8])
    sch.bind(z, "threadIdx.z")
    sch.bind(x, "threadIdx.x")
    sch.vectorize(lanes)

# Of B 64 columns lie together. `^` says how a row's units change places.
sch.transform_layout(b, ("write", 0), lambda k, n: (n // 64, k, n % 64))
sch.transform_layout(a, ("write", 0), lambda m, k: (m, k ^ (m % 8 * 8)))
sch.transform_layout(b, ("write", 0), lambda part, k, n: (part, k, n ^ (k % 8 * 8)))

# Fragments of the sums lie one after the other, as those of mma.sync.
sch.transform_layout(product, ("write", 0), lambda m, n: (m // 16, n // 8, m % 16, n % 8))
zero = sch.decompose_reduction(product, panel)
zero_warp = sch.get_loops(zero)[2]
sch.tensorize(sch.get_loops(zero)[-2], "mma.zero_f32")
row, column = sch.get_loops(result)[-2:]
row_warp, row_in = sch.split(row, [warps, 16])
column_frag, column_in = sch.split(column, [None, 8])
sch.reorder(row_warp, column_frag, row_in, column_in)
sch.tensorize(row_in, "mma.store_f16")
sch.tensorize(part_n, "wgmma.m64n128k64_f16")
for loop in [zero_warp, row_warp, warp]:
    sch.bind(loop, "threadIdx.z")
sch.software_pipeline(panel, stage=[0, 0, ahead], order=[0, 1, 2])
