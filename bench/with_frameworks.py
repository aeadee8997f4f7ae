#!/usr/bin/env python3
"""with_frameworks.py [WORKLOAD|SET …] --ardea PROGRAM -o FOLDER [--tuned] [--prepacked] …: Ardea beside PyTorch, onnxruntime and NumPy.

A WORKLOAD is an operator with its sizes as `ardea compile` takes them, such as "gemm 512,512,512" or "gemm 512,512,512 --in
uint8,int8"; a SET is one of bench/workloads.json, whose types its name says (_f32, _bf16, _u8s8s32). Without any, the three
sets that begin with frameworks_: the table of docs/benchmarks.md. Ardea's kernels are what `ardea compile` writes; --tuned adds
those that `ardea tune` finds, in a database of FOLDER's own. Each workload has a process of its own, bound to a processor for
each thread, in which Ardea's libraries and every way of every framework are called in turn (docs/benchmarks.md has the method).
FOLDER gets NAME.json for each workload when it is done, and table.md of all that it has with these options; Ctrl-C keeps
those, and --resume goes on. A framework that this Python does not have, or that fails, is named and left out.

Exit code 1: somebody's answers are wrong, or a workload failed. Exit code 2: bad input. 130: interrupted.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import time

from frameworks import tables
from rotation import MOST_ROUNDS
from workloads import Malformed, read_sets, workload_of, workloads_of

HERE = pathlib.Path(__file__).resolve().parent
ALL_SETS = ["frameworks_f32", "frameworks_bf16", "frameworks_u8s8s32"]
MODULES = {"PyTorch": ["torch"], "onnxruntime": ["onnxruntime", "onnx"]}  # NumPy must be there
PACKS_AHEAD = ("gemm", "gemm_bias_relu")  # of convolutions Ardea packs the weights ahead only with channels last


class Failed(Exception):
    """A sentence about a workload; the others go on."""


def fail(sentence):
    print(f"with_frameworks.py: {sentence}", file=sys.stderr)
    sys.exit(2)


def say(text):
    print(text, file=sys.stderr, flush=True)


# Ardea.

def ardea(options, *arguments):
    run = subprocess.run([options.ardea, *arguments, "--json"], capture_output=True, text=True)
    if run.returncode in (130, -signal.SIGINT):
        raise KeyboardInterrupt
    if run.returncode != 0:
        raise Failed((run.stderr.strip() or f"ardea {arguments[0]} ended with {run.returncode}").splitlines()[-1])
    return json.loads(run.stdout)


def is_ardea(program):
    try:
        run = subprocess.run([program, "ops", "--json"], capture_output=True, text=True)
        return run.returncode == 0 and any(op.get("name") == "gemm" for op in json.loads(run.stdout))
    except (OSError, ValueError, AttributeError):
        return False


def tuned_libraries(options, work, folder, packings):
    """By name, after a search of each; and why one is not there."""
    database = ["--threads", str(options.threads), "--db", str(options.out / "tuning.db")]
    libraries, left_out, seconds = {}, [], 0
    for packing in packings:
        name = ", ".join(["ardea, tuned"] + ["weights packed"] * bool(packing))
        start = time.time()
        try:
            ardea(options, "tune", *work.arguments(), *packing, *database, "--trials", str(options.trials), "--seed", str(options.seed),
                  "--resume", "--without-libraries")
            ardea(options, "compile", *work.arguments(), *packing, *database, "--best", "--only", "so", "-o", str(folder / name))
            libraries[name] = str(folder / name)
        except Failed as failed:
            left_out.append({"framework": "Ardea", "way": name, "why": str(failed)})
        seconds += time.time() - start
    return libraries, left_out, seconds


def libraries_of(options, work, folder):
    """What `ardea compile` makes of the workload: by name, folders; those that could not be made; seconds of tuning."""
    packings = [[]] + [["--prepacked"]] * (options.prepacked and work.op in PACKS_AHEAD)
    libraries = {}
    for packing in packings:
        name = ", ".join(["ardea"] + ["weights packed"] * bool(packing))
        ardea(options, "compile", *work.arguments(), *packing, "--threads", str(options.threads), "--no-db", "--only", "so",
              "-o", str(folder / name))
        libraries[name] = str(folder / name)
    if not options.tuned:
        return libraries, [], None
    say(f"{work.line()}: ardea tune, {options.trials} trials")
    tuned, left_out, seconds = tuned_libraries(options, work, folder, packings)
    return libraries | tuned, left_out, seconds


# The process of one workload.

def environment(threads):
    """Every library is told the number of threads before it starts any."""
    names = ("ARDEA_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    # Threads look for work for less than a turn of others waits, as with `ardea bench`.
    patience = {"GOMP_SPINCOUNT": "20000", "OPENBLAS_THREAD_TIMEOUT": "20"}
    # What a framework allocates anew in each call stays in the process, as in a program that has run for a while.
    memory = {"MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}
    return patience | memory | os.environ | {name: str(threads) for name in names} | {"CUDA_VISIBLE_DEVICES": ""}


def child(request):
    """Writes what it measured to the request's file, and, before it calls somebody for the first time, who that is."""
    from frameworks.side_by_side import measured
    folder = pathlib.Path(request["folder"])
    try:
        result = measured(workload_of(request["workload"]), request, request["libraries"], (folder / "called").write_text)
    except KeyboardInterrupt:
        sys.exit(130)
    (folder / "measured.json").write_text(json.dumps(result))


