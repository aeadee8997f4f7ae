# A product whose copies to shared memory are fused, spread over all threads and four lanes: 12 columns of A and rows of
# B at a time, so that neither threads nor lanes end where a copy does, and at most sizes tiles hang over the arrays.
threads_y, threads_x, rows, columns, depth, lanes = 8, 8, 4, 4, 12, 4
product = sch.get_block("C")
result = sch.cache_write(product, 0, "local")
m, n, k = sch.get_loops(product)
block_y, thread_y, m_in = sch.split(m, [None, threads_y, rows])
block_x, thread_x, n_in = sch.split(n, [None, threads_x, columns])
k_out, k_in = sch.split(k, [None, depth])
sch.reorder(block_y, block_x, k_out, thread_y, thread_x, k_in, m_in, n_in)
sch.reverse_compute_at(result, block_x, preserve_unit_loops=True)
a = sch.cache_read(product, 0, "shared")
b = sch.cache_read(product, 1, "shared")
sch.compute_at(a, k_out, preserve_unit_loops=True)
sch.compute_at(b, k_out, preserve_unit_loops=True)
zero = sch.decompose_reduction(product, k_out)
sch.bind(block_y, "blockIdx.y")
sch.bind(block_x, "blockIdx.x")
sch.bind(thread_y, "threadIdx.y")
sch.bind(thread_x, "threadIdx.x")
zero_y, zero_x = sch.get_loops(zero)[2:4]
sch.bind(zero_y, "threadIdx.y")
sch.bind(zero_x, "threadIdx.x")

a_row, a_column = sch.get_loops(a)[3:5]
a_all = sch.fuse(a_row, a_column)
a_again, a_y, a_x, a_lanes = sch.split(a_all, [None, threads_y, threads_x, lanes])
sch.bind(a_y, "threadIdx.y")
sch.bind(a_x, "threadIdx.x")
sch.vectorize(a_lanes)
b_row, b_column = sch.get_loops(b)[3:5]
b_all = sch.fuse(b_row, b_column)
b_again, b_y, b_x, b_lanes = sch.split(b_all, [None, threads_y, threads_x, lanes])
sch.bind(b_y, "threadIdx.y")
sch.bind(b_x, "threadIdx.x")
sch.vectorize(b_lanes)

row, column = sch.get_loops(result)[2:4]
row_y, row_in = sch.split(row, [threads_y, rows])
column_x, column_in = sch.split(column, [threads_x, columns])
sch.reorder(row_y, column_x, row_in, column_in)
sch.bind(row_y, "threadIdx.y")
sch.bind(column_x, "threadIdx.x")
