# A product of bytes on Heron's third machine, the VTA, by hand: `ardea space` opens what it samples. Without --schedule rules
# make a larger space (ardea/rules/scratchpad). vta_gemm_int8.py differs in how sums leave; scripts cannot ask, so it is a second one.
#   ardea space gemm 64,64,64 --in int8,int8 --schedule examples/vta_gemm.py --target vta-out32 --show
#   ardea space gemm 5,33,47 --in int8,int8 --schedule examples/vta_gemm.py --target vta-out32 --sample 30 --check
c = sch.get_block("C")
# The machine multiplies whole tiles: 1 x 16 bytes by 16 x 16, which the host pads and, of B, packs.
sch.pad_einsum(c, [1, 16, 16])
sch.transform_layout(c, "B_pad", lambda k, n: (n // 16, k // 16, n % 16, k % 16))
store = sch.cache_write(c, 0, "vta.acc")
inp = sch.cache_read(c, 0, "vta.inp")
wgt = sch.cache_read(c, 1, "vta.wgt")
m, n, k = sch.get_loops(c)
n_tiles, n_in_tile = sch.split(n, [None, 16])
k_tiles, k_in_tile = sch.split(k, [None, 16])
# Sums of m1 x (threads * n1) tiles stay on the machine; each step along k brings k1 tiles of both operands. Virtual
# threads have the same rows and columns of their own: while one multiplies, the weights of the other arrive. No scratchpad
# holds more than 2048 tiles.
m0, m1 = sch.sample_perfect_tile(m, 2, 2048)
n0, threads, n1 = sch.sample_perfect_tile(n_tiles, 3, 2048)
k0, k1 = sch.sample_perfect_tile(k_tiles, 2, 2048)
m_outer, m_inner = sch.split(m, [m0, m1])
n_outer, thread, n_inner = sch.split(n_tiles, [n0, threads, n1])
k_outer, k_inner = sch.split(k_tiles, [k0, k1])
sch.reorder(m_outer, n_outer, k_outer, thread, m_inner, n_inner, k_inner, n_in_tile, k_in_tile)
sch.bind(thread, "vthread")
sch.reverse_compute_at(store, n_outer)
sch.compute_at(inp, k_outer)
sch.compute_at(wgt, thread)
zero = sch.decompose_reduction(c, k_outer)
# What is left inside is an instruction each.
sch.tensorize(n_in_tile, "vta.gemm")
sch.tensorize(sch.get_loops(zero)[-1], "vta.reset")
sch.tensorize(sch.get_loops(wgt)[-2], "vta.load_wgt")
row, tile = sch.split(sch.get_loops(inp)[-1], [None, 16])
sch.tensorize(tile, "vta.load_inp")
row, tile = sch.split(sch.get_loops(store)[-1], [None, 16])
sch.tensorize(tile, "vta.store_i32")