def measure(options, work, folder, libraries):
    """In a process that may end by somebody's fault: it is then started again without the one that was called."""
    request = {"workload": work.line(), "folder": str(folder), "libraries": libraries, "threads": options.threads, "cpus": options.cpu,
               "rounds": options.rounds, "seconds": options.seconds, "prepacked": options.prepacked, "ended": {}}
    while True:
        run = subprocess.run([sys.executable, __file__, "--child", json.dumps(request)], stderr=subprocess.PIPE, text=True,
                             env=environment(options.threads))
        if run.returncode == 0:
            return json.loads((folder / "measured.json").read_text())
        if run.returncode in (130, -signal.SIGINT):
            raise KeyboardInterrupt
        said = (run.stderr.strip() or "nothing said").splitlines()[-1]
        called = (folder / "called").read_text() if (folder / "called").exists() else ""
        if run.returncode > 0:
            raise Failed(said)
        if not called or called in request["ended"] or called.startswith("ardea"):
            raise Failed(f"the process that timed {called or 'all in turn'} ended by signal {-run.returncode}")
        request["ended"][called] = f"ended the process by signal {-run.returncode}"


# The page.

def versions(options, results):
    run = subprocess.run([options.ardea, "--version"], capture_output=True, text=True)
    found = [f"Ardea {run.stdout.strip()}"]
    for result in results:
        found += [text for text in result["versions"] if text not in found]
    return ", ".join([*found, f"Python {platform.python_version()}"])


