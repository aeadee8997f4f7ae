#!/usr/bin/env python3
"""with_tvm.py [WORKLOAD …] --ardea PROGRAM -o FOLDER [--trials N]: `ardea tune` and TVM's MetaSchedule side by side.

A WORKLOAD is an operator with its sizes as `ardea tune` takes them, such as "gemm 512,512,512"; without any, the five of
docs/benchmarks.md. Each is tuned by both, one after the other, with the same number of trials, for one core of this
machine; then both best programs and the one that Ardea takes untuned are called in turn within one process, bound to
one core, on the same inputs, and their answers are compared with float64 NumPy. FOLDER gets a JSON file for each
workload when it is done, and with_tvm.md, the table of all that are there. Nothing is read from, or written to, the
user's database. Exit code 1: somebody's answers are wrong. Exit code 2: bad input.

The Python that runs this needs apache-tvm, in an environment of its own (docs/benchmarks.md says which versions).

What is given to MetaSchedule beyond its defaults, because 64 trials are few: rounds of 16 (by default 64: there would be
one), a cost model that learns from the first of them on (by default from 100 trials on), 60 s in place of 30 to build or
run a candidate, and a quick inspect.stack(), without which importing its instructions takes as long as the limit.
"""
import argparse
import importlib.metadata
import importlib.util
import json
import math
import os
import pathlib
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from ardea_library import Library
from rotation import in_turn
from workloads import Malformed, workload_of

FIVE = ["gemm 512,512,512", "gemm 1024,1024,1024", "c2d 1,56,56,64,64,3,3,1,1,1", "softmax 1024,1024",
        "matmul_exp_matmul 1024,2048,1024,3072"]
WRITTEN_FOR_TVM = ("gemm", "c2d", "softmax", "matmul_exp_matmul")
LIMIT_S = 60


def fail(sentence):
    print(f"with_tvm.py: {sentence}", file=sys.stderr)
    sys.exit(2)


def parse_workload(text):
    try:
        work = workload_of(text)
    except Malformed as malformed:
        fail(str(malformed))
    if work.op not in WRITTEN_FOR_TVM or not work.is_float32:
        fail(f"workload \"{text}\": the operator is none of {', '.join(WRITTEN_FOR_TVM)} in float32, which are written for TVM here")
    return work


# TVM.

def tvm_program(tvm, work):
    from tvm import te, topi
    op, s = work.op, work.sizes

    def product(a, b, name):
        k = te.reduce_axis((0, a.shape[1]), name + "_k")
        return te.compute((a.shape[0], b.shape[1]), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name=name)
    if op == "gemm":
        a, b = te.placeholder((s[0], s[1]), name="A"), te.placeholder((s[1], s[2]), name="B")
        tensors = [a, b, product(a, b, "C")]
    elif op == "c2d":
        x, w = te.placeholder((s[0], s[3], s[1], s[2]), name="X"), te.placeholder((s[4], s[3], s[5], s[6]), name="W")
        tensors = [x, w, topi.nn.conv2d_nchw(x, w, s[7], s[8], s[9])]
    elif op == "softmax":
        x = te.placeholder(s, name="X")
        tensors = [x, topi.nn.softmax(x, axis=1)]
    else:
        a, b, e = (te.placeholder(shape, name=name) for name, shape in (("A", s[0:2]), ("B", s[1:3]), ("E", s[2:4])))
        c = product(a, b, "C")
        d = te.compute(c.shape, lambda i, j: te.exp(c[i, j]), name="D")
        tensors = [a, b, e, product(d, e, "F")]
    return tvm.IRModule({"main": te.create_prim_func(tensors)})


def quick_stack():
    """inspect.stack() without the source lines, which TVM's parser does not need: 27 s of imports (Neoverse-V1) become 3."""
    import inspect
    import sys

    def stack(context=0):
        frame, found = sys._getframe(1), []
        while frame is not None:
            code = frame.f_code
            found.append(inspect.FrameInfo(frame, code.co_filename, frame.f_lineno, code.co_name, None, None))
            frame = frame.f_back
        return found
    inspect.stack = stack


def tvm_target(tvm, record):
    """One core of the machine of Ardea's record: its processor, with the features that LLVM supposes and the machine lacks
    taken away (virtual machines hide some), and those that it does not suppose added."""
    from tvm.target import codegen
    attributes = {"kind": "llvm", "mtriple": record["triple"], "mcpu": record["cpu"], "num-cores": 1}
    supposed = {str(f) for f in codegen.llvm_get_cpu_features(tvm.target.Target(attributes))}
    changed = [feature for feature in record["features"] if (feature[1:] in supposed) == (feature[0] == "-")]
    return {**attributes, "mattr": changed} if changed else attributes


