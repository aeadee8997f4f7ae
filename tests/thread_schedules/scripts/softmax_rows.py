# softmax as dlight's GeneralReduction writes it: a row a block, all stages under it in shared memory, each by the same 32
# threads; what they reduce they combine.
sch.compute_inline(sch.get_block("softmax_scale"))
out = sch.get_block("softmax")
row, column = sch.get_loops(out)
rounds, thread = sch.split(column, [None, 32])
sch.reorder(row, thread, rounds)
sch.bind(row, "blockIdx.x")
sch.bind(thread, "threadIdx.x")
for name in ["softmax_sum", "softmax_exp", "softmax_max"]:
    stage = sch.get_block(name)
    sch.compute_at(stage, row, preserve_unit_loops=True)
    sch.set_scope(stage, 0, "shared")
    rounds, thread = sch.split(sch.get_loops(stage)[-1], [None, 32])
    sch.reorder(thread, rounds)
    sch.bind(thread, "threadIdx.x")
