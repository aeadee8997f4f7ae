"""What `ardea compile -o FOLDER` wrote, as Python calls it, and how medians are told."""
import ctypes
import json
import statistics
import sys


def manifest_of(folder, parameters):
    """The one function with so many parameters in the folder's manifest, and the library's path."""
    for path in sorted(folder.glob("*.json")):
        manifest = json.loads(path.read_text())
        if "functions" not in manifest:
            continue
        functions = manifest["functions"]
        if len(functions) == 1 and len(functions[0]["parameters"]) == parameters:
            return functions[0], path.with_suffix(".so")
    sys.exit(f"{folder}: there is no manifest of one function with {parameters} arrays; `ardea compile OP SIZES -o {folder}` writes it")


class Library:
    """The function of a manifest, which ends the program with its sentence where it fails."""

    def __init__(self, folder, parameters):
        self.function, path = manifest_of(folder, parameters)
        loaded = ctypes.CDLL(str(path.resolve()))
        self._symbol, self._error = getattr(loaded, self.function["symbol"]), getattr(loaded, self.function["error_symbol"])
        self._error.restype = ctypes.c_char_p

    def __call__(self, *addresses):
        if self._symbol(*(ctypes.c_void_p(address) for address in addresses)) != 0:
            sys.exit(f"ardea: {self._error().decode()}")


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
