#!/usr/bin/env python3
"""with_torch_gpu.py OP SIZES FOLDER [--layout nhwc] [--rounds N]: an operator compiled by Ardea for this GPU against
PyTorch, torch.compile and, for matrix products, a Triton kernel, in turn within one run.

FOLDER is what `ardea compile OP SIZES --in float16 --out float16 --target h200 -o FOLDER` wrote, with the same layout.
Operators: gemm, bmm, gemv, c1d, c2d, dil, c3d, scan, softmax, reduce_sum, relu, transpose. Everybody reads the same arrays, in the
order of bytes that it likes best (weights of channels-last convolutions are put into PyTorch's order beforehand). A turn
is a graph of 20 calls on arrays that together are twice the second cache, after that cache was filled with others; the
time of a graph of as many empty kernels is taken off. Prints one JSON object: medians, the median of the ratios of each
round (a contender's time over Ardea's) with its 95 % interval, and whether the answers agree with float64.
"""
import argparse
import json
import pathlib
import statistics
import sys

from ardea_library import Library
from rotation import interval

LAUNCHES = 20
TRITON_PRODUCT = """
import triton
import triton.language as tl

@triton.autotune(
    configs=[triton.Config({"BM": m, "BN": n, "BK": k}, num_stages=s, num_warps=w)
             for m, n, k, s, w in ((128, 256, 64, 3, 8), (128, 128, 64, 4, 8), (128, 128, 32, 4, 4), (64, 128, 64, 4, 4),
                                   (64, 64, 64, 5, 4), (32, 64, 64, 5, 4), (32, 128, 128, 4, 4), (16, 64, 128, 5, 4))],
    key=["m", "n", "k"])
@triton.jit
def product(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch, tile = tl.program_id(1), tl.program_id(0)
    columns = tl.cdiv(n, BN)
    row = (tile // columns) * BM + tl.arange(0, BM)
    column = (tile % columns) * BN + tl.arange(0, BN)
    step = tl.arange(0, BK)
    left = a + batch * m * k + row[:, None] * k + step[None, :]
    right = b + batch * k * n + step[:, None] * n + column[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        x = tl.load(left, mask=(row[:, None] < m) & (step[None, :] < k - at), other=0.0)
        y = tl.load(right, mask=(step[:, None] < k - at) & (column[None, :] < n), other=0.0)
        total = tl.dot(x, y, total)
        left += BK
        right += BK * n
    to = c + batch * m * n + row[:, None] * n + column[None, :]
    tl.store(to, total.to(c.dtype.element_ty), mask=(row[:, None] < m) & (column[None, :] < n))
"""


class Work:
    """An operator: what it computes of the arrays as they lie for Ardea, and how PyTorch is asked for it."""

    def __init__(self, torch, op, sizes, layout):
        functional = torch.nn.functional
        self.op, self.inputs = op, 1
        self.prepare = lambda arrays: arrays  # into the order that PyTorch likes
        self.answer = lambda result: result   # into the order of Ardea's array
        if op in ("gemm", "bmm", "gemv"):
            self.inputs, self.call = 2, torch.matmul
        elif op == "scan":
            _, n, k = sizes  # of each row the sums of what stands before: no more than k numbers
            self.call = lambda x: torch.cumsum(functional.pad(x, (1, max(0, n - k - 1)))[:, :n], dim=1)
        elif op in ("c1d", "c2d", "dil", "c3d"):
            rank = {"c1d": 1, "c3d": 3}.get(op, 2)
            stride, pad, dilation = sizes[-3:]
            convolution = getattr(functional, f"conv{rank}d")
            self.inputs = 2
            self.call = lambda x, w: convolution(x, w, stride=stride, padding=pad, dilation=dilation)
            if layout.endswith("c"):
                spatial = list(range(1, rank + 1))

                def prepare(arrays):
                    x, w = arrays
                    window = [d - 1 for d in spatial]
                    last = w.permute(rank + 1, *window, rank).contiguous()  # output by output, channels innermost
                    return x.permute(0, rank + 1, *spatial), last.permute(0, rank + 1, *spatial)
                self.prepare = prepare
                self.answer = lambda y: y.permute(0, *[d + 1 for d in spatial], 1)
        elif op == "softmax":
            self.call = lambda x: torch.softmax(x, dim=-1)
        elif op == "reduce_sum":
            self.call = lambda x: torch.sum(x, dim=-1)
        elif op == "relu":
            self.call = torch.relu
        elif op == "transpose":
            self.call = lambda x: x.t().contiguous()
        else:
            sys.exit(f"{op}: this script knows gemm, bmm, gemv, c1d, c2d, dil, c3d, scan, softmax, reduce_sum, relu and transpose")

    def exact(self, arrays):
        return self.answer(self.call(*self.prepare([a.double() for a in arrays])))

    def terms(self, arrays):
        """How many numbers one result sums."""
        if self.op in ("gemm", "bmm", "gemv", "scan", "softmax", "reduce_sum"):
            return arrays[0].shape[-1]
        _, weights = self.prepare(arrays)
        return weights.numel() // weights.shape[0]

    def bound(self, torch, arrays, exact, dtype):
        """Of a right answer's error: the roundings of sums in float32, a few more of softmax, and that of the result."""
        if self.op in ("relu", "transpose"):
            return torch.zeros_like(exact)
        size = exact if self.op == "softmax" else self.answer(self.call(*self.prepare([a.double().abs() for a in arrays])))
        return (self.terms(arrays) + 16) * 2.0 ** -24 * size + torch.finfo(dtype).eps * exact.abs() + torch.finfo(dtype).tiny


