"""Processor time and memory that hostile files take until they are refused.

    python benchmarks/hostile_files.py > benchmarks/hostile_files.txt
    python benchmarks/hostile_files.py one NAME     # one file, in a process of its own

Each file is small, and stands for much more: it is opened in a process of its own, and the peak of the memory is that
of the process, of which Python and the package take about 45 MB.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from common import machine

import causal_zigzag as cz

if TYPE_CHECKING:
    from collections.abc import Callable


def sheet(path: Path, cells: str) -> None:
    """A sheet of these cells, as in a workbook."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{cells}</sheetData></worksheet>")


def aliases(path: Path) -> None:
    """Ten lists of ten aliases of the list before, in YAML."""
    levels = [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 10)]
    path.write_text("\n".join(["l0: &l0 [a, b]", *levels, "tiers: *l9"]))


def bomb(path: Path) -> None:
    """A saved posterior with an entry that expands to a gigabyte."""
    cz.sample(cz.Uniform(3), jumps=50, chains=1, rng=1, progress=False).save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("99.npy", bytes(2**30))


def giant(path: Path) -> None:
    """Ten gigabytes of zeros that take no room on the disk."""
    with path.open("wb") as file:
        file.truncate(10 * 2**30)


FILES: dict[str, tuple[Callable[[Path], object], str, Callable[[Path], object]]] = {
    "YAML of aliases of aliases": (aliases, "k.yaml", cz.Knowledge.load),
    "YAML with a number in base 60": (
        lambda p: p.write_text("tiers: 1" + ":59" * 200_000), "k.yaml", cz.Knowledge.load),
    "YAML of lists in lists": (lambda p: p.write_text("tiers: " + "[" * 100_000), "k.yaml", cz.Knowledge.load),
    "Excel, a cell at XFD1048576": (
        lambda p: sheet(p, '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'), "t.xlsx", cz.read_table),
    "Excel, a row number of 14 digits": (lambda p: sheet(p, '<row r="99999999999999"/>'), "t.xlsx", cz.read_table),
    "Excel that expands to 500 MB": (lambda p: sheet(p, " " * 500_000_000), "t.xlsx", cz.read_table),
    "gzip that expands to 300 MB": (
        lambda p: p.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 75_000_000)), "t.csv.gz", cz.read_table),
    "CSV of 5 million commas": (lambda p: p.write_text("," * 5_000_000), "t.csv", cz.read_table),
    "CSV of 5 million quotes": (lambda p: p.write_text('"' * 5_000_000), "t.csv", cz.read_table),
    "posterior that expands to 1 GB": (bomb, "p.czz", cz.load),
    "10 GB of zeros as a posterior": (giant, "p.czz", cz.load),
    "10 GB of zeros as knowledge": (giant, "k.json", cz.Knowledge.load),
}  # fmt: skip


def peak_megabytes() -> float:
    """The most memory that this process has held."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def open_one(name: str, path: Path) -> None:
    """Open the file and print the seconds, the peak memory in MB and the error."""
    begun = process_time()
    try:
        FILES[name][2](path)
        said = "accepted"
    except cz.CausalZigzagError as error:
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
    seconds, peak = process_time() - begun, peak_megabytes()
    print(f"{seconds:>8.2f} {peak:>8.0f}  {said.replace(str(path), path.name)[:100]}")


def main() -> None:
    """Print one line per file."""
    print(f"# {machine()}")
    print(f"{'file':<34}{'bytes':>15} {'seconds':>8} {'peak MB':>8}  result")
    for name, (write, file, _) in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, file)
            write(path)
            command = [sys.executable, __file__, "one", name, str(path)]
            done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
            print(f"{name:<34}{path.stat().st_size:>15,} {done.stdout.strip() or done.stderr[-200:]}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        open_one(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
