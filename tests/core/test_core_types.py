"""The types in ``_core.pyi`` are those of the compiled module: its signatures, as nanobind tells them."""

import ast
import re
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from causal_zigzag import _core

FILE = Path(_core.__file__ or "").parent / "_core.pyi"
if not FILE.exists():  # an editable installation: the module is elsewhere
    import causal_zigzag

    FILE = Path(causal_zigzag.__file__).parent / "_core.pyi"
TREE = ast.parse(FILE.read_text(encoding="utf-8"))
ALIASES = {
    node.targets[0].id: ast.unparse(node.value)
    for node in TREE.body
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
}


def members(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """By name, without those of Python itself; a property with a setter is listed once."""
    found: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.islower():
            found[node.targets[0].id] = node  # of an enum; names of types have capitals
    return {name: node for name, node in found.items() if not name.startswith("_")}


def names(of: Any) -> set[str]:
    """The members of a compiled class or module."""
    if isinstance(of, type) and issubclass(of, Enum):
        return set(of.__members__)
    return {name for name in vars(of) if not name.startswith("_") and name != "causal_zigzag"}


def outermost(annotation: str) -> set[str]:
    """The names of types in a union, without what is in brackets, so that ``list[int] | None`` gives list and None."""
    text = annotation.replace("causal_zigzag._core.", "").replace("numpy.ndarray", "NDArray")
    text = re.sub(r"\b(\w+)\b", lambda word: ALIASES.get(word[1], word[1]), text)
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = shorter
    return {part.strip() for part in text.split("|")}


def parameters(signature: str) -> list[str]:
    """The names of parameters in a signature of nanobind, "" where it has none."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")") if "->" not in signature else None]
    inside = inside.rpartition(") ->")[0] if "->" in signature else inside
    while (shorter := re.sub(r"[\[(][^\[\]()]*[\])]", "", inside)) != inside:
        inside = shorter
    given = [part.split(":")[0].split("=")[0].strip() for part in inside.split(",")]
    return ["" if re.fullmatch(r"arg\d*", name) else name for name in given if name not in ("", "/", "*", "self")]


def compare(place: str, node: ast.stmt, made: Any) -> list[str]:
    """How a member of the file differs from the compiled one."""
    if isinstance(node, ast.ClassDef):
        written = members(node.body)
        found = [f"{place}.{name}" for name in sorted(set(written) ^ names(made))]
        return found + [
            fault
            for name, member in written.items()
            if name in names(made) and not isinstance(member, ast.Assign)
            for fault in compare(f"{place}.{name}", member, vars(made)[name])
        ]
    if not isinstance(node, ast.FunctionDef):
        return [] if isinstance(made, property) or not callable(made) else [f"{place} is called"]
    function = made.fget if isinstance(made, property) else made
    signatures = getattr(function, "__nb_signature__", ())
    if len(signatures) != 1:  # overloaded, or of Python
        return []
    signature = signatures[0][0]
    returned = outermost(signature.rpartition("->")[2].strip())
    expected = outermost(ast.unparse(node.returns)) if node.returns is not None else set()
    faults = [] if returned in (expected, {"object"}) else [f"{place} returns {returned}, not {expected}"]
    written_names = [a.arg for a in (*node.args.args, *node.args.kwonlyargs) if a.arg != "self"]
    compiled = parameters(signature)
    same = len(compiled) == len(written_names) and all(
        a in ("", b) for a, b in zip(compiled, written_names, strict=True)
    )
    return faults if same else [*faults, f"{place} takes {compiled}, not {written_names}"]


def test_the_file_has_the_members_of_the_module() -> None:
    assert set(members(TREE.body)) == names(_core)


@pytest.mark.parametrize("name", sorted(members(TREE.body)))
def test_the_signatures_are_those_of_the_module(name: str) -> None:
    assert compare(name, members(TREE.body)[name], getattr(_core, name)) == []
