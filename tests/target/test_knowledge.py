"""Knowledge: what its parts forbid and require, which contradictions it refuses, and how it is printed."""

import pickle
from dataclasses import FrozenInstanceError, replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causal_zigzag as cz
from causal_zigzag.target.knowledge import read_knowledge
from causal_zigzag.target.knowledge_checks import find_cycle
from known_dags import KNOWLEDGES

NAMES = ["a", "b", "c", "d"]


def forbidden(known: cz.Knowledge, names: list = NAMES) -> set[str]:
    """The forbidden arrows as text."""
    return {f"{names[x]}{names[y]}" for x, y in known.arrows(names)[0]}


def required(known: cz.Knowledge, names: list = NAMES) -> set[str]:
    return {f"{names[x]}{names[y]}" for x, y in known.arrows(names)[1]}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ""),
        ({"tiers": [["a"], ["b"]]}, "ba"),
        ({"tiers": [["a", "b"], ["c"], ["d"]]}, "ca cb da db dc"),
        ({"tiers": [["a"], ...]}, "ba ca da"),
        ({"tiers": [..., ["a"]]}, "ab ac ad"),
        ({"tiers": [["a"], "...", ["d"]]}, "ba ca da db dc"),
        ({"tiers": [["a", "b"], ["c"]], "no_edges_within": True}, "ca cb ab ba"),
        ({"tiers": [["a", "b"], ["c", "d"]], "no_edges_within": [1]}, "ca cb da db cd dc"),
        ({"tiers": [["a", "b"]], "no_edges_within": [0]}, "ab ba"),
        ({"tiers": [["a"], ["b"], ["c"]], "neighboring_tiers_only": True}, "ba ca cb ac"),
        ({"tiers": [["a"], ..., ["d"]], "neighboring_tiers_only": True}, "ba ca da db dc ad"),
        ({"forbidden": [("a", "b"), ("a", "b"), ("c", "d")]}, "ab cd"),
        ({"required": [("a", "b")]}, "ba"),
        ({"apart": [("a", "b"), {"b", "a"}, ("d", "c")]}, "ab ba cd dc"),
        ({"conditions": ["a", "b"]}, "ba ca da ab cb db"),
        ({"conditions": ["a"], "tiers": [["b"], ...]}, "ba ca da cb db"),
        ({"conditions": ["a"], "tiers": [["b"], ["c"], ["d"]], "neighboring_tiers_only": True},
         "ba ca da cb db dc bd"),
    ],
)  # fmt: skip
def test_the_forbidden_arrows(arguments: dict, expected: str) -> None:
    assert forbidden(cz.Knowledge(**arguments)) == {*expected.split()}


def test_required_arrows_are_given_and_their_reverse_is_forbidden() -> None:
    known = cz.Knowledge(required=[("a", "b"), ("a", "b"), ("c", "b")], forbidden=[("b", "a")])
    assert known.arrows(NAMES) == ([(1, 0), (1, 2)], [(0, 1), (2, 1)])


def test_nodes_may_be_numbers_if_no_label_is_one() -> None:
    by_name = cz.Knowledge(tiers=[["a"], ["b"]], required=[("c", "d")])
    by_number = cz.Knowledge(tiers=[[0], [np.int64(1)]], required=[(2, 3)])
    assert by_name.arrows(NAMES) == by_number.arrows(NAMES)
    assert by_number.arrows(4) == by_name.arrows(NAMES)
    assert cz.Knowledge(forbidden=[(7, 5)]).arrows([5, 6, 7])[0] == [(2, 0)]
    with pytest.raises(cz.KnowledgeError, match=r"forbidden 0 -> 5: unknown node 0; the nodes are 5, 6, 7"):
        cz.Knowledge(forbidden=[(0, 5)]).arrows([5, 6, 7])


