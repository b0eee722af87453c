"""The knowledge of a target: what it is checked against, how it is printed, and that files keep it."""

from pathlib import Path

import pytest

import causal_zigzag as cz
from causal_zigzag.storage.container import from_bytes, to_bytes
from causal_zigzag.target.edge_prior import EdgePrior
from causal_zigzag.target.knowledge import Knowledge
from causal_zigzag.target.target import Target

NAMES = ["a", "b", "c", "d"]
KNOWN = cz.Knowledge(tiers=[["a"], ...], required=[("b", "c")])
KINDS = (Target, EdgePrior, Knowledge)


def read(**arguments: object) -> Target:
    return Target.read(cz.Uniform(NAMES), **arguments)


def test_the_arrows_are_pairs_of_numbers() -> None:
    target = read(knowledge=KNOWN)
    assert target.forbidden_arrows == [(1, 0), (2, 0), (2, 1), (3, 0)]
    assert target.required_arrows == [(1, 2)]
    assert target.arrows.n == 4
    assert (read().arrows, read().forbidden_arrows, read().required_arrows) == (None, [], [])
    assert read(knowledge=cz.Knowledge()).knowledge is None


def test_it_is_named_in_words() -> None:
    assert str(read(knowledge=KNOWN)).splitlines()[-1] == "knowledge   tiers: a before all others; required: b -> c"
    assert "knowledge" not in str(read())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"knowledge": "a<b"}, "knowledge must be a cz.Knowledge, not 'a<b'"),
        ({"knowledge": cz.Knowledge(required=[("a", "x")])}, "required a -> x: unknown node x; the nodes are a, b"),
        ({"knowledge": cz.Knowledge(required=[("a", "d"), ("b", "d"), ("c", "d")]), "max_degree": 2},
         "knowledge requires 3 arrows at d, more than max_degree=2"),
    ],
)  # fmt: skip
def test_what_contradicts_the_rest_of_the_target_is_refused(arguments: dict, message: str) -> None:
    with pytest.raises(cz.KnowledgeError, match=message):
        read(**arguments)


def test_files_keep_it(tmp_path: Path) -> None:
    target = read(knowledge=KNOWN, coldness=0.5)
    again = from_bytes(to_bytes(target, KINDS), Target, KINDS)
    assert again.knowledge == KNOWN
    assert again.forbidden_arrows == target.forbidden_arrows
    assert from_bytes(to_bytes(read(), KINDS), Target, KINDS).knowledge is None


def test_a_file_with_a_contradiction_is_refused() -> None:
    data = to_bytes(read(knowledge=cz.Knowledge(required=[("a", "b")])), KINDS)
    other = Target.read(cz.Uniform(["a", "x"]))
    object.__setattr__(other, "knowledge", cz.Knowledge(required=[("a", "b")]))
    assert from_bytes(data, Target, KINDS).knowledge
    with pytest.raises(cz.FileError, match="unknown node b"):
        from_bytes(to_bytes(other, KINDS), Target, KINDS)
