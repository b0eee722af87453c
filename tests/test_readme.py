"""Every Python example of README.md and docs/*.md runs, top to bottom, as a reader would type it."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.nosanitize

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        above = text.count("\n", 0, block.start(1))  # a traceback then names the line of the page
        exec(compile("\n" * above + block[1], str(page), "exec"), namespace)


def test_readme_has_an_example() -> None:
    assert BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))
