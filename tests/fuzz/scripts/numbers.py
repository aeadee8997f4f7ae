def apply_schedule(sch):
    n = 7 // 2 + -3 % 2 - 1
    m = max(n, len([1, 2.5, None, True])) * min(2, 3)
    for i, x in enumerate(reversed(range(m, 0, -2))):
        n += x * i
    i, j, k = sch.get_loops(sch.get_block("C"))
    i0, i1 = sch.split(i, factors=[None, n % 4 + 1])
    sch.annotate(i1, "count", n)
    sch.unroll(i1)
    sch.transform_layout(sch.get_block("C"), ("write", 0), lambda a, b: (b // m, a, b % m))
