"""Chains with random settings on random tables, and their audit: every rate compared with one computed from scratch."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag._core import Chain, ExcursionSettings, OrderTables, Regions, testing
from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.scores.incomplete import IncompleteBDeu, IncompleteBGe, IncompleteMixedBGe
from causal_zigzag.target.target import Target
from score_cases import FAMILIES, categorical_data, gaussian_data, make_score, mixed_data, random_dag

SLOW = {"SetFunction", "user", "AdditiveGP", "BasisBIC"}  # scores written in Python, or of few nodes
TABLES = ["Uniform", *FAMILIES, "many levels", "many levels", "collinear", "fewer rows", "covariance", "wide"]
INCOMPLETE = ["holes in numbers", "holes in levels", "holes in both"]


def many_levels(n: int, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Columns of 2 to 60 levels; some copy most of an earlier one, so that the rates of a row differ by many powers."""
    levels = np.round(np.exp(rng.uniform(np.log(2), np.log(60), n))).astype(int)
    x = np.stack([rng.integers(k, size=rows) for k in levels], axis=1)
    for j in range(1, n):
        copied = rng.random(rows) < rng.choice([0.0, 0.3, 0.95])
        x[copied, j] = x[copied, rng.integers(j)] % levels[j]
    return x


def collinear(n: int, rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A column is a sum of the others but for noise of a thousandth of its variance, down to a hundred-millionth."""
    x = gaussian_data(n, rows, int(rng.integers(1000)))
    x[:, -1] = x[:, :-1] @ rng.normal(size=n - 1) + 10 ** rng.uniform(-4, -2) * rng.normal(size=rows)
    return x[:, rng.permutation(n)]


def with_holes(kind: str, n: int, rows: int, seed: int) -> cz.Score:
    """A score of a table of which a tenth of the cells are missing."""
    missing = np.random.default_rng(seed).random((rows, n)) < 0.1
    if kind == "holes in levels":
        codes = categorical_data(n, rows, seed=seed).astype(object)
        codes[missing] = None
        columns = {j: [None if c is None else f"level {c}" for c in codes[:, j]] for j in range(n)}
        return IncompleteBDeu(cz.read_table(columns, missing="sample"))
    columns = {j: np.array(c, dtype=object) for j, c in mixed_data(n, rows, seed).items()}
    if kind == "holes in numbers":
        columns = {j: np.array(c, dtype=object) for j, c in enumerate(gaussian_data(n, rows, seed).T)}
    for j, column in columns.items():
        column[missing[:, j]] = None
    table = cz.read_table({j: [*column] for j, column in columns.items()}, missing="sample")
    return IncompleteBGe(table) if kind == "holes in numbers" else IncompleteMixedBGe(table)


def random_score(kind: str, n: int, rng: np.random.Generator) -> cz.Score:
    """A score of a random table; those with many rows are made from counts or a covariance matrix."""
    seed, rows = int(rng.integers(1000)), int(rng.choice([30, 100, 400]))
    if kind == "Uniform":
        return cz.Uniform(n)
    if kind in INCOMPLETE:
        return with_holes(kind, n, rows, seed)
    if kind == "many levels":
        x = many_levels(n, rows, rng)
        table: dict[object, object] = {j: [f"level {c}" for c in column] for j, column in enumerate(x.T)}
        weights = {}
        if rng.random() < 0.3:  # about a million rows
            table["count"] = rng.integers(1, 2_000_000 // rows, rows)
            weights = {"weights": "count"}
        read = cz.read_table(table, keep=[*range(n)], kinds=dict.fromkeys(range(n), "categorical"), **weights)
        return cz.DiscreteBIC(read) if rng.random() < 0.5 else cz.BDeu(read)
    if kind == "collinear":
        made = collinear(n, max(rows, n + 10), rng)
        return cz.GaussianBIC(made) if rng.random() < 0.5 else cz.BGe(made)
    if kind == "fewer rows":
        return cz.BGe(gaussian_data(n, max(3, n // 2), seed))
    if kind == "covariance":
        covariance = np.cov(gaussian_data(n, max(rows, n + 10), seed), rowvar=False).reshape(n, n)
        return cz.GaussianBIC.from_covariance(covariance, 1e6, nodes=range(n))
    if kind == "wide":
        return cz.GaussianBIC(gaussian_data(n, max(rows, 300), seed))
    return make_score(kind, n, max(rows, n + 20), seed)


def random_knowledge(n: int, rng: np.random.Generator, apart: list[tuple[int, int]]) -> cz.Knowledge:
    """Nothing, tiers, or forbidden and required arrows along an order; and pairs that are apart."""
    kind, order = rng.integers(3), rng.permutation(n).tolist()
    if kind == 0 or n < 3:
        return cz.Knowledge(apart=apart)
    if kind == 1:
        cuts = sorted({0, n, *rng.integers(1, n, 2).tolist()})
        return cz.Knowledge(tiers=[order[a:b] for a, b in itertools.pairwise(cuts)], apart=apart)
    below = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
    required = [below[k] for k in rng.choice(len(below), rng.integers(0, 3), replace=False)]
    forbidden = [(y, x) for x, y in below if rng.random() < 0.2]
    return cz.Knowledge(required=required, forbidden=forbidden, apart=apart)


@dataclass
class AuditFigures:
    """What audits have compared, and the first difference of each."""

    settings: int = 0
    jumps: int = 0
    replacements: int = 0
    comparisons: int = 0
    differences: int = 0
    rests: int = 0  # chains that froze or whose graph became too dense
    first: list[str] = field(default_factory=list)

    def add(self, other: AuditFigures) -> None:
        """Add those of another audit."""
        for name in ("settings", "jumps", "replacements", "comparisons", "differences", "rests"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.first += other.first


class RandomChain:
    """A chain whose score, table and settings follow from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng([35, seed])
        self.seed, self.kind = seed, str(rng.choice([*TABLES, *INCOMPLETE]))
        self.figures = AuditFigures(settings=1)
        incomplete = self.kind in INCOMPLETE
        n = int(rng.integers(3, 8 if self.kind in SLOW or incomplete else 13))
        if self.kind == "wide":
            n = int(rng.choice([30, 64, 65, 100, 129, 140]))
        pairs = [(int(a), int(b)) for a, b in zip(*np.triu_indices(n, 1), strict=True)]
        never = [pairs[i] for i in rng.choice(len(pairs), len(pairs) // 5, replace=False)] if rng.random() < 0.3 else []
        priors = [None, "auto", float(rng.uniform(-1, 3)), lambda m: -0.01 * m**2, [0.1 * m for m in range(2 * n)]]
        self.score = random_score(self.kind, n, rng)
        self.nodes = n = len(self.score.nodes)
        self.settings = RunSettings(
            momentum=float(rng.choice([0.0, 0.3, 1.0])),
            balance=rng.choice(["sqrt", "metropolis", "barker", "auto"]),
            max_classes=1000,
            cache_bytes=int(rng.choice([2**12, 2**17])),
            trace_points=64,
        )
        self.target = self._target(
            coldness=1.0 if incomplete else float(rng.choice([0.0, 0.1, 1.0, 3.0])),
            edge_prior=priors[rng.integers(len(priors))],
            max_degree=[None, 2, 3, 6][rng.integers(4)] if n < 30 else 8,
            apart=[] if self.score.contexts else never,
            knows=not incomplete,
        )
        self.fields: dict[str, object] = {"sqrt_weight": float(10 ** rng.uniform(-3, 0))}
        if rng.random() < 0.3:
            self.fields["unlikely_below"] = float(rng.choice([-6.0, 0.0]))
        self.words = np.random.SeedSequence(seed).generate_state(4, np.uint64)
        self.chain: Chain = make_chain(self.target, self.settings, self.target.sparsest(), self.words, **self.fields)

    def _target(self, apart: list[tuple[int, int]], knows: bool, **bounds: object) -> Target:
        """With these bounds, or without knowledge if it contradicts them or itself."""
        try:
            known = random_knowledge(self.nodes, self.rng, apart) if knows else cz.Knowledge(apart=apart)
            return Target.read(self.score, knowledge=known, **bounds)
        except CausalZigzagError:
            return Target.read(self.score, **bounds)

    def __str__(self) -> str:
        target, settings = self.target, self.settings
        return (
            f"seed {self.seed}: {self.kind}, {self.nodes} nodes, {settings.balance}, momentum {settings.momentum}, "
            f"coldness {target.coldness}, max_degree {target.max_degree}, {self.fields}, {target.edge_prior}"
        )

    def audit(self, blocks: int, jumps: int, replacements: int = 4) -> AuditFigures:
        """Run blocks of jumps, most with excursions, and replace the class after some of them; compare after each."""
        for block in range(blocks):
            if block == 1 and self.rng.random() < 0.6:
                self._begin_excursions()
            self._run(jumps)
            self._compare()
            if self.kind not in INCOMPLETE and self.rng.random() < 0.5:
                for _ in range(replacements):
                    self._replace()
                    self._compare()
        self._reload()
        return self.figures

    def _reload(self) -> None:
        """A chain in the saved state: sums of rates that are not those of the rates would be refused."""
        if self.kind in INCOMPLETE or self.chain.statistics().dense_node >= 0:
            return
        start = self.target.sparsest()
        self.chain = make_chain(self.target, self.settings, start, self.words, self.chain.save(), **self.fields)
        self._compare()

    def _run(self, jumps: int) -> None:
        if self.kind in INCOMPLETE and self.rng.random() < 0.7:
            self.chain.draw_cells()
        for _ in range(20):  # a block also ends after a number of excursions
            made = self.chain.run(jumps, math.inf)
            self.figures.jumps += made
            jumps -= made
            state = self.chain.statistics()
            if jumps <= 0 or state.frozen or state.dense_node >= 0:
                break
        self.figures.rests += self.chain.statistics().frozen or self.chain.statistics().dense_node >= 0

    def _compare(self) -> None:
        if self.chain.statistics().dense_node >= 0:  # the rows are those of no class
            return
        comparisons, differences, first = testing.audit_figures(self.chain)
        self.figures.comparisons += comparisons
        self.figures.differences += differences
        if differences:
            self.figures.first.append(f"{first} ({differences} of {comparisons}; {self})")

    def _replace(self) -> None:
        """Go to the class of a random DAG, if the target gives it a weight."""
        for _ in range(10):
            dag = random_dag(self.nodes, self.rng.uniform(0.2, 1.5), self.rng)
            graph = cz.CPDAG.from_dag(dag, self.score.nodes)
            try:
                self.target.check_start(graph)
            except CausalZigzagError:
                continue
            testing.replace(self.chain, graph.core)
            self.figures.replacements += 1
            return

    def _begin_excursions(self) -> None:
        """Of either kind, one for every few jumps."""
        n, target, state = self.nodes, self.target, self.chain.statistics()
        core = None if self.score.is_incomplete else self.score.core_score()
        if core is None or n > 100 or not state.jumps or not state.time.expected or state.frozen:
            return
        barred: list[list[int]] = [[] for _ in range(n)]
        required: list[list[int]] = [[] for _ in range(n)]
        for x, y in target.forbidden_arrows:
            barred[y].append(x)
        for x, y in target.required_arrows:
            required[y].append(x)
        candidates = [
            [u for u in self.rng.permutation(n).tolist() if u != v and u not in barred[v] and u not in required[v]][:5]
            for v in range(n)
        ]
        rate = math.log2(state.jumps / state.time.expected) - state.unit - 2
        if self.rng.random() < 0.5:
            regions = Regions(
                core, [[v, *c] for v, c in enumerate(candidates)], target.coldness, -1.0, barred, required
            )
            excursions = ExcursionSettings(regions=regions, log2_rate=rate, most=10**6)
        else:
            most = n if target.max_degree is None else target.max_degree
            tables = OrderTables(core, candidates, most, target.coldness, -1.0, required)
            excursions = ExcursionSettings(tables=tables, steps=10, window=n, log2_rate=rate, most=10**6)
        self.fields["excursions"] = excursions
        self.chain.set_excursions(excursions)
