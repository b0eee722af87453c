"""The reference documents every public name, links between pages are valid, and each line of the tasks runs."""

import re
from pathlib import Path

import pytest

import causal_zigzag as cz

pytestmark = pytest.mark.nosanitize

DOCS = Path(__file__).parents[1] / "docs"
REFERENCE = "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)|^:::\{figure\} (\S+)", re.MULTILINE)


@pytest.mark.parametrize("name", cz.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    assert re.search(rf"^\.\. auto\w+:: (causal_zigzag\.(\w+\.)*)?{name}$", REFERENCE, re.MULTILINE)


PAGES = sorted(DOCS.glob("**/*.md"))


def test_links_are_found() -> None:
    assert len([link for page in PAGES for link in LINK.finditer(page.read_text(encoding="utf-8"))]) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page: Path) -> None:
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        assert (page.parent / (match[1] or match[2])).exists(), match[0]


SHORTER = {"minutes=5": "jumps=500", "resample()": "resample(2, rng=1)", "causes()": "causes(steps=5_000, rng=1)"}


def test_each_line_of_the_tasks_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tasks.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [re.findall(r"`([^`]*)`", row.split("|")[2]) for row in text.splitlines() if row.startswith("| ")][1:]
    assert len(lines) == 20
    own = dict[str, object]()
    exec(block.replace("20_000", "2_000"), own)
    for line in (one for row in lines for one in row if not one.startswith("posterior = ")):
        for long, short in SHORTER.items():
            line = line.replace(long, short)
        if "knowledge=" in line:
            line = line.replace("data,", "data, jumps=500, resamples=0,")
        assert eval(line, own) is not None or line.startswith(("posterior.save", "posterior.report")), line
