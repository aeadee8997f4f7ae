# A product on a GPU: blocks of 16 x 16 threads make tiles of 64 x 64, each thread 4 x 4 of one in its registers. All
# of a block copy 16 columns of A and rows of B to shared memory, four elements a thread at once, and then add up. Its
# sizes are multiples of 64.
#   ardea show gemm 256,256,256 --schedule examples/gemm_threads.py --target h200 --align 16 --as cuda
product = sch.get_block("C")
result = sch.cache_write(product, 0, "local")
m, n, k = sch.get_loops(product)
block_y, thread_y, m_in = sch.split(m, [None, 16, 4])
block_x, thread_x, n_in = sch.split(n, [None, 16, 4])
k_out, k_in = sch.split(k, [None, 16])
sch.reorder(block_y, block_x, k_out, thread_y, thread_x, k_in, m_in, n_in)
sch.reverse_compute_at(result, block_x)
a = sch.cache_read(product, 0, "shared")
b = sch.cache_read(product, 1, "shared")
sch.compute_at(a, k_out)
sch.compute_at(b, k_out)
zero = sch.decompose_reduction(product, k_out)
sch.bind(block_y, "blockIdx.y")
sch.bind(block_x, "blockIdx.x")
sch.bind(thread_y, "threadIdx.y")
sch.bind(thread_x, "threadIdx.x")

# The same threads begin with zeros, copy and store.
zero_y, zero_x = sch.get_loops(zero)[2:4]
sch.bind(zero_y, "threadIdx.y")
sch.bind(zero_x, "threadIdx.x")
a_row, a_column = sch.get_loops(a)[3:5]
a_all = sch.fuse(a_row, a_column)
a_again, a_y, a_x, a_lanes = sch.split(a_all, [None, 16, 16, 4])
sch.bind(a_y, "threadIdx.y")
sch.bind(a_x, "threadIdx.x")
sch.vectorize(a_lanes)
b_row, b_column = sch.get_loops(b)[3:5]
b_all = sch.fuse(b_row, b_column)
b_again, b_y, b_x, b_lanes = sch.split(b_all, [None, 16, 16, 4])
sch.bind(b_y, "threadIdx.y")
sch.bind(b_x, "threadIdx.x")
sch.vectorize(b_lanes)
row, column = sch.get_loops(result)[2:4]
row_y, row_in = sch.split(row, [16, 4])
column_x, column_lanes = sch.split(column, [16, 4])
sch.reorder(row_y, column_x, row_in, column_lanes)
sch.bind(row_y, "threadIdx.y")
sch.bind(column_x, "threadIdx.x")
sch.vectorize(column_lanes)
