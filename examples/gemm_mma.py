# A product of float16 matrices on tensor cores: a block of 2 x 2 warps makes a tile of 128 x 128, each warp 64 x 64 of
# it as 4 x 8 fragments of 16 x 8 sums. Panels of A and B, 32 deep, come to shared memory four steps ahead of their use,
# and from there to registers one step ahead; rows are padded so that eight of them lie in different banks. Its sizes are
# multiples of 128, 128 and 32.
#   ardea show gemm 1024,1024,1024 --in float16 --out float16 --schedule examples/gemm_mma.py --target h200 --align 16 --as cuda
product = sch.get_block("C_acc")
result = sch.get_block("C")
sch.set_scope(product, 0, "mma.c")
a_warp = sch.cache_read(product, 0, "mma.a")
b_warp = sch.cache_read(product, 1, "mma.b")
a_shared = sch.cache_read(a_warp, 0, "shared")
b_shared = sch.cache_read(b_warp, 0, "shared")

m, n, k = sch.get_loops(product)
block_m, warp_m, frag_m, m_in = sch.split(m, [None, 2, 4, 16])
block_n, warp_n, frag_n, n_in = sch.split(n, [None, 2, 8, 8])
k_out, k_mid, k_in = sch.split(k, [None, 2, 16])
sch.reorder(block_m, block_n, k_out, warp_m, warp_n, k_mid, frag_m, frag_n, m_in, n_in, k_in)
sch.reverse_compute_at(result, block_n)
sch.compute_at(a_warp, k_out)
sch.compute_at(b_warp, k_out)
sch.compute_at(a_shared, k_out)
sch.compute_at(b_shared, k_out)

sch.bind(block_m, "blockIdx.y")
sch.bind(block_n, "blockIdx.x")

# Fragments lie one after the other.
sch.transform_layout(product, ("write", 0), lambda m, n: (m // 16, n // 8, m % 16, n % 8))
sch.transform_layout(a_warp, ("write", 0), lambda m, k: (m // 16, k // 16, m % 16, k % 16))
sch.transform_layout(b_warp, ("write", 0), lambda k, n: (k // 16, n // 8, k % 16, n % 8))
sch.storage_align(a_shared, 0, -2, 32, 8)
sch.storage_align(b_shared, 0, -2, 128, 8)

sch.software_pipeline(k_out, stage=[0, 3, 0, 3, 4], order=[0, 3, 1, 4, 2])
sch.unroll(k_mid)
zero = sch.decompose_reduction(product, k_out)
sch.tensorize(m_in, "mma.m16n8k16_f16")
zero_loops = sch.get_loops(zero)
sch.tensorize(zero_loops[-2], "mma.zero_f32")

row, column = sch.get_loops(a_warp)[-2:]
a_warps, a_frags, row_in = sch.split(row, [2, 4, 16])
a_steps, column_in = sch.split(column, [2, 16])
sch.reorder(a_warps, a_steps, a_frags, row_in, column_in)
sch.tensorize(row_in, "mma.load_a_k16_f16")
row, column = sch.get_loops(b_warp)[-2:]
b_steps, row_in = sch.split(row, [2, 16])
b_warps, b_pairs, tile, column_in = sch.split(column, [2, 4, 2, 8])
sch.reorder(b_warps, b_steps, b_pairs, tile, row_in, column_in)
sch.tensorize(tile, "mma.load_b_k16_f16")

row, column = sch.get_loops(result)[-2:]
row_warp, row_frag, row_in = sch.split(row, [2, 4, 16])
column_warp, column_frag, column_in = sch.split(column, [2, 8, 8])
sch.reorder(row_warp, column_warp, row_frag, column_frag, row_in, column_in)
sch.tensorize(row_in, "mma.store_f16")

for loop in [warp_m, row_warp, zero_loops[2], a_warps]:
    sch.bind(loop, "threadIdx.z")
for loop in [warp_n, column_warp, zero_loops[3], b_warps]:
    sch.bind(loop, "threadIdx.y")
for copy in [a_shared, b_shared]:
    row, column = sch.get_loops(copy)[-2:]
    again, z, y, x, lanes = sch.split(sch.fuse(row, column), [None, 2, 2, 32, 8])
    sch.bind(z, "threadIdx.z")
    sch.bind(y, "threadIdx.y")
    sch.bind(x, "threadIdx.x")
    sch.vectorize(lanes)