@pytest.mark.parametrize(
    ("arguments", "message", "nodes"),
    [
        ({"tiers": [["a"], ["b"]], "required": [("b", "a")]}, r"required b -> a contradicts the tiers", "ba"),
        ({"tiers": [["a"], ...], "required": [("b", "a")]}, r"a is in an earlier tier than b", "ba"),
        ({"tiers": [..., ["a"]], "required": [("a", "b")]}, r"b is in an earlier tier than a", "ab"),
        ({"tiers": [["a", "b"], ["c"]], "no_edges_within": True, "required": [("a", "b")]}, "same tier", "ab"),
        ({"tiers": [["a"], ["b"], ["c"]], "neighboring_tiers_only": True, "required": [("a", "c")]},
         "the tiers of a and c are not neighbors", "ac"),
        ({"conditions": ["a"], "required": [("b", "a")]}, "a is a condition, which no other node causes", "ba"),
        ({"conditions": ["a", "b"], "required": [("b", "a")]}, "a is a condition", "ba"),
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "a -> b is both required and forbidden", "ab"),
        ({"required": [("a", "b")], "apart": [("b", "a")]}, "a -> b is required, but the pair is apart", "ab"),
        ({"apart": [("a", "a")]}, "no edge joins a node with itself", "a"),
        ({"required": [("a", "b"), ("b", "a")]}, "the cycle a -> b -> a", "ab"),
        ({"required": [("d", "a"), ("c", "b"), ("a", "c"), ("b", "a")]}, "the cycle a -> c -> b -> a, which no DAG",
         "acb"),
        ({"required": [("a", "a")]}, "no edge joins a node with itself, such as a", "a"),
        ({"forbidden": [("a", "a")]}, "no edge joins a node with itself", "a"),
        ({"tiers": [["a", "b"], ["c", "a"]]}, "a is in tier 1 and in tier 2", "a"),
        ({"tiers": [["a", "a"], ["b"]]}, "a is in tier 1 and in tier 1; name it once", "a"),
        ({"conditions": ["a"], "tiers": [["b"], ["a"]]}, "a is a condition and in tier 2", "a"),
    ],
)  # fmt: skip
def test_contradictions_are_refused_with_the_nodes_that_show_why(arguments: dict, message: str, nodes: str) -> None:
    with pytest.raises(cz.KnowledgeError, match=message) as caught:
        cz.Knowledge(**arguments)
    assert caught.value.nodes == tuple(nodes)
    assert isinstance(caught.value, cz.CausalZigzagError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tiers": "ab"}, "tiers must be a sequence of groups of nodes"),
        ({"tiers": 3}, "tiers must be a sequence of groups of nodes"),
        ({"tiers": {("a",), ("b",)}}, "a set has none"),
        ({"tiers": ["age", "bmi"]}, "a tier must be a collection of nodes, not 'age'"),
        ({"tiers": [["a"], 4]}, "a tier must be a collection of nodes, not 4"),
        ({"tiers": [..., ["a"], ...]}, "tiers has ... twice"),
        ({"tiers": [["a", "b"]]}, "a single tier says nothing"),
        ({"tiers": [[["a"]], ["b"]]}, r"hashable.*\['a'\]"),
        ({"required": "ab"}, "required must be a collection of arrows"),
        ({"required": ["ab"]}, "a collection of arrows .* not 'ab'"),
        ({"required": [{"a", "b"}]}, "required must be a collection of arrows .* but it contains"),
        ({"forbidden": [("a", "b", "c")]}, "forbidden must be .* but it contains"),
        ({"forbidden": [("a", ["b"])]}, r"hashable.*\['b'\]"),
        ({"apart": ["ab"]}, "apart must be a collection of pairs of nodes"),
        ({"forbidden": 1}, "forbidden must be a collection of arrows"),
        ({"conditions": "drug"}, "conditions must be a collection of nodes, not 'drug'"),
        ({"tiers": [["a"], ["b"]], "no_edges_within": [2]}, r"not \[2\], and there are 2 tiers"),
        ({"tiers": [["a"], ["b"]], "no_edges_within": [1.0]}, r"not \[1\.0\]"),
        ({"tiers": [["a"], ["b"]], "no_edges_within": 1}, "must be True, False or the numbers of tiers, from 0, not 1"),
        ({"neighboring_tiers_only": "yes"}, "neighboring_tiers_only must be True or False, not 'yes'"),
    ],
)
def test_malformed_arguments_are_refused(arguments: dict, message: str) -> None:
    with pytest.raises(cz.KnowledgeError, match=message):
        cz.Knowledge(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tiers": [["a"], ["x"]]}, "tier 2 of 2: unknown node x; the nodes are a, b, c, d"),
        ({"required": [("a", "x")]}, "required a -> x: unknown node x"),
        ({"forbidden": [("x", "a")]}, "forbidden x -> a: unknown node x"),
        ({"conditions": ["x"]}, "conditions: unknown node x"),
        ({"forbidden": [(4, 0)]}, "unknown node 4"),
        ({"forbidden": [(True, 0)]}, "unknown node True"),
    ],
)
def test_unknown_names_are_refused_when_the_nodes_are_known(arguments: dict, message: str) -> None:
    with pytest.raises(cz.KnowledgeError, match=message) as caught:
        cz.Knowledge(**arguments).arrows(NAMES)
    assert len(caught.value.nodes) == 1


