"""The layout of the source: few modules per folder, short files with a purpose, and no cycles of imports."""

import ast
import configparser
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

import causal_zigzag as cz

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "causal_zigzag"
TEST_FILES = sorted((ROOT / "tests").rglob("*.py"))
CORE_FILES = sorted(path for path in (ROOT / "core").rglob("*.[hc]pp"))
PYTHON_FILES = sorted(SOURCE.rglob("*.py"))

MOST_AT_THE_TOP, MOST_IN_A_FOLDER = 10, 20  # modules
MOST_LINES = 500

pytestmark = [
    pytest.mark.nosanitize,
    pytest.mark.skipif(not PACKAGE.is_dir(), reason="the source is not here"),
]


def test_the_files_are_found() -> None:
    """The other tests of this file loop over them."""
    assert Path(cz.__file__).name in {path.name for path in PYTHON_FILES}
    assert min(len(PYTHON_FILES), len(CORE_FILES), len(TEST_FILES)) > 40


def test_no_folder_holds_too_many_modules() -> None:
    for folder in {path.parent for path in PYTHON_FILES}:
        modules = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
        most = MOST_AT_THE_TOP if folder == PACKAGE else MOST_IN_A_FOLDER
        assert len(modules) <= most, f"{folder} has {len(modules)} modules"


def test_every_python_file_begins_with_a_sentence() -> None:
    for path in [*PYTHON_FILES, *TEST_FILES]:
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        assert re.match(r"[^\n]{10,}[.:]($|\n)", docstring), f"{path} does not begin with a sentence on one line"


def test_every_file_of_the_core_begins_with_a_sentence() -> None:
    for path in CORE_FILES:
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        assert re.match(r"// \S.{10,}", first), f"{path} does not begin with a comment that states its purpose"


def test_no_file_is_too_long() -> None:
    for path in [*PYTHON_FILES, *CORE_FILES, *TEST_FILES]:
        lines = path.read_text(encoding="utf-8").count("\n")
        assert lines < MOST_LINES, f"{path} has {lines} lines"


def test_tests_mirror_the_package() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    apart = {"core", "data", "exhaustive", "process", "statistical"}
    found = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and not path.name.startswith("__")}
    assert found - apart <= folders


# ---- cycles of imports


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in PYTHON_FILES}


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes, also those inside functions, but not those under ``if TYPE_CHECKING``."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            children: list[ast.AST] = [*node.orelse]
        else:
            children = [node]
        for child in children:
            yield child
            yield from run_time_nodes(child)


def imported(module: str, source: str) -> set[str]:
    """The modules of the project that a module imports at run time, at its top or inside functions."""
    found: set[str] = set()
    for node in run_time_nodes(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:  # only within one folder: ruff bans the others
                parent = module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]
                base = f"{parent}.{base}".rstrip(".")
            names = {f"{base}.{alias.name}" for alias in node.names}
            found |= (names & {*modules()}) or {base}
    return (found & {*modules()}) - {module}


def handed_over() -> set[tuple[str, str]]:
    """The imports by which methods such as ``plot`` and ``report`` hand over to a later layer."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    lines = parser["importlinter:contract:rooms"]["ignore_imports"].split("\n")
    pairs = [line.split(" -> ") for line in lines if line.strip()]
    return {(a.strip(), b.strip()) for a, b in pairs}


def cycles(edges: set[tuple[str, str]]) -> list[list[str]]:
    return [sorted(found) for found in nx.strongly_connected_components(nx.DiGraph(sorted(edges))) if len(found) > 1]


def test_imports_have_no_cycles() -> None:
    """Counting those inside functions, but for the ones that hand over to a later layer."""
    texts = {module: path.read_text(encoding="utf-8") for module, path in modules().items()}
    edges = {(module, other) for module, text in texts.items() for other in imported(module, text)}
    assert len(edges) > len(modules())
    assert handed_over() <= edges
    assert cycles(edges - handed_over()) == []


def test_the_test_of_imports_sees_them() -> None:
    source = """
import causal_zigzag.errors
if TYPE_CHECKING:
    from causal_zigzag.posterior.posterior import Posterior
else:
    from causal_zigzag import sampling
def f():
    from causal_zigzag.graphs.cpdag import CPDAG
    from .labels import Labels
"""
    assert imported("causal_zigzag.graphs.operators", source) == {
        "causal_zigzag.errors", "causal_zigzag.sampling", "causal_zigzag.graphs.cpdag", "causal_zigzag.graphs.labels",
    }  # fmt: skip
    assert cycles({("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}) == [["a", "b", "c"]]
