"""What `ardea compile -o FOLDER` wrote, as Python calls it."""
import ctypes
import json
import sys


class Function:
    """Of a library: called with the addresses of its arrays, it ends the program with its sentence where it fails."""

    def __init__(self, loaded, described):
        self.parameters = described["parameters"]
        self._symbol, self._error = getattr(loaded, described["symbol"]), getattr(loaded, described["error_symbol"])
        self._error.restype = ctypes.c_char_p

    def bound(self, addresses):
        """The call with these addresses, which costs no more than a call of C from Python does."""
        symbol, error, pointers = self._symbol, self._error, [ctypes.c_void_p(address) for address in addresses]

        def call():
            if symbol(*pointers) != 0:
                sys.exit(f"ardea: {error().decode()}")
        return call

    def __call__(self, *addresses):
        self.bound(addresses)()


class Library:
    """The function with so many parameters of the folder's manifests, and the one that packs its weights ahead, where
    there is one (`--prepacked`)."""

    def __init__(self, folder, parameters):
        for path in sorted(folder.glob("*.json")):
            functions = json.loads(path.read_text()).get("functions", [])
            kernels = [f for f in functions if not f["name"].endswith("_pack")]
            if len(kernels) == 1 and len(kernels[0]["parameters"]) == parameters:
                loaded = ctypes.CDLL(str(path.with_suffix(".so").resolve()))
                self.kernel = Function(loaded, kernels[0])
                packers = [f for f in functions if f is not kernels[0]]
                self.pack = Function(loaded, packers[0]) if packers else None
                return
        sys.exit(f"{folder}: there is no manifest of one function with {parameters} arrays; `ardea compile OP SIZES -o {folder}` writes it")