def tune_with_tvm(options):
    """A child process: tunes one workload and prints what came of it as JSON on the last line."""
    quick_stack()
    import tvm
    from tvm.s_tir import meta_schedule as ms
    target = json.loads(options.tvm_target)
    module = tvm_program(tvm, parse_workload(options.workload[0]))
    trials, start = [], time.time()

    @tvm.ir.utils.derived_object
    class Trials(ms.measure_callback.PyMeasureCallback):
        def apply(self, scheduler, task_id, candidates, builds, results):
            for build, result in zip(builds, results):
                error = build.error_msg or (result.error_msg if result is not None else "was not run")
                seconds = None if error else statistics.median(float(t) for t in result.run_secs)
                stage = "build" if build.error_msg else "run"
                kind = None if not error else f"{stage} timed out" if "Timeout" in str(error) else f"{stage} failed"
                trials.append({"at_s": time.time() - start, "seconds": seconds, "failed": kind,
                               "message": error and str(error)[:300]})

    cpu, realtime = options.cpu, options.realtime

    def on_the_timing_core():
        quick_stack()
        import os
        os.sched_setaffinity(0, {cpu})
        if realtime:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))

    callbacks = [Trials(), ms.measure_callback.AddToDatabase(), ms.measure_callback.RemoveBuildArtifact(),
                 ms.measure_callback.UpdateCostModel()]
    cores = len(os.sched_getaffinity(0))
    ms.tune_tir(module, tvm.target.Target(target), options.out, max_trials_global=options.trials,
                num_trials_per_iter=min(options.round, options.trials), num_tuning_cores=cores, seed=options.seed,
                measure_callbacks=callbacks,
                cost_model=ms.cost_model.XGBModel(num_warmup_samples=options.round, num_tuning_cores=cores),
                builder=ms.builder.LocalBuilder(max_workers=cores, timeout_sec=LIMIT_S, initializer=quick_stack),
                runner=ms.runner.LocalRunner(timeout_sec=LIMIT_S, initializer=on_the_timing_core))
    print(json.dumps({"seconds": time.time() - start, "processor_s": processor_seconds(), "trials": trials,
                      "refused": refused_schedules(options.out)}))


def processor_seconds():
    """Of this process and its children, those that still wait for work included."""
    import psutil
    past = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    now = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return sum(u.ru_utime + u.ru_stime for u in past) + sum(t.user + t.system + t.children_user + t.children_system for t in now)


def refused_schedules(folder):
    """How many schedules the tuner drew that could not be applied or that a postprocessor refused, by its log."""
    text = "".join(path.read_text(errors="replace") for path in pathlib.Path(folder, "logs").glob("*task_0*.log"))
    return sum(int(n) for n in re.findall(r"(?:Trace replay failures|Postproc #\d+ \[\S+\]): (\d+) failure", text))


# Ardea.

