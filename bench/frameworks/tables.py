"""Results as docs/benchmarks.md and README.md have them: a row for each workload, and a row for each family."""
import math

from workloads import workload_of

COLUMNS = ("PyTorch", "onnxruntime", "NumPy")
# What a row is called, and which part of it a workload belongs to, if any. Parts have little in common: where the name leaves
# room for them, every number is told.
FAMILIES = [
    ("products, float32", lambda w: w.op in ("gemm", "bmm") and w.is_float32 and not is_with_a_vector(w)),
    ("products with a vector", lambda w: w.is_float32 and is_with_a_vector(w)),
    ("products of {}", lambda w: None if w.is_float32 else w.types_text.replace(",", " · ")),
    ("convolutions, channels first", lambda w: w.op == "c2d"),
    ("depthwise", lambda w: w.op == "depthwise"),
    ("softmax, layernorm, sums of rows", lambda w: w.op in ("softmax", "layernorm", "reduce_sum")),
    ("{}", lambda w: {"matmul_exp_matmul": "a chain of products"}.get(w.op, w.op)
     if w.op in ("gemm_bias_relu", "matmul_exp_matmul", "attention") else None),
    ("{}", lambda w: w.op if w.op in ("add", "tanh", "gelu", "sigmoid") else None),
]


def is_with_a_vector(work):
    return work.op == "gemv" or (work.op == "gemm" and 1 in (work.sizes[0], work.sizes[2]))


def off_by(contender):
    """Of a wrong answer."""
    error = contender["error"]
    return "not a number somewhere" if error is None else f"off by {error:.1e} of the greatest value"


def number(x):
    return f"{x:.2f}" if x >= 0.1 else f"{x:.2g}"


def with_interval(ratio):
    return f"{number(ratio[0])} [{number(ratio[1])}, {number(ratio[2])}]"


def programs_of(result):
    """Ardea's own, by name."""
    return {c["name"]: c for c in result["contenders"] if c["framework"] == "Ardea" and "over" in c}


def fastest(result, over, framework=None, packed=False):
    """Of the ways that answer right and pack when they are called, or ahead of the calls."""
    ways = [c for c in result["contenders"] if over in c.get("over", {}) and c["agrees"] and c["framework"] != "Ardea"
            and c["packed"] == packed and framework in (None, c["framework"])]
    return min(ways, key=lambda c: c["over"][over][0]) if ways else None


def cell(result, framework):
    default = fastest(result, "ardea", framework)
    tuned = fastest(result, "ardea, tuned", framework)
    if default is None:
        return "—"
    if tuned is None:
        return with_interval(default["over"]["ardea"])
    return f"{number(default['over']['ardea'][0])}; {with_interval(tuned['over']['ardea, tuned'])}"


def packed_cell(result):
    """Weights packed ahead by both; by Ardea's default or tuned program, where it packs none, by the others alone."""
    ours = [c for c in programs_of(result).values() if c["agrees"] and c["packed"]]
    base = min(ours, key=lambda c: c["median_us"])["name"] if ours else "ardea"
    other = fastest(result, base, packed=True)
    if other is None:
        return "—"
    return f"{with_interval(other['over'][base])} {other['framework']}" + ("" if ours else ", not Ardea's")


def shares(result, over):
    way = fastest(result, over)
    return way["over"][over][0] if way else None


def told(values):
    """One number, or the geometric mean with the ends, as many as there are."""
    if not values:
        return "—"
    mean = number(math.exp(sum(map(math.log, values)) / len(values)))
    if len(values) == 1:
        return mean
    if len(values) == 2:
        return f"{mean} ({', '.join(number(v) for v in sorted(values))})"
    return f"{mean} ({number(min(values))} to {number(max(values))})"


def each_told(parts, over):
    values = [[shares(result, over) for _, result in members] for members in parts.values()]
    return "; ".join(", ".join("—" if v is None else number(v) for v in part) for part in values)


def part_name(name, members):
    """With the sizes, where there are several."""
    return name if len(members) == 1 else f"{name} {', '.join(work.sizes_text() for work, _ in members)}"


def family_rows(results, programs):
    for name, part_of in FAMILIES:
        parts = {}
        for result in results:
            work = workload_of(result["workload"])
            if part_of(work):
                parts.setdefault(part_of(work), []).append((work, result))
        members = [result for part in parts.values() for _, result in part]
        if not members:
            continue
        if "{}" in name:
            names = "; ".join(part_name(part, of) for part, of in parts.items())
            columns = [each_told(parts, over) for over in programs]
        else:
            names = ""
            columns = [told([v for v in (shares(r, over) for r in members) if v is not None]) for over in programs]
        yield [name.format(names), str(len(members)), *columns]


def lines_of(head, rows):
    ruler = ["---"] * len(head)
    return ["| " + " | ".join(row) + " |" for row in (head, ruler, *rows)]


def left_out(results):
    """A line for each that did not take part, and how often that was."""
    workloads = {}
    for r in results:
        for o in r["left_out"]:
            who = ", ".join(filter(None, [o["framework"], o["way"]]))
            workloads.setdefault(f"{who}: {o['why']}", []).append(r["workload"])
    return [f"- {text} ({of[0] if len(of) == 1 else f'{len(of)} workloads'})" for text, of in workloads.items()]


def page(results, about):
    """The whole of table.md. `about`: the sentences before the tables."""
    tuned = any("ardea, tuned" in programs_of(r) for r in results)
    packed = any(c["packed"] for r in results for c in r["contenders"])
    head = ["work", "GFLOP/s, default", *COLUMNS] + ["weights packed ahead"] * packed
    rows = []
    for r in results:
        row = [workload_of(r["workload"]).title(), f"{programs_of(r)['ardea']['Gop_per_s']:.4g}", *(cell(r, name) for name in COLUMNS)]
        rows.append(row + [packed_cell(r)] * packed)
    trials = sorted({r["trials"] for r in results if r.get("trials")})
    programs = {"ardea": "default points, nothing tuned"}
    if tuned:
        programs["ardea, tuned"] = f"tuned, {', '.join(map(str, trials))} trials each"
    families = lines_of(["family", "shapes", *programs.values()], family_rows(results, programs))
    wrong = [f"- {r['workload']}: {c['name']} is {off_by(c)}"
             for r in results for c in r["contenders"] if not c["agrees"]]
    absent = left_out(results)
    parts = ["# Ardea beside PyTorch, onnxruntime and NumPy", "", *about, "", *lines_of(head, rows), "",
             "The fastest framework's time over Ardea's: geometric mean, least and most of the shapes.", "", *families]
    for title, entries in (("Wrong answers", wrong), ("Left out", absent)):
        if entries:
            parts += ["", f"{title}:", "", *entries]
    return "\n".join(parts) + "\n"
