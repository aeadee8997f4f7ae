# A product on a GPU, with its tiles left open: `ardea tune` searches them.
#   ardea space gemm 256,256,256 --schedule examples/gemm_gpu_template.py --target h200 --show
#   ardea tune gemm 256,256,256 --schedule examples/gemm_gpu_template.py --target h200
product = sch.get_block("C")
result = sch.cache_write(product, 0, "local")
m, n, k = sch.get_loops(product)
block_y, thread_y, m_in = cfg.define_split("rows", m, 3, most_innermost=8)
block_x, thread_x, n_in = cfg.define_split("columns", n, 3, most_innermost=8)
k_out, k_in = cfg.define_split("steps", k, 2, most_innermost=16)
rows, columns = cfg.factors("rows"), cfg.factors("columns")
cfg.require(rows[1] * columns[1] <= 256, "a block has at most 256 threads")
cfg.require(rows[2] * columns[2] <= 64, "a thread's sums stay in its registers")
sch.reorder(block_y, block_x, thread_y, thread_x, k_out, k_in, m_in, n_in)
sch.reverse_compute_at(result, thread_x)
sch.bind(block_y, "blockIdx.y")
sch.bind(block_x, "blockIdx.x")
sch.bind(thread_y, "threadIdx.y")
sch.bind(thread_x, "threadIdx.x")
