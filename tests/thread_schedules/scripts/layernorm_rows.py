# layernorm as dlight's GeneralReduction writes it: a row a block, mean and variance under it in shared memory, by 64
# threads that combine their parts.
for name in ["layernorm_scale", "layernorm_var", "layernorm_mean"]:
    sch.compute_inline(sch.get_block(name))
out = sch.get_block("layernorm")
row, column = sch.get_loops(out)
rounds, thread = sch.split(column, [None, 64])
sch.reorder(row, thread, rounds)
sch.bind(row, "blockIdx.x")
sch.bind(thread, "threadIdx.x")
for name in ["layernorm_var_acc", "layernorm_mean_acc"]:
    stage = sch.get_block(name)
    sch.compute_at(stage, row, preserve_unit_loops=True)
    sch.set_scope(stage, 0, "shared")
    rounds, thread = sch.split(sch.get_loops(stage)[-1], [None, 64])
    sch.reorder(thread, rounds)
    sch.bind(thread, "threadIdx.x")
