"""Sampling reproduces the exact posterior of a data set of 6 nodes (1,067,825 classes)."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

import causal_zigzag as cz

DATA = Path(__file__).parents[1] / "data"
CHAINS = 32
FALSE_ALARM = 1e-6  # of one test with another seed, divided among its comparisons

pytestmark = pytest.mark.nosanitize


def goldberg() -> tuple[cz.GaussianBIC, dict]:
    size, names, *rows = (DATA / "goldberg.cov.txt").read_text().splitlines()
    covariance = np.zeros((6, 6))
    for i, row in enumerate(rows):
        covariance[i, : i + 1] = covariance[: i + 1, i] = [float(v) for v in row.split()]
    exact = json.loads((DATA / "goldberg.exact-posterior.bic-penalty-1.json").read_text())
    return cz.GaussianBIC.from_covariance(covariance, int(size), nodes=names.split()), exact


def read_class(text: str, names: tuple[str, ...]) -> cz.CPDAG:
    directed, undirected = [], []
    for edge in text.split():
        x, sign, y = names[int(edge[0])], edge[1:3], names[int(edge[3])]
        (undirected if sign == "--" else directed).append((y, x) if sign == "<-" else (x, y))
    return cz.CPDAG.from_edges(names, directed=directed, undirected=undirected)


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    score, _ = goldberg()
    return cz.sample(score, edge_prior=None, jumps=30_000, chains=CHAINS, rng=3, progress=False)


def test_top_classes_and_edges(posterior: cz.Posterior) -> None:
    _, exact = goldberg()
    classes = [read_class(entry["edges"], posterior.nodes) for entry in exact["top"]]

    def seen(part: cz.Posterior) -> np.ndarray:
        edges = part.edge_probabilities()
        pairs = [(pair["i"], pair["j"]) for pair in exact["pairs"]]
        return np.array(
            [part.probability(g) for g in classes]
            + [edges.adjacent[i, j] for i, j in pairs]
            + [edges.directed[i, j] for i, j in pairs]
            + [edges.directed[j, i] for i, j in pairs]
        )

    truth = np.array(
        [entry["p_mec"] for entry in exact["top"]]
        + [pair[key] for key in ("p_adj", "p_fwd", "p_bwd") for pair in exact["pairs"]]
    )
    error = np.std([seen(part) for part in posterior.by_chain()], axis=0, ddof=1) / CHAINS**0.5
    assert error.max() < 0.01
    assert np.all(error[:10] < 0.2 * truth[:10])
    threshold = student.isf(FALSE_ALARM / 2 / len(truth), CHAINS - 1)
    # if a probability is near 0 or 1, few chains deviate from it and the estimated error is too small
    assert np.all(np.abs(seen(posterior) - truth) <= threshold * np.maximum(error, 2e-5))


def test_the_best_class_and_its_score(posterior: cz.Posterior) -> None:
    _, exact = goldberg()
    top = posterior.top(3)
    assert [g for g, _, _ in top[:2]] == [read_class(entry["edges"], posterior.nodes) for entry in exact["top"][:2]]
    assert top[0].score == pytest.approx(exact["best_score"], abs=1e-6)
    assert posterior.edge_probabilities().adjacent.sum() / 2 == pytest.approx(exact["mean_edges"], abs=0.02)
