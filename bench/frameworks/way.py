"""What a framework offers to the rotation."""
import dataclasses
from collections.abc import Callable


@dataclasses.dataclass
class Way:
    """One way to do the work, ready to be called."""
    call: Callable
    answer: Callable         # the array of the last call's result, in the type of the workload's
    is_packed: bool = False  # weights were put into the framework's order before
    step: float = 0.0        # between two numbers that the answer can have, where it is requantised
