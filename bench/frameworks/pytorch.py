"""The workloads by PyTorch as it is called without a compiler: what its documentation offers for each, into results that are
there where that can be said, and other orders of bytes with what it costs to get there and back."""
import math

import torch
import torch.nn.functional as F

from frameworks import pytorch_packed
from frameworks.way import Way
from references import input_types, poisoned

NAME = "PyTorch"


def version():
    libraries = [name for name, has in (("MKL", torch.backends.mkl.is_available()), ("oneDNN", torch.backends.mkldnn.is_available())) if has]
    return f"PyTorch {torch.__version__} ({', '.join(libraries) or 'without MKL and oneDNN'})"


def tensor_of(array, type_):
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if type_ == "bfloat16" else tensor


def array_of(tensor):
    tensor = tensor.contiguous()
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def products(work, a, b):
    writing = {"matmul": lambda out: torch.matmul(a, b, out=out)}
    returning = {}
    if work.op == "bmm":
        writing["bmm"] = lambda out: torch.bmm(a, b, out=out)
    elif work.op == "gemv":
        writing["mv"] = lambda out: torch.mv(a, b, out=out)
    else:
        returning["linear"] = lambda: F.linear(a, b.t())
        if work.sizes[0] == 1:
            writing["mv"] = lambda out: torch.mv(b.t(), a[0], out=out[0])
    return writing, returning


def integer_product(a, b):
    left = a.view(torch.int8)  # its numbers are below 128
    return {"_int_mm, int8 · int8, out": lambda out: torch._int_mm(left, b, out=out)}, {"_int_mm, int8 · int8": lambda: torch._int_mm(left, b)}


def gemm_bias_relu(a, b, bias):
    def added(out):
        torch.addmm(bias, a, b, out=out)
        torch.relu_(out)
    return {"addmm, relu_": added}, {"linear, relu_": lambda: torch.relu_(F.linear(a, b.t(), bias)),
                                     "linear, relu": lambda: torch.relu(F.linear(a, b.t(), bias))}


def chain(a, b, e):
    product = torch.empty(a.shape[0], b.shape[1])

    def in_place(out):
        torch.matmul(a, b, out=product)
        torch.exp_(product)
        torch.matmul(product, e, out=out)
    return {"matmul, exp_, matmul": in_place}, {"matmul, exp, matmul": lambda: torch.exp(a @ b) @ e}


def attention(q, k, v):
    keys, scale = k.transpose(1, 2), 1 / math.sqrt(q.shape[2])
    one = [x.unsqueeze(0) for x in (q, k, v)]
    none = torch.zeros(1)

    def unfused(out):
        torch.bmm(torch.softmax(torch.baddbmm(none, q, keys, beta=0, alpha=scale), 2), v, out=out)
    return {"baddbmm, softmax, bmm": unfused}, {
        "scaled_dot_product_attention": lambda: F.scaled_dot_product_attention(*one)[0],
        "matmul, softmax, matmul": lambda: torch.softmax(q @ keys * scale, 2) @ v}


def convolution(work, image, kernel):
    groups = 1
    if work.op == "depthwise":
        groups, kernel = work.sizes[3], kernel.unsqueeze(1)
    _, _, stride, pad, dilation = work.window()

    def conv2d(x, w):
        return F.conv2d(x, w, stride=stride, padding=pad, dilation=dilation, groups=groups)

    def channels_last():
        last = torch.channels_last
        return conv2d(image.contiguous(memory_format=last), kernel.contiguous(memory_format=last)).contiguous()
    return {}, {"conv2d": lambda: conv2d(image, kernel),
                "conv2d, channels_last, there and back": channels_last,
                "conv2d, mkldnn's tensors, there and back": lambda: conv2d(image.to_mkldnn(), kernel.to_mkldnn()).to_dense()}


def rows_and_elements(work, x, *more):
    """What writes its result, and what returns one."""
    if work.op == "layernorm":
        statistics = torch.empty(x.shape[0], 1), torch.empty(x.shape[0], 1)
        return {"native_layer_norm": lambda out: torch.ops.aten.native_layer_norm.out(
            x, x.shape[1:], *more, 1e-5, out0=out, out1=statistics[0], out2=statistics[1])}, {
            "layer_norm": lambda: F.layer_norm(x, x.shape[1:], *more, 1e-5)}
    return {
        "softmax": lambda: ({"softmax, out": lambda out: torch.softmax(x, 1, out=out)}, {"softmax": lambda: torch.softmax(x, 1)}),
        "reduce_sum": lambda: ({"sum, out": lambda out: torch.sum(x, 1, out=out)}, {"sum": lambda: torch.sum(x, 1)}),
        "add": lambda: ({"add, out": lambda out: torch.add(x, *more, out=out)}, {"add": lambda: torch.add(x, *more)}),
        "tanh": lambda: ({"tanh, out": lambda out: torch.tanh(x, out=out)}, {"tanh": lambda: torch.tanh(x)}),
        "gelu": lambda: ({"gelu, out": lambda out: torch.ops.aten.gelu.out(x, out=out)}, {"gelu": lambda: F.gelu(x)}),
        "sigmoid": lambda: ({"sigmoid, out": lambda out: torch.sigmoid(x, out=out)}, {"sigmoid": lambda: torch.sigmoid(x)}),
    }[work.op]()


def functions(work, tensors):
    """By name: those that are told where their result goes, and those that return one."""
    if work.types == ("uint8", "int8"):
        return integer_product(*tensors)
    if work.op in ("gemm", "bmm", "gemv"):
        return products(work, *tensors)
    if work.op in ("c2d", "depthwise"):
        return convolution(work, *tensors)
    whole = {"gemm_bias_relu": gemm_bias_relu, "matmul_exp_matmul": chain, "attention": attention}
    return whole[work.op](*tensors) if work.op in whole else rows_and_elements(work, *tensors)


def writes(work, function):
    array = poisoned(work)
    out = tensor_of(array, work.result_type)
    return Way(lambda: function(out), lambda: array)


def returns(function, is_packed=False):
    kept = {}

    def call():
        kept["result"] = function()
    return Way(call, lambda: array_of(kept["result"]), is_packed)


def ways(work, inputs, threads, prepacked):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    tensors = [tensor_of(array, type_) for array, type_ in zip(inputs, input_types(work))]
    writing, returning = functions(work, tensors)
    all_ = {label: lambda f=f: writes(work, f) for label, f in writing.items()}
    all_ |= {label: lambda f=f: returns(f) for label, f in returning.items()}
    if prepacked:
        all_ |= pytorch_packed.ways(work, tensors, returns)
    return all_
