"""The workloads by onnxruntime: models of one operator or of a few, whose operands are inputs; they and the result stay where
they are. Models whose weights are constants, which onnxruntime packs when it loads them, only where that is asked for."""
import math

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

from frameworks.way import Way
from references import input_types, poisoned
from workloads import WEIGHTS

NAME = "onnxruntime"
ELEMENTS = {"float32": TensorProto.FLOAT, "bfloat16": TensorProto.BFLOAT16, "uint8": TensorProto.UINT8, "int8": TensorProto.INT8,
            "int32": TensorProto.INT32}


def version():
    return f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}"


def node(kind, inputs, output="result", **attributes):
    return helper.make_node(kind, inputs.split(), [output], **attributes)


def nodes_of(work):
    """By name of the way: the nodes from inputs "i0", "i1", … to "result"; and shapes of inputs that differ from the operator's."""
    if work.op == "gemm" and work.types == ("uint8", "int8"):
        return {"MatMulInteger": ([node("MatMulInteger", "i0 i1")], {})}
    if work.op == "gemm":
        return {"MatMul": ([node("MatMul", "i0 i1")], {}), "Gemm": ([node("Gemm", "i0 i1")], {})}
    if work.op == "gemv":
        m, k = work.sizes
        return {"MatMul": ([node("MatMul", "i0 i1")], {}),
                "MatMul of a column": ([node("MatMul", "i0 i1")], {1: (k, 1), "result": (m, 1)}),
                "Gemm of a row": ([node("Gemm", "i1 i0", transB=1)], {1: (1, k), "result": (1, m)})}
    if work.op == "attention":
        scale = 1 / math.sqrt(work.sizes[2])
        whole = {i: (1, *work.sizes) for i in (0, 1, 2, "result")}
        return {"Attention": ([node("Attention", "i0 i1 i2", scale=scale)], whole),
                "MatMul, Softmax, MatMul": ([node("Transpose", "i1", "keys", perm=[0, 2, 1]), node("MatMul", "i0 keys", "products"),
                                             node("Constant", "", "scale", value_float=scale), node("Mul", "products scale", "scores"),
                                             node("Softmax", "scores", "weights", axis=2), node("MatMul", "weights i2")], {})}
    if work.op in ("c2d", "depthwise"):
        kh, kw, stride, pad, dilation = work.window()
        channels = work.sizes[3]
        convolution = node("Conv", "i0 i1", kernel_shape=[kh, kw], strides=[stride] * 2, pads=[pad] * 4, dilations=[dilation] * 2,
                           group=channels if work.op == "depthwise" else 1)
        return {"Conv": ([convolution], {1: (channels, 1, kh, kw)} if work.op == "depthwise" else {})}
    return {
        "bmm": {"MatMul": ([node("MatMul", "i0 i1")], {})},
        "gemm_bias_relu": {"Gemm, Relu": ([node("Gemm", "i0 i1 i2", "sum"), node("Relu", "sum")], {}),
                           "MatMul, Add, Relu": ([node("MatMul", "i0 i1", "product"), node("Add", "product i2", "sum"), node("Relu", "sum")], {})},
        "matmul_exp_matmul": {"MatMul, Exp, MatMul": ([node("MatMul", "i0 i1", "product"), node("Exp", "product", "e"), node("MatMul", "e i2")], {})},
        "softmax": {"Softmax": ([node("Softmax", "i0", axis=1)], {})},
        "layernorm": {"LayerNormalization": ([node("LayerNormalization", "i0 i1 i2", axis=1, epsilon=1e-5)], {})},
        "reduce_sum": {"ReduceSum": ([node("Constant", "", "axes", value_ints=[1]), node("ReduceSum", "i0 axes", keepdims=0)], {})},
        "add": {"Add": ([node("Add", "i0 i1")], {})},
        "tanh": {"Tanh": ([node("Tanh", "i0")], {})},
        "gelu": {"Gelu": ([node("Gelu", "i0")], {})},
        "sigmoid": {"Sigmoid": ([node("Sigmoid", "i0")], {})},
    }[work.op]


def session_of(nodes, arrays, elements, result, result_element, constants, threads):
    def declared(name, element, array):
        return helper.make_tensor_value_info(name, element, array.shape)
    graph = helper.make_graph(
        nodes, "work", [declared(f"i{i}", elements[i], a) for i, a in enumerate(arrays) if i not in constants],
        [declared("result", result_element, result)],
        [helper.make_tensor(f"i{i}", elements[i], arrays[i].shape, np.ascontiguousarray(arrays[i]).tobytes(), raw=True) for i in constants])
    # The oldest version that has the operators: what older programs of onnxruntime take, too.
    opset = 23 if any(n.op_type == "Attention" for n in nodes) else 21
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11 if opset == 23 else 10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.add_session_config_entry("session.force_spinning_stop", "1")  # when a call is over: the turn after it is another's
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def ready(work, inputs, nodes, shapes, constants, threads):
    elements = [ELEMENTS[type_] for type_ in input_types(work)]
    arrays = [array.reshape(shapes.get(i, array.shape)) for i, array in enumerate(inputs)]
    out = poisoned(work)
    result = out.reshape(shapes.get("result", out.shape))
    element = ELEMENTS[work.result_type]
    session = session_of(nodes, arrays, elements, result, element, constants, threads)
    binding = session.io_binding()
    for i, array in enumerate(arrays):
        if i not in constants:
            binding.bind_input(f"i{i}", "cpu", 0, elements[i], array.shape, array.ctypes.data)
    binding.bind_output("result", "cpu", 0, element, result.shape, result.ctypes.data)
    # Without options of the run: to read them took ten times as long as a product of 64³.
    return Way(lambda: session.run_with_iobinding(binding), lambda: out, bool(constants))


def ways(work, inputs, threads, prepacked):
    constants = {"": ()}
    if prepacked and work.op in WEIGHTS:
        constants[", weights constant"] = WEIGHTS[work.op]
    return {label + how: lambda model=model, kept=kept: ready(work, inputs, *model, kept, threads)
            for label, model in nodes_of(work).items() for how, kept in constants.items()}
