# Element-wise work as dlight's fallback has it: all loops in one, cut into blocks of 256 threads.
out = sch.get_block("relu")
fused = sch.fuse(*sch.get_loops(out))
block, thread = sch.split(fused, [None, 256])
sch.bind(block, "blockIdx.x")
sch.bind(thread, "threadIdx.x")
