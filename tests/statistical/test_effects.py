"""Intervals of effects are calibrated: 95 % of them contain the effect, for graphs and parameters from the prior."""

import numpy as np
import pytest

import causal_zigzag as cz

NODES, ROWS, DATA_SETS = 8, 500, 300
EDGE_PRIOR = 1.0
SURE = 0.975  # with a higher probability of an effect, both ends of the interval are outside of the point mass


def graphs_of_the_prior(seed: int) -> list[cz.CPDAG]:
    """Draws from the prior of the structure, about 10 edges each."""
    run = cz.sample(
        cz.Uniform(NODES),
        edge_prior=EDGE_PRIOR,
        jumps=200_000,
        chains=1,
        rng=seed,
        settings=cz.Settings(anneal=False),
        progress=False,
    )
    return [*run.draws()]


def parameters_of_the_prior(dag: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients, deviations and intercepts from the prior of BGe with alpha_mu 1 and alpha_w n + 2.

    For a node with its parents, q nodes together, the covariance is inverse Wishart with the scatter I / 2 and
    alpha_w - n + q = q + 2 degrees of freedom, and the mean is normal with this covariance.
    """
    coefficients, deviations, intercepts = np.zeros(dag.shape), np.zeros(len(dag)), np.zeros(len(dag))
    for y in range(len(dag)):
        parents = np.flatnonzero(dag[:, y])
        q = len(parents) + 1
        z = rng.normal(size=(q + 2, q)) * np.sqrt(2)
        covariance = np.linalg.inv(z.T @ z)
        b = np.linalg.solve(covariance[:-1, :-1], covariance[:-1, -1])
        mean = rng.multivariate_normal(np.zeros(q), covariance)
        coefficients[parents, y] = b
        deviations[y] = np.sqrt(covariance[-1, -1] - covariance[-1, :-1] @ b)
        intercepts[y] = mean[-1] - b @ mean[:-1]
    return coefficients, deviations, intercepts


@pytest.mark.long
@pytest.mark.nosanitize
def test_intervals_contain_the_effect() -> None:
    """In each data set, one pair is counted, drawn from those with a probability of an effect above SURE: the choice
    depends on the data, not on the truth, so the share would be 0.95 if the distribution of an effect given a graph
    used all that the graph says; a regression on the parents of the cause uses less. Data sets without such a pair
    are passed over. A share of 300 has a standard deviation of 0.0126 at 0.95, where it is outside of the bounds
    with probability 1 %; the share of all such pairs, of which there are about five per data set, is not more
    precise, as those of a data set are dependent. For all pairs together the share is higher, because an interval
    that ends in the point mass at 0 contains more than 95 %.

    With this seed the shares are 0.977, 0.973 (of about 1450 pairs) and 0.970. With seeds 2, 3 and 4 the first is
    0.960, 0.967 and 0.983: the four together are 0.972, 3.4 standard deviations above 0.95, so intervals are
    somewhat too wide here, for a reason that is not known. The second is 0.961, 0.972 and 0.971, and 0.952 and
    0.954 with seeds 5 and 6.
    """
    rng = np.random.default_rng(1)
    graphs = graphs_of_the_prior(seed=1)
    chosen: list[bool] = []
    sure_pairs: list[bool] = []
    all_pairs: list[bool] = []
    while len(chosen) < DATA_SETS:
        dag = graphs[rng.integers(len(graphs))].random_dag(rng=rng)
        coefficients, deviations, intercepts = parameters_of_the_prior(dag, rng)
        total = np.linalg.inv(np.eye(NODES) - coefficients)
        data = (intercepts + deviations * rng.normal(size=(ROWS, NODES))) @ total
        run = cz.sample(
            cz.BGe(data, standardize=False),
            edge_prior=EDGE_PRIOR,
            jumps=5000,
            chains=2,
            rng=int(rng.integers(2**31)),
            progress=False,
        )
        table = run.effects()
        truth = total[table["cause"].to_numpy(dtype=int), table["outcome"].to_numpy(dtype=int)]
        held = ((table["lower"] <= truth + 1e-9) & (truth - 1e-9 <= table["upper"])).to_numpy()
        sure = np.flatnonzero(table["probability_nonzero"] > SURE)
        all_pairs += held.tolist()
        sure_pairs += held[sure].tolist()
        if len(sure):
            chosen.append(bool(held[rng.choice(sure)]))
    shares = [float(np.mean(some)) for some in (chosen, sure_pairs, all_pairs)]
    assert max(abs(share - 0.95) for share in shares[:2]) <= 2.58 * 0.0126, shares
    assert 0.95 <= shares[2] <= 0.99, shares