def test_a_node_that_is_given_by_its_name_and_by_its_number_contradicts_itself_as_well() -> None:
    with pytest.raises(cz.KnowledgeError, match="a is in tier 1 and in tier 2"):
        cz.Knowledge(tiers=[["a"], [0]]).arrows(NAMES)
    with pytest.raises(cz.KnowledgeError, match="both required and forbidden"):
        cz.Knowledge(required=[("a", "b")], forbidden=[(0, 1)]).arrows(NAMES)
    with pytest.raises(cz.KnowledgeError, match="the cycle a -> b -> a"):
        cz.Knowledge(required=[("a", "b"), (1, 0)]).arrows(NAMES)
    with pytest.raises(cz.KnowledgeError, match="joins a node with itself"):
        cz.Knowledge(required=[("a", 0)]).arrows(NAMES)


def test_contexts_are_conditions_without_edges_among_them() -> None:
    known = cz.Knowledge.contexts(["a", "b"], tiers=[["c"], ["d"]], required=[("a", "c")])
    assert known == cz.Knowledge(conditions=["b", "a"], tiers=[["c"], ["d"]], required=[("a", "c")])
    assert forbidden(known) == {*["ba", "ca", "da", "ab", "cb", "db", "dc"]}
    assert required(known) == {"ac"}
    with pytest.raises(cz.KnowledgeError, match="must be a collection of nodes, not 'drug'"):
        cz.Knowledge.contexts("drug")


def test_it_is_printed_in_words() -> None:
    known = cz.Knowledge(
        tiers=[["age", "sex"], ["bmi"], ...],
        required=[("age", "bmi")],
        forbidden=[("sex", "bmi")],
        apart=[("sex", "weight")],
        conditions=["drug"],
        no_edges_within=[0],
        neighboring_tiers_only=True,
    )
    assert str(known) == (
        "conditions without causes: drug; tiers: age, sex before bmi before all others; no edges within: age, sex; "
        "edges between neighboring tiers only; required: age -> bmi; forbidden: sex -> bmi; "
        "never joined: sex and weight"
    )
    assert repr(known) == f"Knowledge({known})"
    assert (
        str(cz.Knowledge(tiers=[["a"], ["b"]], no_edges_within=True)) == "tiers: a before b; no edges within any tier"
    )
    assert (str(cz.Knowledge()), repr(cz.Knowledge())) == ("nothing", "Knowledge()")
    many = cz.Knowledge(forbidden=[(0, k) for k in range(1, 13)])
    assert str(many).endswith("0 -> 10, ... (12 in all)")


def test_it_is_an_immutable_value() -> None:
    known = cz.Knowledge(tiers=[["a", "b"], ["c"]], forbidden=[("a", "b"), ("c", "d")], apart=[("a", "e")])
    same = cz.Knowledge(tiers=[["b", "a"], ["c"]], forbidden=[("c", "d"), ("a", "b")], apart=[("e", "a")])
    assert known == same
    assert hash(known) == hash(same)
    assert pickle.loads(pickle.dumps(known)) == known
    assert replace(known) == known
    others = [
        cz.Knowledge(tiers=[["c"], ["a", "b"]], forbidden=known.forbidden),
        replace(known, forbidden=()),
        replace(known, apart=()),
        replace(known, required=[("a", "d")]),
        replace(known, conditions=["e"]),
        replace(known, no_edges_within=True),
        replace(known, neighboring_tiers_only=True),
    ]
    assert all(known != other for other in others)
    assert known != "a"
    with pytest.raises(FrozenInstanceError):
        known.tiers = ()  # type: ignore[misc]
    assert known
    assert not cz.Knowledge()


def test_the_argument_of_users_must_be_a_knowledge() -> None:
    known = cz.Knowledge(forbidden=[("a", "b")])
    assert read_knowledge(known) is known
    assert read_knowledge(None) is None
    assert read_knowledge(cz.Knowledge()) is None
    with pytest.raises(cz.KnowledgeError, match=r"knowledge must be a cz\.Knowledge"):
        read_knowledge([("a", "b")])


@given(st.integers(1, 5).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_a_cycle_is_found_exactly_if_no_order_of_the_nodes_fits(case: tuple[int, set[tuple[int, int]]]) -> None:
    n, arrows = case
    cycle = find_cycle(n, tuple(arrows))
    fits = any(all(order.index(x) < order.index(y) for x, y in arrows) for order in permutations(range(n)))
    assert bool(cycle) != fits
    assert all((x, y) in arrows for x, y in zip(cycle, cycle[1:] + cycle[:1], strict=True))


@pytest.mark.parametrize("name", KNOWLEDGES)
def test_an_arrow_can_be_required_exactly_if_it_is_not_forbidden(name: str) -> None:
    """The reason for refusing a required arrow and the list of forbidden arrows are computed separately."""
    known = replace(KNOWLEDGES[name], required=())
    barred = {*known.arrows(5)[0]}
    for arrow in permutations(range(5), 2):
        try:
            replace(known, required=[arrow]).arrows(5)
        except cz.KnowledgeError:
            assert arrow in barred
        else:
            assert arrow not in barred
