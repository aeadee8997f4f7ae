"""What workloads read, what is right, and how far off an answer may be. Of NumPy alone.

Inputs have random signs, so the partial sums of n terms are about as large as the root of the sum of the terms' squares, and
n roundings of those add up to √n roundings of one (ten such deviations are 4·√n of them). That is far less than what the
worst order of the worst numbers can be off by, so that an answer in which one term is missing is found out.
"""
import math

import numpy as np

ROUNDING = 2.0 ** -24  # of float32, to nearest
EPSILON_OF_RESULT = {"float32": 0.0, "bfloat16": 2.0 ** -8, "int32": 0.0}  # beyond ROUNDING


def aligned(shape, dtype):
    """An array from the begin of a cache line on, as every framework allocates its own."""
    bytes_ = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.zeros(bytes_ + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + bytes_].view(dtype).reshape(shape)


def stored_as(type_):
    """NumPy's type of an array: bfloat16, which it does not have, is kept as its bits."""
    return np.dtype("uint16" if type_ == "bfloat16" else type_)


def values(array, type_):
    """In float64."""
    if type_ == "bfloat16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def input_types(work):
    return [work.types[min(i, 1)] for i in range(len(work.shapes()[0]))]


def inputs_of(work):
    random = np.random.default_rng(7)
    # Functions are asked where they bend; the first product of a chain gives what exp is used to.
    scale = {"softmax": [3], "layernorm": [3, 1, 1], "tanh": [3], "gelu": [3], "sigmoid": [3],
             "matmul_exp_matmul": [1, 1 / math.sqrt(work.sizes[1]), 1]}.get(work.op, [1] * 3)
    made = []
    for shape, type_, by in zip(work.shapes()[0], input_types(work), scale):
        array = aligned(shape, stored_as(type_))
        if type_ in ("uint8", "int8"):  # below 128, so that both can be read as int8
            array[...] = random.integers(0 if type_ == "uint8" else -127, 128, shape)
        else:
            numbers = (by * random.uniform(-1, 1, shape)).astype(np.float32)
            array[...] = numbers.view(np.uint32) >> 16 if type_ == "bfloat16" else numbers
        made.append(array)
    return made


def poisoned(work):
    """An array for the result that is wrong in every element."""
    array = aligned(work.shapes()[1], stored_as(work.result_type))
    array[...] = {"float32": np.nan, "bfloat16": 0x7fc0, "int32": np.iinfo(np.int32).min}[work.result_type]
    return array


def convolved(image, kernel, work):
    kh, kw, stride, pad, dilation = work.window()
    h, w = work.extents()
    padded = np.pad(image, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    total = np.zeros(work.shapes()[1])
    for i in range(kh):
        for j in range(kw):
            top, left = i * dilation, j * dilation
            window = padded[:, :, top:top + (h - 1) * stride + 1:stride, left:left + (w - 1) * stride + 1:stride]
            if work.op == "depthwise":
                total += kernel[:, i, j, None, None] * window
            else:
                flat = window.reshape(*window.shape[:2], h * w)
                total += (kernel[:, :, i, j] @ flat).reshape(total.shape)
    return total


def summed(work, v):
    """The operators that are sums of products, and nothing else."""
    if work.op in ("c2d", "depthwise"):
        return convolved(*v, work)
    if work.op == "gemm_bias_relu":
        return v[0] @ v[1] + v[2]
    return v[0].sum(1) if work.op == "reduce_sum" else v[0] @ v[1]


def terms(work):
    s = work.sizes
    if work.op == "c2d":
        return s[3] * s[5] * s[6]
    if work.op == "depthwise":
        return s[4] * s[5]
    return s[2] if work.op == "bmm" else s[1]


def roundings(n):
    return (4 * math.sqrt(n) + 16) * ROUNDING


def exponentials(x):
    """Of each row, over their sum."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def reference(work, inputs):
    """In float64: the result, and the bound of each element's error."""
    v = [values(array, type_) for array, type_ in zip(inputs, input_types(work))]
    if work.op in ("gemm", "bmm", "gemv", "c2d", "depthwise", "reduce_sum", "gemm_bias_relu"):
        exact = summed(work, v)
        size = np.sqrt(summed(work, [x * x for x in v]))
        if work.op == "gemm_bias_relu":
            exact = np.maximum(exact, 0)
        if work.result_type == "int32":
            return exact, np.zeros_like(exact)
        return exact, roundings(terms(work)) * size + EPSILON_OF_RESULT[work.result_type] * np.abs(exact)
    if work.op == "add":
        exact = v[0] + v[1]
        return exact, ROUNDING * np.abs(exact)
    if work.op == "softmax":
        exact = exponentials(v[0])
        return exact, roundings(work.sizes[1]) * exact
    if work.op == "layernorm":
        mean, deviation = v[0].mean(1, keepdims=True), np.sqrt(v[0].var(1, keepdims=True) + 1e-5)
        size = (np.abs(v[0]) + np.abs(mean)) / deviation * np.abs(v[1]) + np.abs(v[2])
        return (v[0] - mean) / deviation * v[1] + v[2], roundings(work.sizes[1]) * size
    if work.op in ("tanh", "sigmoid", "gelu"):
        # Polynomials in float32 are right to some units of the largest value that they are made for, not of each.
        erf = np.vectorize(math.erf, otypes=[np.float64])
        exact = {"tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
                 "gelu": lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))}[work.op](v[0])
        return exact, 16 * ROUNDING * np.maximum(np.abs(v[0]) if work.op == "gelu" else 1, 1)
    # Products of what a function made of products: an error of the function's argument is one of its value's, relatively.
    if work.op == "attention":
        _, seq, dim = work.sizes
        keys = v[1].transpose(0, 2, 1)
        weight = exponentials(v[0] @ keys / math.sqrt(dim))
        argument = roundings(dim) * np.sqrt((v[0] * v[0]) @ (keys * keys) / dim)
        off = weight * (2 * argument.max(2, keepdims=True) + roundings(seq))
        return weight @ v[2], off @ np.abs(v[2])
    m, k, l, n = work.sizes
    weight = np.exp(v[0] @ v[1])
    off = weight * (roundings(k) * np.sqrt((v[0] * v[0]) @ (v[1] * v[1])) + roundings(l))
    return weight @ v[2], off @ np.abs(v[2])


def agreement(answer, exact, bound):
    """Whether every element is within its bound, and the greatest error over the greatest value: none, where something is no
    number, which never agrees."""
    error = np.abs(answer.reshape(exact.shape) - exact)
    off = float(error.max() / max(np.abs(exact).max(), np.finfo(np.float64).tiny))
    return bool((error <= bound).all()), off if math.isfinite(off) else None