def ardea(options, *arguments):
    run = subprocess.run([options.ardea, *arguments, "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        fail(f"{' '.join(['ardea', *arguments])}: {(run.stderr.strip() or 'failed').splitlines()[-1]}")
    try:
        return json.loads(run.stdout)
    except json.JSONDecodeError:
        fail(f"{' '.join([options.ardea, *arguments])}: does not answer in JSON, so it is not Ardea's program")


def loaded(work, folder, inputs):
    """The call of a library that `ardea compile` wrote, and its output."""
    from references import poisoned
    output = poisoned(work)
    return Library(folder, len(inputs) + 1).kernel.bound([array.ctypes.data for array in (*inputs, output)]), lambda: output


# Both in turn.

def measure(options):
    """A child process: the best programs in turn. Prints JSON."""
    os.sched_setaffinity(0, {options.cpu})
    quick_stack()
    import tvm
    from references import agreement, inputs_of, poisoned, reference, values
    from tvm.s_tir import meta_schedule as ms
    work = parse_workload(options.workload[0])
    folder = pathlib.Path(options.out)
    inputs = inputs_of(work)
    exact, bound = reference(work, inputs)
    contenders = {"ardea": loaded(work, folder / "tuned", inputs), "ardea untuned": loaded(work, folder / "untuned", inputs)}

    target = tvm.target.Target(json.loads(options.tvm_target))
    database = ms.database.JSONDatabase(work_dir=str(folder / "tvm"))
    best = database.query_ir_module(tvm_program(tvm, work), target, "main")
    if best is not None:
        function = tvm.compile(best, target=target)["main"]
        tensors = [tvm.runtime.tensor(x) for x in (*inputs, poisoned(work))]
        contenders["tvm"] = (lambda: function(*tensors), lambda: tensors[-1].numpy())

    result = {"contenders": {}, "rounds": options.rounds}
    for name, (call, answer) in contenders.items():
        call()
        agrees, error = agreement(values(answer(), work.result_type), exact, bound)
        result["contenders"][name] = {"error": error, "agrees": agrees}
    if options.realtime:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    turns = in_turn({name: call for name, (call, _) in contenders.items()}, options.rounds)
    for name, times in turns.times.items():
        ratio, low, high = turns.ratio(name, "ardea")
        median = statistics.median(times)
        result["contenders"][name] |= {"median_us": median * 1e6, "min_us": min(times) * 1e6,
                                       "gflops": work.operations() / median / 1e9,
                                       "ratio": ratio, "ratio_low": low, "ratio_high": high}
    print(json.dumps(result | {"calls_per_turn": turns.calls_per_turn}))


def child(options, what, workload, folder, target):
    """What the child process printed. TVM is in processes of their own, so that one that crashes is told of by name."""
    arguments = [sys.executable, __file__, workload, "--child", what, "-o", str(folder), "--tvm-target", json.dumps(target)]
    for name in ("trials", "round", "rounds", "seed", "cpu"):
        arguments += [f"--{name}", str(getattr(options, name))]
    one = {name: "1" for name in ("TVM_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARDEA_NUM_THREADS")}
    run = subprocess.run(arguments + ["--realtime"] * options.realtime, capture_output=True, text=True, env=os.environ | one)
    if run.returncode != 0:
        sys.exit(f"with_tvm.py: to {what} {workload} with TVM ended with {run.returncode}:\n{run.stderr[-2000:]}")
    return json.loads(run.stdout.strip().splitlines()[-1])


def tune_with_ardea(options, work, folder):
    database = ["--threads", "1", "--db", str(folder / "tuning.db")]
    used, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    report = ardea(options, "tune", *work.arguments(), "--trials", str(options.trials), "--seed", str(options.seed),
                   "--without-libraries", *database)
    seconds, now = time.time() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    ardea(options, "compile", *work.arguments(), "--best", *database, "-o", str(folder / "tuned"), "--only", "so")
    ardea(options, "compile", *work.arguments(), "--no-db", "--threads", "1", "-o", str(folder / "untuned"), "--only", "so")
    return {"seconds": seconds, "processor_s": now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime,
            "trials": report["trials"], "failed": report["failures"], "points": report["points"],
            "sketch": report["tuned"]["sketch"], "knobs": report["tuned"]["knobs"]}


def side_by_side(options, text, target):
    work = parse_workload(text)
    with tempfile.TemporaryDirectory(prefix="with_tvm.") as temporary:
        folder = pathlib.Path(temporary)
        print(f"{text}: ardea tune, {options.trials} trials", file=sys.stderr)
        ours = tune_with_ardea(options, work, folder)
        print(f"{text}: {ours['seconds']:.0f} s; MetaSchedule, {options.trials} trials", file=sys.stderr)
        theirs = child(options, "tune", text, folder / "tvm", target)
        print(f"{text}: {theirs['seconds']:.0f} s; both in turn", file=sys.stderr)
        result = child(options, "measure", text, folder, target)
    best, curve = math.inf, []
    for number, trial in enumerate(theirs["trials"], 1):
        if trial["seconds"] is not None and trial["seconds"] < best:
            best = trial["seconds"]
            curve.append([number, round(work.operations() / best / 1e9, 1)])
    failures = [t["failed"] for t in theirs["trials"] if t["failed"]]
    theirs |= {"failed": {kind: failures.count(kind) for kind in sorted(set(failures))}, "best_so_far": curve}
    return {"workload": text, "trials": options.trials, "seed": options.seed, "ardea": ours, "tvm": theirs, **result}


def said(failures):
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in failures.items()) or "0"


COLUMNS = ["work", "trials", "Ardea: seconds of tuning (of processors)", "invalid", "GFLOP/s untuned", "tuned",
           "MetaSchedule: seconds (of processors)", "invalid (refused before)", "GFLOP/s", "its time over Ardea's [95 %]"]


def table(results):
    rows = [COLUMNS, ["---"] * len(COLUMNS)]
    for r in results:
        ours, theirs, measured = r["ardea"], r["tvm"], r["contenders"]
        wrong = [name for name, c in measured.items() if not c["agrees"]]
        best = measured.get("tvm")
        rows.append([r["workload"] + (f" WRONG: {', '.join(wrong)}" if wrong else ""),
                     f"{ours['trials']}, {len(theirs['trials'])}",
                     f"{ours['seconds']:.0f} ({ours['processor_s']:.0f})", said(ours["failed"]),
                     f"{measured['ardea untuned']['gflops']:.1f}", f"{measured['ardea']['gflops']:.1f}",
                     f"{theirs['seconds']:.0f} ({theirs['processor_s']:.0f})", f"{said(theirs['failed'])} ({theirs['refused']})",
                     f"{best['gflops']:.1f}" if best else "no candidate ran",
                     f"{best['ratio']:.2f} [{best['ratio_low']:.2f}, {best['ratio_high']:.2f}]" if best else "—"])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def versions(options):
    """Of what takes part."""
    found = [f"Ardea {subprocess.run([options.ardea, '--version'], capture_output=True, text=True).stdout.strip()}",
             f"Python {platform.python_version()}"]
    for name in ("apache-tvm", "apache-tvm-ffi", "xgboost", "xgboost-cpu", "numpy"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            pass  # XGBoost has two packages, of which one is there
    return f"{time.strftime('%Y-%m-%d')}, {platform.machine()}: {', '.join(found)}"


def checked(options):
    """What can be wrong is told before anything is tuned."""
    for text in options.workload:
        parse_workload(text)
    for module, package in {"tvm": "apache-tvm", "xgboost": "xgboost", "cloudpickle": "cloudpickle", "psutil": "psutil"}.items():
        if importlib.util.find_spec(module) is None:
            fail(f"{sys.executable} has no {module}; use the Python of an environment where you did: pip install {package}")
    if shutil.which(options.ardea) is None:
        fail(f"--ardea {options.ardea}: there is no such program; build it with make, or name it")
    if options.trials < 1 or options.round < 1:
        fail(f"--trials {options.trials} --round {options.round}: both must be at least 1")
    if options.rounds < 6:
        fail(f"--rounds {options.rounds}: an interval of 95 % needs at least 6")
    if options.cpu not in os.sched_getaffinity(0):
        fail(f"--cpu {options.cpu}: this process may use {', '.join(map(str, sorted(os.sched_getaffinity(0))))}")
    if options.realtime:
        try:
            before = os.sched_getscheduler(0), os.sched_getparam(0)
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
            os.sched_setscheduler(0, *before)
        except PermissionError:
            fail("--realtime: the system does not allow it to this user; leave it out, or run as root")


def target_of(options):
    try:
        import tvm
        from tvm.s_tir import meta_schedule  # 0.27 has it there, older ones elsewhere
    except ImportError as error:
        fail(f"{sys.executable} has a tvm without tvm.s_tir.meta_schedule ({error}); use 0.27")
    if not options.tvm_target:
        return tvm_target(tvm, ardea(options, "target"))
    try:
        target = json.loads(options.tvm_target)
        tvm.target.Target(target)
        return target
    except ValueError as error:
        what = str(error).strip().splitlines()[-1]
        fail(f"--tvm-target: {what}; it is a JSON object such as {{\"kind\": \"llvm\", \"num-cores\": 1}}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", nargs="*", default=FIVE, metavar="WORKLOAD")
    parser.add_argument("--ardea", default="ardea", help="the program; by default the one on the path")
    parser.add_argument("-o", "--out", required=True, help="the folder for results")
    parser.add_argument("--trials", type=int, default=64, help="for each tuner")
    parser.add_argument("--round", type=int, default=16, help="of MetaSchedule: trials between two trainings of its model")
    parser.add_argument("--rounds", type=int, default=31, help="of the comparison")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core that times")
    parser.add_argument("--realtime", action="store_true",
                        help="time MetaSchedule's candidates and the comparison at real-time priority, where others use the machine")
    parser.add_argument("--tvm-target", help="as JSON; by default made of what `ardea target` says")
    parser.add_argument("--child", choices=["tune", "measure"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.workload = options.workload or FIVE
    if options.child == "tune":
        return tune_with_tvm(options)
    if options.child == "measure":
        return measure(options)
    checked(options)
    target = target_of(options)
    folder = pathlib.Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"-o {options.out}: {error.strerror}; name a folder that can be made")
    about = {"target": target, "versions": versions(options)}
    for text in options.workload:
        result = side_by_side(options, text, target) | about
        (folder / f"with_tvm_{parse_workload(text).file_name()}_{options.trials}_{options.seed}.json").write_text(json.dumps(result, indent=1) + "\n")
        results = [json.loads(path.read_text()) for path in sorted(folder.glob("with_tvm_*.json"))]
        (folder / "with_tvm.md").write_text(f"{about['versions']}\n\n{table(results)}")
        print(table([result]))
    if not all(c["agrees"] for r in results for c in r["contenders"].values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
