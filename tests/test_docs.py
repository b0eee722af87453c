"""The reference documents every public name, and links between pages are valid."""

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
