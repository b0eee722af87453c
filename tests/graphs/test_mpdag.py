"""MPDAG: the agreeing DAGs of a class, compared with a list of them."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest

import causal_zigzag as cz
from known_dags import KNOWLEDGES, agreeing, all_dags, class_numbers, shared_edges


@pytest.mark.parametrize("name", KNOWLEDGES)
def test_every_class_of_four_nodes(name: str) -> None:
    """Edges, counts and a member, or an error for the classes without agreeing DAGs."""
    known, agree = KNOWLEDGES[name], agreeing(4, name)
    of, classes = class_numbers(4)
    dags = all_dags(4)
    for number, g in enumerate(classes):
        members = dags[(of == number) & agree]
        if not len(members):
            with pytest.raises(cz.KnowledgeError):
                g.with_knowledge(known)
            continue
        restricted = g.with_knowledge(known)
        edges = shared_edges(members)
        assert (restricted.matrix() == edges).all()
        assert restricted.cpdag == g
        assert restricted.count_dags() == len(members)
        listed = {dag.astype(np.uint8).tobytes() for dag in members}
        assert restricted.dag().tobytes() in listed
        assert restricted.random_dag(rng=1).tobytes() in listed
        assert restricted.directed_edges == tuple(map(tuple, np.argwhere(edges & ~edges.T).tolist()))
        assert restricted.undirected_edges == tuple(map(tuple, np.argwhere(np.triu(edges & edges.T)).tolist()))
        lines = g.matrix() & g.matrix().T
        alone = np.argwhere(edges & ~edges.T & (lines > 0)).tolist()
        assert restricted.edges_from_knowledge == tuple(map(tuple, alone))
        for v in range(4):
            assert restricted.parents(v) == {*np.flatnonzero(edges[:, v] & ~edges[v]).tolist()}
            assert restricted.children(v) == {*np.flatnonzero(edges[v] & ~edges[:, v]).tolist()}
            assert restricted.neighbors(v) == {*np.flatnonzero(edges[v] & edges[:, v]).tolist()}
            assert restricted.adjacent(v) == restricted.parents(v) | restricted.children(v) | restricted.neighbors(v)


def test_random_dags_are_uniform_over_the_agreeing_ones() -> None:
    """A chi-squared test with a false-alarm rate of 1e-4."""
    g = cz.CPDAG.complete(4).with_knowledge(cz.Knowledge(forbidden=[(0, 1), (2, 3)]))
    draws = 6000
    counts = Counter(dag.tobytes() for dag in g.random_dags(draws, rng=3))
    assert len(counts) == g.count_dags() == 6
    statistic = sum((count - draws / 6) ** 2 / (draws / 6) for count in counts.values())
    assert statistic < 25.7  # of 5 degrees of freedom


@pytest.mark.parametrize(
    ("g", "known", "message", "nodes"),
    [
        (cz.CPDAG.empty(["a", "b"]), cz.Knowledge(required=[("a", "b")]), "they are not adjacent", "ab"),
        (cz.CPDAG.from_dag([("a", "c"), ("b", "c")]), cz.Knowledge(forbidden=[("a", "c")]),
         "all DAGs of the class have a -> c, which the knowledge forbids", "ac"),
        (cz.CPDAG.complete(["a", "b"]), cz.Knowledge(forbidden=[("a", "b"), ("b", "a")]), "forbids both", "ab"),
        (cz.CPDAG.from_dag([("a", "b"), ("b", "c")]), cz.Knowledge(tiers=[["a", "c"], ["b"]]),
         "the knowledge does not allow b -> ., but the DAGs of the class that agree with the rest", "cb"),
    ],
)  # fmt: skip
def test_a_class_that_does_not_agree_is_refused_with_the_nodes_that_show_why(
    g: cz.CPDAG, known: cz.Knowledge, message: str, nodes: str
) -> None:
    with pytest.raises(cz.KnowledgeError, match=message) as caught:
        g.with_knowledge(known)
    assert {*caught.value.nodes} == {*nodes}


def test_other_arguments_are_refused() -> None:
    with pytest.raises(cz.KnowledgeError, match=r"with_knowledge needs a cz\.Knowledge, not 3"):
        cz.CPDAG.empty(2).with_knowledge(3)  # type: ignore[arg-type]
    with pytest.raises(cz.GraphError, match="make an MPDAG by with_knowledge"):
        cz.MPDAG()


def test_it_is_an_immutable_value() -> None:
    g = cz.CPDAG.complete(["a", "b", "c"])
    one = g.with_knowledge(cz.Knowledge(tiers=[["a"], ...]))
    same = g.with_knowledge(cz.Knowledge(required=[("a", "b"), ("a", "c")]))
    other = g.with_knowledge(cz.Knowledge(tiers=[["b"], ...]))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != g
    assert len(one) == 3
    assert one.knowledge == cz.Knowledge(tiers=[["a"], ...])
    assert copy.copy(one) is one is copy.deepcopy(one)
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(AttributeError, match="immutable"):
        one.cpdag = g  # type: ignore[misc]
    with pytest.raises(AttributeError, match="immutable"):
        del one.cpdag
    one.matrix()[0, 1] = 7
    assert one.matrix().max() == 1
    assert repr(one) == "MPDAG(3 nodes, 2 directed and 1 undirected edges: a -> b, a -> c, b - c)"
    assert repr(cz.CPDAG.empty(1).with_knowledge(cz.Knowledge())) == "MPDAG(1 node, no edges)"


def test_formats() -> None:
    g = cz.CPDAG.complete(["a", "b", "c"]).with_knowledge(cz.Knowledge(tiers=[["a"], ...]))
    arcs = {("a", "b"), ("a", "c"), ("b", "c"), ("c", "b")}
    assert {*g.to_networkx().edges} == arcs
    assert '"b" -> "c" [dir=none];' in g.to_dot()
    assert "b --- c" in g.to_tetrad()
    assert g.to_json().count("undirected") == 2
    svg = g._repr_svg_()
    assert svg is not None
    assert svg.count('class="edge arrow"') == 2
    assert svg.count('class="edge line"') == 1


@pytest.mark.parametrize("name", KNOWLEDGES)
def test_statements_about_it(name: str) -> None:
    """What holds in all, or some, of the agreeing DAGs."""
    n, known = 4, KNOWLEDGES[name]
    of, classes = class_numbers(n)
    of, dags = of[agreeing(n, name)], all_dags(n)[agreeing(n, name)]
    paths = dags
    for _ in range(n):
        paths = paths | (paths @ dags)
    for number in np.unique(of):
        g = classes[number].with_knowledge(known)
        edges, below = shared_edges(dags[of == number]), paths[of == number]
        for x in range(n):
            for y in range(n):
                if x != y:
                    assert cz.statements.directed(x, y)(g) == (edges[x, y] and not edges[y, x])
                    assert cz.statements.undirected(x, y)(g) == (edges[x, y] and edges[y, x])
                    assert cz.statements.adjacent(x, y)(g) == (edges[x, y] or edges[y, x])
                    assert cz.statements.possible_ancestor(x, y)(g) == below[:, x, y].any()
                    assert cz.statements.certain_ancestor(x, y)(g) == below[:, x, y].all()
                    assert not cz.statements.path(x, y)(g) or below[:, x, y].all()
