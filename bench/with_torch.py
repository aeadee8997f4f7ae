#!/usr/bin/env python3
"""with_torch.py FOLDER [--rounds N] [--threads N]: a matrix product compiled by Ardea against PyTorch's, in turn.

FOLDER is what `ardea compile gemm M,K,N [--in bfloat16 | --in uint8,int8] -o FOLDER` wrote: the shared library is
loaded and its manifest says the types and shapes. Both contenders read the same tensors; each round calls each once
(several times where a call is short), the order rotates. Prints one JSON object: medians, the median of the per-round
ratios (PyTorch's time over Ardea's) with its 95 % interval, and whether the answers agree with float64.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import time

from ardea_library import Library, interval


def tensor_of(torch, parameter):
    """A tensor of that type and shape: random, and small where it is of integers."""
    dtype = getattr(torch, parameter["type"])
    shape = parameter["shape"]
    if parameter["role"] != "input":
        return torch.zeros(shape, dtype=dtype)
    if dtype.is_floating_point:
        return (torch.rand(shape, dtype=torch.float32) * 2 - 1).to(dtype)
    return torch.randint(0 if parameter["type"].startswith("u") else -8, 8, shape, dtype=dtype)


def torch_products(torch, a, b, c):
    """PyTorch's ways to compute it, by name, each writing its answer to where it is told."""
    if a.dtype.is_floating_point:
        out = torch.empty_like(c)
        return {"torch.matmul": (lambda: torch.matmul(a, b, out=out), lambda: out)}
    ways, result = {}, {}
    if a.dtype == torch.int8 and b.dtype == torch.int8 and hasattr(torch, "_int_mm"):
        def int_mm():
            result["c"] = torch._int_mm(a, b)
        ways["torch._int_mm"] = (int_mm, lambda: result["c"])
    if a.dtype == torch.uint8 and b.dtype == torch.int8:
        # The library's way for uint8 activations and int8 weights: packed ahead of time, and so labelled. The answer is
        # requantised: what it computes is not comparable in every digit.
        try:
            weight = torch._make_per_tensor_quantized_tensor(b.t().contiguous(), 1.0, 0)
            packed = torch.ops.quantized.linear_prepack(weight, None)
            x = torch._make_per_tensor_quantized_tensor(a, 1.0, 0)
            scale = float(a.shape[1])

            def linear():
                result["q"] = torch.ops.quantized.linear(x, packed, scale, 128)
            linear()
            ways["torch.ops.quantized.linear, prepacked, requantised"] = (linear, None)
        except (RuntimeError, AttributeError) as error:
            print(f"quantized.linear: left out, {str(error).splitlines()[0]}", file=sys.stderr)
    return ways


def agrees(torch, got, a, b):
    """Against float64, under (K + 4) roundings of the accumulator and one of the result."""
    exact = a.double() @ b.double()
    if not got.dtype.is_floating_point:
        return bool((got.double() == exact).all())
    bound = (a.shape[1] + 4) * 2.0 ** -24 * (a.double().abs() @ b.double().abs()) + exact.abs() * torch.finfo(got.dtype).eps
    return bool(((got.double() - exact).abs() <= bound).all())


def seconds_of(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    os.environ["ARDEA_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(options.threads)
    try:
        import torch
    except ImportError:
        sys.exit("with_torch.py needs PyTorch in this Python")
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)

    library = Library(options.folder, 3)
    function = library.function
    a, b, c = (tensor_of(torch, p) for p in function["parameters"])
    addresses = [t.data_ptr() for t in (a, b, c)]
    calls, answers = {"ardea": lambda: library(*addresses)}, {"ardea": lambda: c}
    for name, (call, answer) in torch_products(torch, a, b, c).items():
        calls[name], answers[name] = call, answer
    if len(calls) == 1:
        sys.exit(f"PyTorch has no product of {a.dtype} and {b.dtype} on this machine")
    names = list(calls)
    with torch.inference_mode():
        estimates = [min(seconds_of(call, 1) for _ in range(3)) for call in calls.values()]
        count = max(1, math.ceil(2e-4 / min(estimates)))
        times = {name: [] for name in names}
        for r in range(options.rounds):
            for turn in range(len(names)):
                name = names[(r + turn) % len(names)]
                calls[name]()
                times[name].append(seconds_of(calls[name], count))
    result = {"torch": torch.__version__, "types": [p["type"] for p in function["parameters"]],
              "m_k_n": [a.shape[0], a.shape[1], b.shape[1]], "threads": options.threads, "rounds": options.rounds,
              "calls_per_turn": count, "caches": "warm", "contenders": []}
    operations = 2 * a.shape[0] * a.shape[1] * b.shape[1]
    for name in names:
        ratio, low, high = interval([t / o for t, o in zip(times[name], times["ardea"])])
        entry = {"name": name, "median_us": statistics.median(times[name]) * 1e6, "min_us": min(times[name]) * 1e6,
                 "Gop_per_s": operations / min(times[name]) / 1e9, "ratio": ratio, "ratio_low": low, "ratio_high": high}
        if answers[name] is not None:
            entry["agrees"] = agrees(torch, answers[name](), a, b)
        result["contenders"].append(entry)
    print(json.dumps(result, indent=2))
    if not all(entry.get("agrees", True) for entry in result["contenders"]):
        sys.exit(1)


if __name__ == "__main__":
    main()
