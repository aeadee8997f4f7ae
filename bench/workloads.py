"""What is computed: an operator of Ardea's with its sizes and types, as its command line names it, and sets of those."""
import dataclasses
import json
import math
import re

SIZES = {
    "gemm": "m,k,n", "bmm": "b,m,k,n", "gemv": "m,k", "gemm_bias_relu": "m,k,n", "matmul_exp_matmul": "m,k,l,n",
    "attention": "heads,seq,dim", "c2d": "n,h,w,ci,co,kh,kw,stride,pad,dilation", "depthwise": "n,h,w,c,kh,kw,stride,pad",
    "softmax": "m,n", "layernorm": "m,n", "reduce_sum": "m,n", "add": "m,n", "tanh": "m,n", "gelu": "m,n", "sigmoid": "m,n",
}
# Beside float32: the types of gemm's inputs, and of its result.
NARROW = {("bfloat16", "bfloat16"): "bfloat16", ("uint8", "int8"): "int32"}
# The inputs that are the same in many calls, where a model has the operator.
WEIGHTS = {"gemm": (1,), "gemm_bias_relu": (1, 2), "c2d": (1,), "depthwise": (1,)}
# What the names of sets end with, as `--in` has it.
TYPES_OF_SETS = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "u8s8s32": "uint8,int8"}


class Malformed(Exception):
    """A sentence for who wrote the workload."""


@dataclasses.dataclass(frozen=True)
class Workload:
    op: str
    sizes: tuple
    types: tuple = ("float32", "float32")  # of the first two inputs; what else there is has the first one's

    @property
    def is_float32(self):
        return self.types == ("float32", "float32")

    @property
    def result_type(self):
        return "float32" if self.is_float32 else NARROW[self.types]

    @property
    def types_text(self):
        """As `--in` takes them; nothing where it need not be said."""
        return "" if self.is_float32 else ",".join(dict.fromkeys(self.types))

    def arguments(self):
        """Of `ardea compile` and `ardea tune`."""
        return [self.op, ",".join(map(str, self.sizes))] + (["--in", self.types_text] if self.types_text else [])

    def line(self):
        return " ".join(self.arguments())

    def sizes_text(self):
        """As tables have it: extents of matrices as a product, a convolution's as they are given."""
        return (" × " if len(self.sizes) <= 4 else ",").join(map(str, self.sizes))

    def title(self):
        return " ".join(filter(None, [self.op, self.sizes_text(), self.types_text]))

    def file_name(self):
        return "_".join(re.findall("[a-z0-9]+", self.title()))

    def shapes(self):
        """Of the inputs, in the operator's order, and of the result."""
        s = self.sizes
        if self.op == "gemm":
            return [(s[0], s[1]), (s[1], s[2])], (s[0], s[2])
        if self.op == "bmm":
            return [(s[0], s[1], s[2]), (s[0], s[2], s[3])], (s[0], s[1], s[3])
        if self.op == "gemv":
            return [(s[0], s[1]), (s[1],)], (s[0],)
        if self.op == "gemm_bias_relu":
            return [(s[0], s[1]), (s[1], s[2]), (s[2],)], (s[0], s[2])
        if self.op == "matmul_exp_matmul":
            return [(s[0], s[1]), (s[1], s[2]), (s[2], s[3])], (s[0], s[3])
        if self.op == "attention":
            return [s, s, s], s
        if self.op == "c2d":
            return [(s[0], s[3], s[1], s[2]), (s[4], s[3], s[5], s[6])], (s[0], s[4], *self.extents())
        if self.op == "depthwise":
            return [(s[0], s[3], s[1], s[2]), (s[3], s[4], s[5])], (s[0], s[3], *self.extents())
        if self.op == "layernorm":
            return [s, s[1:], s[1:]], s
        if self.op == "add":
            return [s, s], s
        return [s], s[:1] if self.op == "reduce_sum" else s

    def window(self):
        """Of a convolution: kh, kw, stride, pad, dilation."""
        return self.sizes[5:] if self.op == "c2d" else (*self.sizes[4:], 1)

    def extents(self):
        """Rows and columns of a convolution's result."""
        kh, kw, stride, pad, dilation = self.window()
        return tuple((image + 2 * pad - (kernel - 1) * dilation - 1) // stride + 1
                     for image, kernel in zip(self.sizes[1:3], (kh, kw)))

    def operations(self):
        """As docs/operators.md counts them."""
        s = self.sizes
        if self.op in ("c2d", "depthwise"):
            channels = s[3] if self.op == "c2d" else 1
            return 2 * channels * math.prod(self.window()[:2]) * math.prod(self.shapes()[1])
        if self.op == "matmul_exp_matmul":
            return 2 * s[0] * s[1] * s[2] + s[0] * s[2] + 2 * s[0] * s[2] * s[3]
        if self.op == "attention":
            return s[0] * s[1] ** 2 * (4 * s[2] + 6)
        if self.op == "layernorm":
            return s[0] * (10 * s[1] + 2)
        each = {"gemm": 2, "bmm": 2, "gemv": 2, "gemm_bias_relu": 2, "softmax": 5, "gelu": 5}.get(self.op, 1)
        return each * math.prod(s) + (2 * s[0] * s[2] if self.op == "gemm_bias_relu" else 0)