def processor(options):
    """By the name that it is sold by, else by LLVM's: Linux does not tell that of every architecture."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return ardea(options, "target")["cpu"]


def results_there(options, works):
    """All of the folder's that were made with these options, those of the docs' table first and in its order."""
    order = chosen_of(ALL_SETS) + works
    files = {work.file_name(): number for number, work in reversed(list(enumerate(order)))}
    paths = sorted(options.out.glob("*.json"), key=lambda path: (files.get(path.stem, len(order)), path.stem))
    return list(filter(None, (made_with(options, path) for path in paths)))


def write_page(options, results):
    threads = f"{options.threads} thread{'s' if options.threads > 1 else ''}"
    semicolon = " Before the semicolon Ardea's default point, behind it the tuned program with the 95 % interval." if options.tuned else \
        " The 95 % interval is in brackets."
    ahead = " Weights packed ahead: by the framework and by Ardea, unless it says that Ardea's were not." if options.prepacked else ""
    about = [f"{processor(options)}, {threads}, {', '.join(sorted({r['date'] for r in results}))}: {versions(options, results)}. Contenders in rotated order within a process for each "
             "workload, warm caches; the framework's time over Ardea's, of its fastest way, above 1 where Ardea is faster "
             f"(docs/benchmarks.md).{semicolon}{ahead}"]
    (options.out / "table.md").write_text(tables.page(results, about))


def asked(options):
    """What a result must have been made with, so that --resume takes it."""
    return {"threads": options.threads, "trials": options.trials if options.tuned else None, "prepacked": options.prepacked}


def made_with(options, path):
    """The result of that file, or nothing."""
    try:
        result = json.loads(path.read_text())
        return result if asked(options).items() <= result.items() else None
    except (OSError, ValueError, AttributeError):
        return None


def side_by_side(options, work):
    folder = options.out / "kernels" / work.file_name()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    libraries, left_out, seconds = libraries_of(options, work, folder)
    result = measure(options, work, folder, libraries) | asked(options) | {"date": time.strftime("%Y-%m-%d")}
    result["left_out"] = left_out + result["left_out"]
    if seconds is not None:
        result["tuning_s"] = seconds
    path = options.out / f"{work.file_name()}.json"
    path.with_suffix(".new").write_text(json.dumps(result, indent=1) + "\n")
    path.with_suffix(".new").replace(path)
    return result


def told(result):
    """A line for each contender, and for each that did not take part."""
    for c in result["contenders"]:
        if "over" not in c:
            say(f"  {c['name']}: WRONG: {tables.off_by(c)}")
        else:
            over = "" if c["name"] == "ardea" else f", {tables.with_interval(c['over']['ardea'])} of ardea"
            say(f"  {c['name']}: {c['median_us']:.1f} µs{over}{'' if c['agrees'] else ' WRONG'}")
    for o in result["left_out"]:
        say(f"  left out: {', '.join(filter(None, [o['framework'], o['way']]))}: {o['why']}")


# What is asked.

def chosen_of(names):
    """Of lines and sets."""
    try:
        sets = read_sets(HERE / "workloads.json")
        return list(dict.fromkeys(work for name in names for work in workloads_of(name, sets)))
    except Malformed as malformed:
        fail(str(malformed))


def chosen(options):
    works = chosen_of(options.workload or ALL_SETS)
    if options.only:
        wanted = options.only.split(",")
        unknown = [op for op in wanted if op not in {work.op for work in works}]
        if unknown:
            fail(f"--only {options.only}: there is no {unknown[0]} among the workloads; there are {', '.join(dict.fromkeys(w.op for w in works))}")
        works = [work for work in works if work.op in wanted]
    return works


def checked(options):
    """What can be wrong is told before anything is compiled."""
    if importlib.util.find_spec("numpy") is None:
        fail(f"{sys.executable} has no numpy, which the answers are checked with; `make bench-frameworks` makes an environment that has all frameworks")
    for name, modules in MODULES.items():
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        if missing:
            say(f"with_frameworks.py: {name} is left out: {sys.executable} has no {' and no '.join(missing)}")
    if shutil.which(options.ardea) is None:
        fail(f"--ardea {options.ardea}: there is no such program; build it with make build, or name it")
    options.ardea = shutil.which(options.ardea)
    if not is_ardea(options.ardea):
        fail(f"--ardea {options.ardea}: does not list its operators, so it is not Ardea's program")
    mine = sorted(os.sched_getaffinity(0))
    if not 1 <= options.threads <= len(mine):
        fail(f"--threads {options.threads}: this process may use {len(mine)} processors")
    try:
        options.cpu = [int(cpu) for cpu in options.cpu.split(",")] if options.cpu else mine[-options.threads:]
    except ValueError:
        fail(f"--cpu {options.cpu}: it is a number, or as many as there are threads, such as 2,3")
    if len(set(options.cpu)) != options.threads or not set(options.cpu) <= set(mine):
        fail(f"--cpu {','.join(map(str, options.cpu))}: it takes {options.threads} of {', '.join(map(str, mine))}, one for each of --threads {options.threads}")
    if options.rounds is not None and options.rounds < 6:
        fail(f"--rounds {options.rounds}: an interval of 95 % needs at least 6")
    if options.seconds <= 0 or options.trials < 1:
        fail(f"--seconds {options.seconds:g} --trials {options.trials}: both must be above 0")
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"-o {options.out}: {error.strerror}; name a folder that can be made")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", nargs="*", metavar="WORKLOAD|SET")
    parser.add_argument("--ardea", default="ardea", help="the program; by default the one on the path")
    parser.add_argument("-o", "--out", type=pathlib.Path, help="the folder for results")
    parser.add_argument("--only", help="operators: of the workloads only those, such as gemm,softmax")
    parser.add_argument("--seconds", type=float, default=10, help=f"that a workload's turns may take, for {MOST_ROUNDS} rounds at most")
    parser.add_argument("--rounds", type=int, help="in place of --seconds")
    parser.add_argument("--threads", type=int, default=1, help="of every contender")
    parser.add_argument("--cpu", help="the processors that time, one for each thread; by default the last")
    parser.add_argument("--tuned", action="store_true", help="tune each workload first, and give the winner turns, too")
    parser.add_argument("--trials", type=int, default=64, help="of --tuned")
    parser.add_argument("--seed", type=int, default=1, help="of --tuned")
    parser.add_argument("--prepacked", action="store_true", help="also with weights that each packs ahead")
    parser.add_argument("--resume", action="store_true", help="leave out workloads that FOLDER has a result of, made with these options")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parsed()
    if options.child:
        return child(json.loads(options.child))
    if options.out is None:
        fail("-o is missing: the folder for results")
    works = chosen(options)
    checked(options)
    results, failures, interrupted = [], [], False
    for work in works:
        result = made_with(options, options.out / f"{work.file_name()}.json") if options.resume else None
        try:
            if result is None:
                result = side_by_side(options, work)
                say(f"{work.line()}, {result['rounds']} rounds")
                told(result)
        except Failed as failed:
            failures.append(work)
            say(f"{work.line()}: {failed}")
            continue
        except KeyboardInterrupt:
            interrupted = True
            break
        results.append(result)
        write_page(options, results_there(options, works))
    if results:
        print((options.out / "table.md").read_text(), end="")
    if interrupted:
        say(f"interrupted; {len(results)} of {len(works)} workloads are in {options.out}, and --resume goes on")
        sys.exit(130)
    if failures or not all(c["agrees"] for r in results for c in r["contenders"]):
        sys.exit(1)
    return None


if __name__ == "__main__":
    main()
