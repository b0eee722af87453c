"""Exact draws: the arguments, and agreement of the answers with those of the enumerated posterior."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import causal_zigzag as cz
import naive
from local_scores import TableScore, random_gaussian


def largest_parent_sets(n: int) -> dict[cz.CPDAG, set[int]]:
    """For each class, the largest numbers of parents in its DAGs."""
    found: dict[cz.CPDAG, set[int]] = {}
    for dag in naive.all_dags(n):
        matrix = np.asarray(naive.to_matrix(dag, n), dtype=np.uint8)
        found.setdefault(cz.CPDAG.from_dag(matrix), set()).add(int(matrix.sum(axis=0).max()))
    return found


def test_all_dags_of_a_class_have_the_same_largest_number_of_parents() -> None:
    found = largest_parent_sets(5)
    assert len(found) == 8782
    assert all(len(numbers) == 1 for numbers in found.values())


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_nodes(n: int) -> None:
    posterior = cz.exact_draws(cz.Uniform(n), draws=1000, rng=1)
    assert posterior.class_count == [1, 1, 2][n]
    assert posterior.top(1)[0].probability == pytest.approx([1, 1, 0.5][n], abs=0.1)
    assert posterior.draw_count == 1000


def test_the_same_seed_gives_the_same_draws() -> None:
    score = random_gaussian(7, 50, 1)
    first, second, other = (cz.exact_draws(score, draws=500, rng=seed) for seed in (1, 1, 2))
    assert (first.drawn.drawn == second.drawn.drawn).all()
    assert (first.drawn.names == second.drawn.names).all()
    assert first.drawn.names.tolist() != other.drawn.names.tolist()


def test_draws_have_the_edges_of_their_classes() -> None:
    posterior = cz.exact_draws(random_gaussian(6, 50, 1), draws=300, rng=1)
    (chain,) = posterior._classes.batches.draws.draws.chains  # type: ignore[union-attr]
    for g, row, hashed in zip(chain.graphs(), posterior.drawn.drawn, chain.hashes, strict=True):
        assert g.core.hash == tuple(hashed.tolist())
        assert g == posterior.drawn.classes.graph(int(row))


def test_the_default_target_is_that_of_sample() -> None:
    score = random_gaussian(5, 100, 2)
    posterior = cz.exact_draws(score, draws=20_000, rng=1)
    exact = cz.exact_posterior(score, edge_prior="auto")
    assert posterior.target == exact.target
    table = posterior.edge_table()
    wanted = exact.edge_probabilities()
    away = np.array([p.adjacent - wanted.adjacent[p.x, p.y] for p in table.itertuples()])
    assert np.abs(away).max() < 0.02  # more than five standard errors
    assert posterior.ancestors().to_numpy() == pytest.approx(exact.ancestors().to_numpy(), abs=0.02)
    assert posterior.summary().count("\n") > 5
    for x, y in ((0, 1), (3, 2)):
        effect, known = posterior.effect(x, y), exact.effect(x, y)
        assert effect.mean == pytest.approx(known.mean, abs=0.02)
        assert effect.probability_nonzero == pytest.approx(known.probability_nonzero, abs=0.02)


def test_other_priors() -> None:
    score = random_gaussian(4, 30, 2)
    posterior = cz.exact_draws(score, draws=20_000, prior="dags", edge_prior=None, rng=1)
    exact = cz.exact_posterior(score, prior="dags", edge_prior=None)
    assert posterior.ess == pytest.approx(20_000)
    prior = lambda g: -1.0 * g.edge_count  # noqa: E731
    for over in ("dags", "classes", prior):
        own, known = posterior.reweight(over), exact.reweight(over)
        assert own.edge_probabilities().adjacent == pytest.approx(known.edge_probabilities().adjacent, abs=0.02)
        assert own.prior == known.prior


def test_knowledge_and_bounds_hold_for_every_class() -> None:
    score = random_gaussian(8, 100, 3)
    known = cz.Knowledge(tiers=[[0, 1], [2, 3, 4, 5, 6, 7]], required=[(0, 5)], forbidden=[(2, 3)])
    posterior = cz.exact_draws(score, draws=500, knowledge=known, max_degree=4, max_parents=2, rng=1)
    for g, _, _ in posterior.top(posterior.class_count):
        assert max(len(g.adjacent(v)) for v in g.nodes) <= 4
        dag = g.dag()
        assert dag.sum(axis=0).max() <= 2
        assert (0, 5) in g.directed_edges
        assert not dag[2:, :2].any()
        assert (2, 3) not in g.directed_edges


def test_a_comparison_with_a_run() -> None:
    score = random_gaussian(6, 100, 1)
    comparison = cz.compare(cz.sample(score, jumps=20_000, rng=1), cz.exact_draws(score, rng=1))
    assert not comparison.table["clear"].any()


def test_few_effective_draws() -> None:
    with pytest.warns(cz.SamplingWarning, match="worth only"):
        cz.exact_draws(cz.Uniform(3), draws=50, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cz.exact_draws(cz.Uniform(3), draws=1000, rng=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"draws": 0}, "draws must be an integer of at least 1, not 0"),
        ({"prior": "graphs"}, 'prior must be "classes" or "dags"'),
        ({"max_parents": -1}, "max_parents must be None or an integer of at least 0"),
        ({"edge_prior": [0.0, 1.0, 2.0, 3.0]}, "every edge has the same cost"),
        ({"max_degree": 1, "draws": 1, "edge_prior": -50.0, "rng": 1}, "none of 1 draws is within max_degree=1"),
    ],
)
def test_arguments_at_fault(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(cz.SettingsError, match=message):
        cz.exact_draws(cz.Uniform(5), **arguments)  # type: ignore[arg-type]


def test_too_many_nodes() -> None:
    with pytest.raises(cz.SettingsError, match="supports at most 18 nodes, not 19"):
        cz.exact_draws(cz.Uniform(19))


def test_scores_that_differ_within_a_class() -> None:
    with pytest.raises(cz.ScoreError):
        cz.exact_draws(TableScore(4, 1.0, seed=1))