def workload_of(text):
    """Of a line such as "gemm 512,512,512" or "gemm 512,512,512 --in uint8,int8"."""
    match = re.fullmatch(r"\s*(\w+)(?:\s+([\d,]+))?(?:\s+--in\s+([\w,]+))?\s*", text)
    if not match:
        raise Malformed(f"workload \"{text}\": it is written as in \"gemm 512,512,512\" or \"gemm 512,512,512 --in bfloat16\"")
    if match[1] not in SIZES:
        raise Malformed(f"workload \"{text}\": the operator is none of {', '.join(SIZES)}, which are known here")
    op, sizes, types = match[1], match[2] or "", match[3] or "float32"
    names = SIZES[op].split(",")
    if not re.fullmatch(r"\d+(,\d+)*", sizes) or sizes.count(",") + 1 != len(names):
        raise Malformed(f"workload \"{text}\": {op} takes {len(names)} sizes: {SIZES[op]}")
    pair = tuple(types.split(",")) if "," in types else (types, types)
    if pair != ("float32", "float32") and (op != "gemm" or pair not in NARROW):
        known = ", ".join(["float32", *(",".join(dict.fromkeys(p)) for p in NARROW)])
        raise Malformed(f"workload \"{text}\": of the types of inputs gemm is known here with {known}, all others with float32")
    work = Workload(op, tuple(map(int, sizes.split(","))), pair)
    named = dict(zip(names, work.sizes))
    if any(size == 0 for name, size in named.items() if name != "pad") or min(work.shapes()[1]) < 1:
        raise Malformed(f"workload \"{text}\": there is nothing to compute")
    return work


def workloads_of(name, sets):
    """Of one line, or of the set of that name."""
    if " " in name.strip() or name in SIZES:
        return [workload_of(name)]
    if not isinstance(sets.get(name), dict):
        raise Malformed(f"\"{name}\" is no workload such as \"gemm 512,512,512\", and of the sets there are "
                        f"{', '.join(key for key, value in sets.items() if isinstance(value, dict))}")
    types = TYPES_OF_SETS.get(name.rpartition("_")[2], "float32")
    return [workload_of(f"{op} {','.join(map(str, sizes))} --in {types}") for op, shapes in sets[name].items() for sizes in shapes]


def read_sets(path):
    try:
        sets = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Malformed(f"{path}: {error}; it is a JSON object of sets") from None
    if not isinstance(sets, dict):
        raise Malformed(f"{path}: it is no JSON object of sets")
    return sets
