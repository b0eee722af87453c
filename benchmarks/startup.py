"""Import times: CPU seconds of fresh Python processes that each do one thing, in turn.

    python benchmarks/startup.py            # about a minute; --quick: a quarter of the rounds

The modules are compiled to bytecode beforehand, as pip does.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile

from common import machine

ROUNDS = 20
THINGS = {
    "nothing": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import causal_zigzag": ["-c", "import causal_zigzag"],
    "from causal_zigzag import CPDAG": ["-c", "from causal_zigzag import CPDAG"],
    "from causal_zigzag import sample": ["-c", "from causal_zigzag import sample"],
    "from causal_zigzag import *": ["-c", "from causal_zigzag import *"],
    "causal-zigzag --help": ["-m", "causal_zigzag", "--help"],
}


def seconds(arguments: list[str], environment: dict[str, str]) -> float:
    """The CPU time, user and system, of a Python process with these arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print the figures."""
    rounds = ROUNDS // 4 if "--quick" in sys.argv else ROUNDS
    with tempfile.TemporaryDirectory() as compiled:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = compiled
        for arguments in THINGS.values():
            seconds(arguments, environment)
        turns = [[seconds(arguments, environment) for arguments in THINGS.values()] for _ in range(rounds)]
    print(machine())
    print(f"CPU seconds, of {rounds} rounds\n")
    print(f"{'what':34} {'median':>7} {'least':>7}")
    for name, took in zip(THINGS, zip(*turns, strict=True), strict=True):
        print(f"{name:34} {statistics.median(took):7.3f} {min(took):7.3f}")


if __name__ == "__main__":
    main()
