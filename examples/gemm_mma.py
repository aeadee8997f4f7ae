# A product of float16 matrices on tensor cores: a block of 2 x 4 warps makes a tile of 128 x 256, each warp 64 x 64 of
# it as 4 x 8 fragments of 16 x 8 sums. Panels of A and B, 64 deep, are under way to shared memory while earlier ones are
# multiplied, and fragments to registers while the step of 16 before is; rows are padded so that eight of them lie in
# different banks. Its sizes are multiples of 128, 64 and 256.
#   ardea show gemm 1024,1024,1024 --in float16 --out float16 --schedule examples/gemm_mma.py --target h200 --align 16 --as cuda
warps_m, warps_n = 2, 4  # of a block
frags_m, frags_n = 4, 8  # of a warp
depth = 16               # of an instruction
steps = 4                # of so much in a panel, at least two
ahead = 2                # panels under way to shared memory
product = sch.get_block("C_acc")
result = sch.get_block("C")
sch.set_scope(product, 0, "mma.c")
shared = [sch.cache_read(product, 0, "shared"), sch.cache_read(product, 1, "shared")]

m, n, k = sch.get_loops(product)
block_m, warp_m, frag_m, m_in = sch.split(m, [None, warps_m, frags_m, 16])
block_n, warp_n, frag_n, n_in = sch.split(n, [None, warps_n, frags_n, 8])
k_panel, k_step, k_in = sch.split(k, [None, steps, depth])
sch.reorder(block_m, block_n, k_panel, k_step, warp_m, warp_n, frag_m, frag_n, m_in, n_in, k_in)
sch.reverse_compute_at(result, block_n)
sch.bind(block_m, "blockIdx.y")
sch.bind(block_n, "blockIdx.x")
for copy, row in [[shared[0], steps * depth], [shared[1], warps_n * frags_n * 8]]:
    sch.compute_at(copy, k_panel)
    sch.storage_align(copy, 0, -2, row, 8)
    again, z, y, x, lanes = sch.split(sch.fuse(*sch.get_loops(copy)[-2:]), [None, warps_m, warps_n, 32, 8])
    sch.bind(z, "threadIdx.z")
    sch.bind(y, "threadIdx.y")
    sch.bind(x, "threadIdx.x")
    sch.vectorize(lanes)

# Fragments lie one after the other, in memory and in what instructions work on.
sch.transform_layout(product, ("write", 0), lambda m, n: (m // 16, n // 8, m % 16, n % 8))
zero = sch.decompose_reduction(product, k_panel)
z, y = sch.get_loops(zero)[2:4]
sch.tensorize(sch.get_loops(zero)[-2], "mma.zero_f32")
row, column = sch.get_loops(result)[-2:]
row_warp, row_frag, row_in = sch.split(row, [warps_m, frags_m, 16])
column_warp, column_frag, column_in = sch.split(column, [warps_n, frags_n, 8])
sch.reorder(row_warp, column_warp, row_frag, column_frag, row_in, column_in)
sch.tensorize(row_in, "mma.store_f16")
zs, ys = [z, row_warp], [y, column_warp]

# Each step is a statement of the panel's loop, and so are the loads of its fragments.
sch.loop_partition(k_step, range(1, steps))
for step in sch.get_child_blocks(sch.get_block("root"))[3:3 + steps]:
    a = sch.cache_read(step, 1, "mma.a", [step])
    b = sch.cache_read(step, 2, "mma.b", [step])
    sch.transform_layout(a, ("write", 0), lambda m, k: (m // 16, k // depth, m % 16, k % depth))
    sch.transform_layout(b, ("write", 0), lambda k, n: (k // depth, n // 8, k % depth, n % 8))
    row, column = sch.get_loops(a)[-2:]
    warp, frag, row_in = sch.split(row, [warps_m, frags_m, 16])
    sch.tensorize(row_in, "mma.load_a_k16_f16")
    zs += [warp]
    row, column = sch.get_loops(b)[-2:]
    warp, pair, tile, column_in = sch.split(column, [warps_n, frags_n // 2, 2, 8])
    sch.reorder(warp, pair, tile, row, column_in)
    sch.tensorize(tile, "mma.load_b_k16_f16")
    ys += [warp]
    *outer, warp_m, warp_n, frag_m, frag_n, m_in, n_in, k_in = sch.get_loops(step)
    sch.tensorize(m_in, "mma.m16n8k16_f16")
    zs += [warp_m]
    ys += [warp_n]
for loop in zs:
    sch.bind(loop, "threadIdx.z")
for loop in ys:
    sch.bind(loop, "threadIdx.y")

# Before each product the loads of the step behind it, before the last one those of the next panel's first step; copies
# behind the first loads. One barrier a panel is left, behind all of it.
stage = [0, 0, ahead, ahead, ahead + 1]
order = [2, 3, 3 * steps - 1, 3 * steps, 4, 0, 1, 7]
for step in range(1, steps):
    stage += [ahead + 1, ahead + 1, ahead + 1]
for step in range(2, steps):
    order += [3 * step - 1, 3 * step, 3 * step + 4]
sch.software_pipeline(k_panel, stage=stage, order=order)
