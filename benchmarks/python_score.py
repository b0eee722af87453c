"""How much slower chains are with a score written in Python than with the same score in the core.

    python benchmarks/python_score.py

Both scores are behind the row cache, so Python is called once per node and parent set. In a long run, when the relevant
rows are cached, both have the same speed. CPU time on one core, run alternately, the best of five.
"""

import time

import numpy as np
from common import machine

import causal_zigzag as cz


class InPython(cz.Score):
    """The Gaussian BIC as a user may write it."""

    def __init__(self, x: np.ndarray) -> None:
        super().__init__(x.shape[1])
        self.cov, self.rows, self.calls = np.cov(x.T, ddof=0), len(x), 0

    def local(self, node: int, parents: tuple[int, ...]) -> float:
        """The formula of GaussianBIC."""
        self.calls += 1
        p = [*parents]
        cross = self.cov[p, node]
        v = self.cov[node, node] - cross @ np.linalg.solve(self.cov[np.ix_(p, p)], cross) if p else self.cov[node, node]
        return float(-self.rows * (1 + np.log(v)) - (1 + len(p)) * np.log(self.rows)) / 2


def cpu_seconds(score: cz.Score, jumps: int) -> float:
    """CPU time of one chain, including set-up."""
    start = time.process_time()
    cz.sample(score, jumps=jumps, settings=cz.Settings(warmup=0), chains=1, rng=1, progress=False)
    return time.process_time() - start


def main() -> None:
    """Print the figures."""
    print(machine())
    print(f"{'n':>4} {'jumps':>9} {'core s':>8} {'Python s':>9} {'ratio':>6} {'cold':>6} {'local() calls':>14}")
    for n, jumps in ((5, 1_000_000), (10, 1_000_000), (20, 1_000_000), (50, 1_000_000)):
        rng = np.random.default_rng(n)
        x = rng.normal(size=(1000, n))
        for j in range(1, n):
            x[:, j] += x[:, :j] @ (rng.normal(size=j) * (rng.random(j) < 2 / n))
        ours, theirs = cz.GaussianBIC(x), InPython(x)
        cold = cpu_seconds(theirs, jumps)
        pairs = [(cpu_seconds(ours, jumps), cpu_seconds(theirs, jumps)) for _ in range(5)]
        fast, slow = (min(column) for column in zip(*pairs, strict=True))
        figures = f"{fast:8.2f} {slow:9.2f} {slow / fast:6.2f} {cold / fast:6.2f} {theirs.calls:14}"
        print(f"{n:4} {jumps:9} {figures}", flush=True)


if __name__ == "__main__":
    main()
