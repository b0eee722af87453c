"""The public names: imported when they are first used, and the same at run time as for a type checker."""

import ast
import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import causal_zigzag as cz

pytestmark = pytest.mark.nosanitize

OPTIONAL = {"pandas", "scipy", "sklearn", "networkx", "matplotlib", "tqdm", "click", "pyarrow", "arviz_base", "gadjid"}
SLOW = {"email", "importlib.metadata", "multiprocessing", "shutil", "tempfile", "zipfile"}


def loaded_by(code: str) -> set[str]:
    """The modules that ``code`` loads; what the environment loads at each start of Python does not count."""
    script = f"import sys; there = {{*sys.modules}}; {code}; print(*({{*sys.modules}} - there))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return {*run.stdout.split()}


def test_importing_the_package_loads_nothing_else() -> None:
    loaded = loaded_by("import causal_zigzag")
    assert {name for name in loaded if name.startswith("causal_zigzag")} == {"causal_zigzag"}
    assert not loaded & {"numpy", "dataclasses", "inspect", "json", "logging", "concurrent.futures", *SLOW, *OPTIONAL}


def test_the_name_sample_loads_what_sampling_takes() -> None:
    loaded = loaded_by("import causal_zigzag; causal_zigzag.sample")
    assert {"numpy", "causal_zigzag.sampling", "causal_zigzag._core"} <= loaded
    others = {"cli", "datasets", "exact", "figures", "interop", "report", "graphs.formats.any_text"}
    assert not loaded & {"concurrent.futures.process", *SLOW, *OPTIONAL, *(f"causal_zigzag.{name}" for name in others)}


def test_the_stub_names_where_each_public_name_is_defined() -> None:
    source = ast.parse(Path(cz.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    seen = {
        alias.name: node.module for node in ast.walk(source) if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen.keys() == {*cz.__all__, "CausalZigZag"}  # which needs scikit-learn, so a star leaves it out
    for name, module in seen.items():
        home = "causal_zigzag" if module is None else f"causal_zigzag.{module}"
        assert getattr(cz, name) is getattr(importlib.import_module(home), name)


def test_dir_lists_the_public_names_and_a_star_imports_them() -> None:
    code = """
import causal_zigzag as cz
assert {*cz.__all__} <= {*dir(cz)}
from causal_zigzag import *
assert all(globals()[name] is getattr(cz, name) for name in cz.__all__)
print(sample.__name__)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout == "sample\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="smaple"):
        cz.smaple  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'smaple'"):
        from causal_zigzag import smaple  # type: ignore[attr-defined]  # noqa: F401


def test_a_pickle_is_read_where_nothing_is_imported_yet() -> None:
    graph = cz.CPDAG.complete(["a", "b"])
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()))"
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(graph), capture_output=True, check=True)
    assert run.stdout.decode().strip() == repr(graph)
