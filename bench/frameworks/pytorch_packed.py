"""Products and convolutions by PyTorch with weights that were put into MKL's or oneDNN's order before, by the operators that its
own compiler uses for weights that stay. They are not part of its interface: where a version lacks one, that way is left out."""
import torch

from frameworks.way import Way


def by_onednn(x, weight, bias, epilogue, returns):
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.t().contiguous(), x.shape[0])
    return returns(lambda: torch.ops.mkldnn._linear_pointwise(x, packed, bias, epilogue, [], ""), is_packed=True)


def by_mkl(x, weight, bias, returns):
    given = weight.t().contiguous()
    packed = torch.ops.mkl._mkl_reorder_linear_weight(given, x.shape[0])

    def product():
        result = torch.ops.mkl._mkl_linear(x, packed, given, bias, x.shape[0])
        return result if bias is None else torch.relu_(result)
    return returns(product, is_packed=True)


def convolution(work, image, kernel, returns):
    groups = 1
    if work.op == "depthwise":
        groups, kernel = work.sizes[3], kernel.unsqueeze(1)
    _, _, stride, pad, dilation = work.window()
    where = [pad] * 2, [stride] * 2, [dilation] * 2, groups
    packed = torch.ops.mkldnn._reorder_convolution_weight(kernel, *where, image.shape)
    return returns(lambda: torch.ops.mkldnn._convolution_pointwise(image, packed, None, *where, "none", [], "").contiguous(), is_packed=True)


def quantized(a, b):
    """Its way for uint8 activations and int8 weights gives uint8: the sums in steps of so much that nearly all fit."""
    spread = 8 * a.shape[1] ** 0.5 * float(a.double().square().mean().sqrt() * b.double().square().mean().sqrt())
    step = spread / 127
    weight = torch._make_per_tensor_quantized_tensor(b.t().contiguous(), 1.0, 0)
    packed = torch.ops.quantized.linear_prepack(weight, None)
    x = torch._make_per_tensor_quantized_tensor(a, 1.0, 0)
    kept = {}

    def call():
        kept["result"] = torch.ops.quantized.linear(x, packed, step, 128)
    return Way(call, lambda: kept["result"].dequantize().numpy(), is_packed=True, step=step)


def ways(work, tensors, returns):
    if work.types == ("uint8", "int8"):
        return {"quantized.linear, weights packed, requantised": lambda: quantized(*tensors)}
    if work.op in ("c2d", "depthwise"):
        return {"conv2d, oneDNN's weights": lambda: convolution(work, *tensors, returns)}
    if work.op not in ("gemm", "gemm_bias_relu"):
        return {}
    a, b, bias = (*tensors, None)[:3]
    all_ = {"linear, oneDNN's weights": lambda: by_onednn(a, b, bias, "none" if bias is None else "relu", returns)}
    if work.is_float32:
        all_["linear, MKL's weights"] = lambda: by_mkl(a, b, bias, returns)
    return all_
