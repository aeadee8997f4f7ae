"""The workloads by NumPy: operators of whole arrays, into results that are there, and SciPy's functions where NumPy has none."""
import math

import numpy as np

from frameworks.way import Way
from references import aligned, poisoned

NAME = "NumPy"


def version():
    try:
        import scipy
        and_scipy = f", SciPy {scipy.__version__}"
    except ImportError:
        and_scipy = ""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"NumPy {np.__version__} ({blas['name']} {blas.get('version', '')}){and_scipy}"


def exponentials(x, out):
    np.subtract(x, x.max(-1, keepdims=True), out=out)
    np.exp(out, out=out)
    np.divide(out, out.sum(-1, keepdims=True), out=out)


def layernorm(x, gamma, beta, out):
    np.subtract(x, x.mean(1, keepdims=True), out=out)
    out *= 1 / np.sqrt(np.einsum("ij,ij->i", out, out)[:, None] / np.float32(x.shape[1]) + np.float32(1e-5))
    out *= gamma
    out += beta


def gelu(x, out):
    from scipy.special import erf
    np.multiply(x, np.float32(math.sqrt(0.5)), out=out)
    erf(out, out=out)
    out += np.float32(1)
    out *= x
    out *= np.float32(0.5)


def sigmoid(x, out):
    np.negative(x, out=out)
    np.exp(out, out=out)
    out += np.float32(1)
    np.reciprocal(out, out=out)


def expit(x, out):
    from scipy.special import expit as function
    function(x, out=out)


def gemm_bias_relu(a, b, bias, out):
    np.matmul(a, b, out=out)
    out += bias
    np.maximum(out, 0, out=out)


def attention_by(scores):
    def attention(q, k, v, out):
        np.matmul(q, k.transpose(0, 2, 1), out=scores)
        scores.__imul__(np.float32(1 / math.sqrt(q.shape[2])))
        exponentials(scores, scores)
        np.matmul(scores, v, out=out)
    return attention


def chain_by(product):
    def chain(a, b, e, out):
        np.matmul(a, b, out=product)
        np.exp(product, out=product)
        np.matmul(product, e, out=out)
    return chain


def functions(work):
    """By what they do, of the inputs and the result."""
    s = work.sizes
    if work.op in ("gemm", "bmm", "gemv"):
        return {"matmul": lambda a, b, out: np.matmul(a, b, out=out)}
    if work.op == "attention":
        return {"matmul, exp, sum": attention_by(aligned((s[0], s[1], s[1]), np.float32))}
    if work.op == "matmul_exp_matmul":
        return {"matmul, exp, matmul": chain_by(aligned((s[0], s[2]), np.float32))}
    return {
        "gemm_bias_relu": {"matmul, add, maximum": gemm_bias_relu},
        "softmax": {"max, exp, sum": exponentials},
        "layernorm": {"mean, einsum": layernorm},
        "reduce_sum": {"sum": lambda x, out: np.sum(x, axis=1, out=out)},
        "add": {"add": lambda a, b, out: np.add(a, b, out=out)},
        "tanh": {"tanh": lambda x, out: np.tanh(x, out=out)},
        "gelu": {"scipy.special.erf": gelu},
        "sigmoid": {"exp, reciprocal": sigmoid, "scipy.special.expit": expit},
    }.get(work.op, {})


def ways(work, inputs, threads, prepacked):
    def ready(function):
        out = poisoned(work)
        return Way(lambda: function(*inputs, out), lambda: out)
    if not work.is_float32:  # its products of integers are loops without a BLAS, and it has no bfloat16
        return {}
    return {label: lambda function=function: ready(function) for label, function in functions(work).items()}
