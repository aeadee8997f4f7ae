#!/usr/bin/env python3
"""Workloads by chance, as a set for `ardea bench --set random --workloads FILE`: what a fixed list of shapes never shows.

usage: bench/random_workloads.py [--count N] [--seed S] [OP …] > FILE      OP: gemm, gemm_bias_relu, c2d, softmax, layernorm
Sizes are powers of two, layers of common networks, primes and ones alike; each workload takes a core up to some ms.
"""
import argparse
import json
import random
import sys

SIZES = [1, 2, 3, 4, 7, 8, 12, 13, 16, 24, 31, 32, 48, 64, 96, 100, 127, 128, 196, 200, 256, 300, 384, 499, 500, 512, 768,
         1000, 1024, 1536, 2048, 3000, 3072, 4096]


def product(rng):
    m, k, n = (rng.choice(SIZES) for _ in range(3))
    return [m, k, n], 2 * m * k * n, 4 * (m * k + k * n + m * n)


def convolution(rng):
    size, stride, batch = rng.choice([7, 9, 13, 14, 19, 28, 35, 56, 112]), rng.choice([1, 1, 2]), rng.choice([1, 1, 2])
    inputs, outputs = rng.choice([3, 16, 24, 32, 48, 64, 96, 128, 256, 512]), rng.choice([16, 24, 32, 48, 64, 96, 128, 256, 512])
    kernel = rng.choice([1, 1, 3, 3, 3, 5, 7])
    pad = kernel // 2
    out = (size + 2 * pad - kernel) // stride + 1
    flops = 2 * batch * out * out * inputs * outputs * kernel * kernel
    memory = 4 * (batch * size * size * inputs + inputs * outputs * kernel * kernel + batch * out * out * outputs)
    return [batch, size, size, inputs, outputs, kernel, kernel, stride, pad, 1], flops, memory


def rows(rng):
    m, n = rng.choice(SIZES), rng.choice(SIZES)
    return [m, n], 64 * m * n, 8 * m * n


MAKERS = {"gemm": product, "gemm_bias_relu": product, "c2d": convolution, "softmax": rows, "layernorm": rows}
LEAST_FLOPS, MOST_FLOPS, MOST_BYTES = 4e5, 8e8, 1e8


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ops", nargs="*", metavar="OP")
    parser.add_argument("--count", type=int, default=60, help="of each operator")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for op in arguments.ops:
        if op not in MAKERS:
            parser.error(f"nothing is drawn for {op}; it knows {', '.join(MAKERS)}")
    rng = random.Random(arguments.seed)
    drawn = {}
    for op in arguments.ops or ["gemm"]:
        drawn[op] = []
        while len(drawn[op]) < arguments.count:
            sizes, flops, memory = MAKERS[op](rng)
            if LEAST_FLOPS < flops < MOST_FLOPS and memory < MOST_BYTES and sizes not in drawn[op]:
                drawn[op].append(sizes)
    json.dump({"random": drawn}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
