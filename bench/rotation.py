"""Contenders in turn within one process, and how medians of their rounds are told: the method of docs/benchmarks.md."""
import dataclasses
import gc
import math
import statistics
import sys
import time

LEAST_TURN_S = 2e-4
UNTIMED_BELOW_S = 5e-3  # a longer call fills the caches itself
IDLE_S = 3e-3           # after which threads of the contender before that look for work are asleep
LEAST_ROUNDS, MOST_ROUNDS = 11, 101


@dataclasses.dataclass
class Turns:
    times: dict          # by name: seconds of one call, a number for each round
    calls_per_turn: int

    def ratio(self, name, over):
        """Of the rounds' ratios the median, with the ends of its 95 % interval."""
        return interval([t / o for t, o in zip(self.times[name], self.times[over])])


def interval(values, level=0.95):
    """Median with an interval by order statistics, as ardea/measure/statistics.h."""
    values, n = sorted(values), len(values)
    tail, term, r = 0.0, 0.5 ** n, 0
    while r < n // 2:
        tail += term
        if 2 * tail > 1 - level:
            break
        r += 1
        term *= (n - r + 1) / r
    if r == 0:
        sys.exit(f"--rounds {n}: an interval of 95 % needs at least 6 rounds")
    return statistics.median(values), values[r - 1], values[n - r]


def seconds_of(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def in_turn(calls, rounds=None, seconds=None, threads=1):
    """Round r begins with contender r. Where no number of rounds is given, as many as those seconds allow."""
    names, collecting = list(calls), gc.isenabled()
    estimates = {name: min(seconds_of(call, 1) for _ in range(3)) for name, call in calls.items()}
    count = max(1, math.ceil(LEAST_TURN_S / min(estimates.values())))
    untimed = {name for name in names if estimates[name] < UNTIMED_BELOW_S}
    if rounds is None:
        a_round = sum(estimates[name] * (count + (name in untimed)) + (IDLE_S if threads > 1 else 0) for name in names)
        rounds = min(max(int(seconds / a_round), LEAST_ROUNDS), MOST_ROUNDS)
    times = {name: [] for name in names}
    gc.disable()  # its pauses would fall on whoever is called then
    try:
        for r in range(rounds):
            for turn in range(len(names)):
                name = names[(r + turn) % len(names)]
                if threads > 1:
                    time.sleep(IDLE_S)
                if name in untimed:
                    calls[name]()
                times[name].append(seconds_of(calls[name], count))
    finally:
        if collecting:
            gc.enable()
    return Turns(times, count)
