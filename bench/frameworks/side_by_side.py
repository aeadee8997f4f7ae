"""One workload: Ardea's libraries and every framework's ways in turn, within this process."""
import importlib
import os
import pathlib
import statistics
import sys

from ardea_library import Library
from references import agreement, aligned, inputs_of, poisoned, reference, stored_as, values
from rotation import in_turn

from frameworks.tables import off_by
from frameworks.way import Way

FRAMEWORKS = ("pytorch", "onnx_runtime", "numpy_and_scipy")
NAMES = {"pytorch": "PyTorch", "onnx_runtime": "onnxruntime", "numpy_and_scipy": "NumPy"}


def sentence(error):
    """The first line of what went wrong that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]


def ardea_way(work, folder, inputs):
    """The library of one folder, called with the inputs as they are, or with weights that it packed now."""
    library = Library(pathlib.Path(folder), len(inputs) + 1)
    arrays = list(inputs)
    if library.pack:
        names = [parameter["name"] for parameter in library.kernel.parameters]
        which = names.index(library.pack.parameters[-1]["name"])
        packed = library.kernel.parameters[which]
        arrays[which] = aligned(packed["shape"], stored_as(packed["type"]))
        library.pack(inputs[which].ctypes.data, arrays[which].ctypes.data)
    out = poisoned(work)
    call = library.kernel.bound([array.ctypes.data for array in (*arrays, out)])
    kept = arrays, out  # as long as the call is
    return Way(call, lambda: kept[1], library.pack is not None)


class Contenders:
    """Those that are there and answer right, with what became of the others."""

    def __init__(self, work, inputs, told):
        self.work, self.told = work, told
        self.exact, self.bound = reference(work, inputs)
        self.ways, self.described, self.left_out = {}, {}, []

    def check(self, way):
        answer = way.answer()
        if not way.step:
            return agreement(values(answer, self.work.result_type), self.exact, self.bound)
        # Beyond what eight bits hold, the answer is their end.
        exact = self.exact.clip(-128 * way.step, 127 * way.step)
        return agreement(answer.astype(float), exact, self.bound + 0.51 * way.step)

    def add(self, framework, label, make):
        """Makes it, calls it once into what is poisoned, and compares the answer."""
        name = label if framework == "Ardea" else f"{framework}: {label}"
        self.told(name)
        try:
            way = make()
            way.call()
            agrees, error = self.check(way)
        except Exception as problem:  # of any kind: others' code
            self.leave_out(framework, label, sentence(problem))
            return
        self.ways[name] = way
        self.described[name] = {"name": name, "framework": framework, "way": label, "packed": way.is_packed, "agrees": agrees, "error": error}

    def leave_out(self, framework, label, why):
        self.left_out.append({"framework": framework, "way": label, "why": why})


def add_framework(contenders, module, inputs, request, versions):
    work, name = contenders.work, NAMES[module]
    try:
        framework = importlib.import_module(f"frameworks.{module}")
        versions.append(framework.version())
        ways = framework.ways(work, inputs, request["threads"], request["prepacked"])
    except Exception as problem:
        return contenders.leave_out(name, "", sentence(problem))
    for label, make in ways.items():
        ended = request["ended"].get(f"{name}: {label}")
        if ended:
            contenders.leave_out(name, label, ended)
        else:
            contenders.add(name, label, make)
    return None


def measured(work, request, libraries, told):
    """The result as JSON keeps it. `libraries`: of Ardea's, by name; `told` hears who is about to be called first."""
    os.sched_setaffinity(0, request["cpus"])
    inputs, versions = inputs_of(work), []
    contenders = Contenders(work, inputs, told)
    for label, folder in libraries.items():
        contenders.add("Ardea", label, lambda folder=folder: ardea_way(work, folder, inputs))
    for module in FRAMEWORKS:
        add_framework(contenders, module, inputs, request, versions)
    ways = {name: way for name, way in contenders.ways.items() if contenders.described[name]["agrees"]}
    wrong = [entry for name, entry in contenders.described.items() if name not in ways]
    if "ardea" not in ways:
        sys.exit(f"Ardea's answer is wrong: it is {off_by(wrong[0])}" if wrong else contenders.left_out[0]["why"])
    told("")
    turns = in_turn({name: way.call for name, way in ways.items()}, request["rounds"], request["seconds"], request["threads"])
    for name, way in ways.items():
        entry = contenders.described[name]
        agrees, error = contenders.check(way)  # what is right once may be wrong later
        entry |= {"agrees": agrees, "error": error}
        median, least = statistics.median(turns.times[name]), min(turns.times[name])
        entry |= {"median_us": median * 1e6, "min_us": least * 1e6, "Gop_per_s": work.operations() / median / 1e9,
                  "over": {ours: turns.ratio(name, ours) for ours in libraries if ours in ways}}
    return {"workload": work.line(), "rounds": len(turns.times["ardea"]), "calls_per_turn": turns.calls_per_turn, "versions": versions,
            "contenders": list(contenders.described.values()), "left_out": contenders.left_out}
