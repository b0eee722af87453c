"""Every Python example of README.md and docs/*.md runs as written, README's commands run, and its numbers are right."""

import os
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import causal_zigzag as cz

pytestmark = pytest.mark.nosanitize

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
README = PAGES[0].read_text(encoding="utf-8")
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        above = text.count("\n", 0, block.start(1))  # so that a traceback names the line of the page
        exec(compile("\n" * above + block[1], str(page), "exec"), namespace)


@pytest.mark.long
def test_commands_run(tmp_path: Path) -> None:
    """The block of commands for the user's own table; CI runs the commands that install and test the package."""
    block = next(found for found in SHELL.findall(README) if "sample alzheimer" in found)
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    quick = re.sub(r"--minutes \d+ ", "--minutes 0.02 ", re.sub(r" +#.*", "", block))
    script = "set -uo pipefail\n" + re.sub(r"$", " || (($? == 3)) || exit 1", quick.rstrip(), flags=re.MULTILINE)
    environment = os.environ | {"PATH": path}
    subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, check=True, stdout=subprocess.PIPE)
    assert {"run.czz", "run.html", "folder.run", "edges.csv"} <= {made.name for made in tmp_path.iterdir()}


def test_stated_probabilities_are_those_of_the_example() -> None:
    """README states the probability of the true class, and of the class that also joins rain and sprinkler."""
    stated = re.search(
        r"The true class has probability (0\.\d\d)\..*?(0\.\d\d) is on the class that\s+also joins", README, re.DOTALL
    )
    assert stated is not None
    example = next(block for block in BLOCK.findall(README) if "collider" in block)
    namespace: dict[str, Any] = {"cz": cz}
    exec(compile(example, "README.md", "exec"), namespace)
    first, second = namespace["posterior"].top(2)
    assert first.graph == namespace["collider"]
    assert f"{first.probability:.2f}" == stated[1]
    assert f"{second.probability:.2f}" == stated[2]
    assert ("rain", "sprinkler") in second.graph.undirected_edges
    assert not second.graph.directed_edges


def test_readme_has_an_example() -> None:
    assert BLOCK.search(README)