def graph_of(torch, call, sets):
    for i in range(2):
        call(i % sets)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(LAUNCHES):
            call(i % sets)
    return graph


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("op")
    parser.add_argument("sizes")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--layout", default="nchw")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--only", default="torch,compile,triton", help="who has turns beside Ardea")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("with_torch_gpu.py needs PyTorch in this Python")
    if not torch.cuda.is_available():
        sys.exit("with_torch_gpu.py needs a GPU that PyTorch can use")
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    work = Work(torch, options.op, [int(size) for size in options.sizes.split(",")], options.layout)
    kernel = Library(options.folder, work.inputs + 1).kernel
    parameters = kernel.parameters

    def fresh(parameter):
        dtype = getattr(torch, parameter["type"])
        made = torch.rand(parameter["shape"], device="cuda") * 2 - 1
        return (made if parameter["role"] == "input" else torch.zeros_like(made)).to(dtype)
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    first = [fresh(p) for p in parameters]
    count = max(1, min(LAUNCHES, -(-2 * cache // sum(t.numel() * t.element_size() for t in first))))
    sets = [first] + [[fresh(p) for p in parameters] for _ in range(count - 1)]
    liked = [work.prepare(arrays[:-1]) for arrays in sets]
    answers = {}

    def keep(name, result, i):
        if i == 0:
            answers[name] = result

    def ardea(i):
        kernel(*[t.data_ptr() for t in sets[i]], torch.cuda.current_stream().cuda_stream)
        keep("ardea", sets[i][-1], i)
    calls = {"ardea": ardea}
    asked = options.only.split(",")
    if "torch" in asked:
        calls["torch"] = lambda i: keep("torch", work.answer(work.call(*liked[i])), i)
    if "compile" in asked:
        compiled = torch.compile(work.call, mode="max-autotune-no-cudagraphs")
        calls["torch.compile"] = lambda i: keep("torch.compile", work.answer(compiled(*liked[i])), i)
    if "triton" in asked and options.op in ("gemm", "bmm"):
        import importlib.util
        import tempfile
        with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as source:  # Triton reads the source again
            source.write(TRITON_PRODUCT)
        spec = importlib.util.spec_from_file_location("triton_product", source.name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        results = [torch.empty_like(arrays[-1]) for arrays in sets]

        def triton(i):
            a, b, c = *sets[i][:2], results[i]
            m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
            module.product[lambda meta: (-(-m // meta["BM"]) * -(-n // meta["BN"]), a.numel() // (m * k))](a, b, c, m, n, k)
            keep("triton", c, i)
        calls["triton"] = triton

    other = torch.empty(2 * cache, dtype=torch.uint8, device="cuda")
    one = torch.zeros(1, device="cuda")
    graphs = {name: graph_of(torch, call, count) for name, call in calls.items()}
    empty = graph_of(torch, lambda i: one.add_(1), count)

    def seconds(graph):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        other.zero_()
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3
    names = list(graphs)
    times = {name: [] for name in names}
    for name in names:
        for _ in range(10):
            seconds(graphs[name])
    for r in range(options.rounds):
        nothing = seconds(empty)
        for turn in range(len(names)):
            name = names[(r + turn) % len(names)]
            times[name].append(max(seconds(graphs[name]) - nothing, 1e-9) / LAUNCHES)
    exact = work.exact(sets[0][:-1])
    bound = work.bound(torch, sets[0][:-1], exact, sets[0][-1].dtype)
    result = {"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "workload": f"{options.op} {options.sizes}",
              "rounds": options.rounds, "calls_per_turn": LAUNCHES, "caches": "cold", "contenders": []}
    for name in names:
        ratio, low, high = interval([t / o for t, o in zip(times[name], times["ardea"])])
        result["contenders"].append({"name": name, "median_us": statistics.median(times[name]) * 1e6, "ratio": ratio,
                                     "ratio_low": low, "ratio_high": high,
                                     "agrees": bool(((answers[name].double() - exact).abs() <= bound).all())})
    print(json.dumps(result, indent=2))
    if not all(entry["agrees"] for entry in result["contenders"]):
        sys.exit(1)


if __name__ == "__main__":
    main()
