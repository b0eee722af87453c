"""All DAGs of a class have the same total: all classes of 4 nodes, random members of larger ones; other scores fail."""

from collections import defaultdict

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.scores.equivalence import check_score_equivalence
from score_cases import FAMILIES, ByRow, all_dags, make_score, random_dag, reverse_covered_edges


@pytest.mark.parametrize("family", FAMILIES)
def test_every_class_of_four_nodes(family: str) -> None:
    score = make_score(family, 4, 60)
    totals = defaultdict(list)
    for dag in all_dags(4):
        totals[cz.CPDAG.from_dag(dag)].append(score.total(dag))
    assert len(totals) == 185
    assert sum(map(len, totals.values())) == 543
    for graph, members in totals.items():
        assert members == pytest.approx([score.total(graph)] * len(members), rel=1e-12)
    exact = cz.exact_posterior(score, edge_prior=None)
    known = exact.target.restriction  # of scores with conditions
    logs = np.array([-np.inf if known and known.fault(graph) else score.total(graph) for graph in totals])
    weights = np.exp(logs - logs.max())
    assert [exact.probability(graph) for graph in totals] == pytest.approx(weights / weights.sum(), abs=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("n", "edges_a_node"), [(8, 1.0), (12, 3.0), (20, 2.0)])
def test_random_members_of_random_classes(family: str, n: int, edges_a_node: float) -> None:
    score = make_score(family, n, 150)
    rng = np.random.default_rng(n)
    for _ in range(5):
        dag = random_dag(n, edges_a_node, rng)
        member = reverse_covered_edges(dag, 30, rng)
        assert cz.CPDAG.from_dag(member) == cz.CPDAG.from_dag(dag)
        assert score.total(member) == pytest.approx(score.total(dag), rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_check_accepts_equivalent_scores(family: str) -> None:
    check_score_equivalence(make_score(family, 6, 50), rng=1)
    check_score_equivalence(make_score(family, 2, 50), rng=1)


def test_a_violation_shows_the_two_dags_and_totals() -> None:
    class Lopsided(cz.Score):
        def local(self, node, parents):  # type: ignore[no-untyped-def]
            return -1.5 * len(parents) * (1 + (node == "b"))

    with pytest.raises(cz.ScoreError) as caught:
        check_score_equivalence(Lopsided(["a", "b"]))
    assert str(caught.value) in {
        "Lopsided is not score-equivalent: the DAGs a -> b (total -3.0) and b -> a (total -1.5) belong to one class",
        "Lopsided is not score-equivalent: the DAGs b -> a (total -1.5) and a -> b (total -3.0) belong to one class",
    }


@pytest.mark.parametrize("method", [cz.sample, cz.ges])
def test_a_users_score_is_tested_before_a_run(method) -> None:  # type: ignore[no-untyped-def]
    class Lopsided(cz.Score):
        def local(self, node, parents):  # type: ignore[no-untyped-def]
            return -1.5 * len(parents) * (1 + (node == "b"))

    with pytest.raises(cz.ScoreError, match="Lopsided is not score-equivalent"):
        method(Lopsided(["a", "b", "c"]))


def test_a_violation_deeper_down_is_found_and_true() -> None:
    class Convex(cz.Score):
        """Equivalent for up to one parent only: the number of parents squared depends on the member."""

        def local(self, node, parents):  # type: ignore[no-untyped-def]
            return -float(len(parents) ** 2) - 0.25 * (node == 2 and len(parents) == 2)

    score = Convex(5)
    with pytest.raises(
        cz.ScoreError, match=r"Convex is not score-equivalent: the DAGs (.*) belong to one class"
    ) as caught:
        check_score_equivalence(score)
    dags = str(caught.value).split("the DAGs ")[1].removesuffix(" belong to one class").split(" and ")
    classes, totals = [], []
    for text in dags:
        arrows, total = text.removesuffix(")").split(" (total ")
        edges = [tuple(int(v) for v in arrow.split(" -> ")) for arrow in arrows.split(", ")]
        classes.append(cz.CPDAG.from_dag(edges, nodes=5))
        totals.append((score.total(edges), float(total)))
    assert classes[0] == classes[1]
    assert totals[0][0] != totals[1][0]


def test_a_score_that_is_rarely_wrong_is_found_by_more_edges() -> None:
    class Rare(cz.Score):
        def local(self, node, parents):  # type: ignore[no-untyped-def]
            return -float(len(parents)) - float(node == 3 and set(parents) == {5, 7})

    score = Rare(10)
    check_score_equivalence(score)
    with pytest.raises(cz.ScoreError, match="Rare is not score-equivalent"):
        check_score_equivalence(score, edges=4_000)


def test_a_row_that_contradicts_local_is_found() -> None:
    class Wrong(ByRow):
        def row(self, node, parents):  # type: ignore[no-untyped-def]
            return 2 * super().row(node, parents)

    with pytest.raises(cz.ScoreError, match=r"Wrong\.row of node \d with parents .* but by local the difference is"):
        check_score_equivalence(Wrong(make_score("GaussianBIC", 5, 50)))


def test_values_of_the_check_are_cached() -> None:
    score = make_score("user", 4, 50)
    check_score_equivalence(score)
    core = score.core_score()
    assert core is not None
    for y in range(4):
        core.row(y, [])
    asked = score.asked  # type: ignore[attr-defined]
    assert len(asked) == len({*asked})
