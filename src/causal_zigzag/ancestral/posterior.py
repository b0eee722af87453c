"""AncestralPosterior: what holds when causes may be hidden, with queries, a summary and a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, final

import numpy as np

from causal_zigzag.ancestral.agreement import PairShares, differences, pair_shares
from causal_zigzag.ancestral.chains import ChainsRun
from causal_zigzag.ancestral.classes import AncestralClasses, TopPag, forced_shares, sampled_classes, top_pags
from causal_zigzag.ancestral.diagnostics import AncestralDiagnostics, diagnose
from causal_zigzag.ancestral.save import save
from causal_zigzag.ancestral.statements import probability_that
from causal_zigzag.ancestral.target import AncestralTarget
from causal_zigzag.errors import SettingsError
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.validation import read_count
from causal_zigzag.support.wording import class_probability, count, probability

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Hashable

    import pandas as pd

    from causal_zigzag.answers.statements import Statement
    from causal_zigzag.graphs.mag import MAG
    from causal_zigzag.scores.gaussian import GaussianBIC

LISTED = 8  # pairs in a summary


@final
@dataclass(frozen=True, eq=False, repr=False)
class AncestralPosterior:
    """The distribution over maximal ancestral graphs (MAGs) that ``sample_ancestral`` has found.

    A MAG is what remains of a causal graph when variables are hidden: ``x --> y`` says that x causes y, directly or
    through others, ``x <-> y`` that neither causes the other although they are related.

    Probabilities are shares of the steps of the chains, all chains together. ``notes`` say what was done to the table.

    >>> import causal_zigzag as cz
    >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> cz.sample_ancestral(table, steps=20_000, rng=1).top(1)[0].graph
    PAG(3 nodes, 2 edges: rain o-> wet, sun o-> wet)
    """

    target: AncestralTarget
    run: ChainsRun
    notes: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> cz.sample_ancestral(score, steps=1000, rng=1).nodes
        ('a', 'b')
        """
        return self.target.nodes

    @property
    def score(self) -> GaussianBIC:
        """The score; that of a MAG without ``<->`` is the score of the DAG.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100)
        >>> cz.sample_ancestral(score, steps=1000, rng=1).score is score
        True
        """
        return self.target.score

    def ancestors(self) -> pd.DataFrame:
        """P(the row causes the column), directly or through others, as a pandas DataFrame; zero on its diagonal.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> found = cz.sample_ancestral(score, steps=20_000, rng=1).ancestors()
        >>> bool(abs(found.loc["a", "b"] - 1 / 3) < 0.05)  # a --> b, b --> a and a <-> b are the same class
        True
        """
        import pandas as pd

        return pd.DataFrame(self.shares.causes.copy(), index=list(self.nodes), columns=list(self.nodes))

    def edge_table(self) -> pd.DataFrame:
        """One row per pair, the most certain claims about causes first.

        The columns: ``joined``, the probability of an edge; ``x_causes_y`` and ``y_causes_x``, directly or through
        others; ``neither``, that neither causes the other. They are about single graphs. A class of graphs that no
        observations tell apart *forces* what all its members share: ``forced_forward``, ``forced_backward`` and
        ``forced_neither`` are the probabilities that the class forces ``x_causes_y``, ``y_causes_x`` and ``neither``.
        The rest, up to these three, comes from counting members, and no table can confirm it. ``difference`` is the
        largest one between two chains, of any of the first four.

        A large ``neither`` of joined nodes is no proof of a hidden common cause: in simulations with hidden causes,
        fewer than a third of the pairs with P(``<->``) above 0.8 had this edge in truth. Weak edges that were missed
        look the same.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> found = cz.sample_ancestral(table, steps=20_000, rng=1).edge_table()
        >>> bool((found[["x_causes_y", "y_causes_x", "neither"]].sum(axis=1).round(6) == 1).all())
        True
        """
        import pandas as pd

        x, y = np.triu_indices(len(self.nodes), 1)
        joined, causes, neither = self.shares
        forced, forced_neither = forced_shares(self._classes)
        apart = differences(self.run.chains)
        names = list(self.nodes)
        frame = pd.DataFrame(
            {
                "x": [names[i] for i in x],
                "y": [names[i] for i in y],
                "joined": joined[x, y],
                "x_causes_y": causes[x, y],
                "y_causes_x": causes[y, x],
                "neither": neither[x, y],
                "forced_forward": forced[x, y],
                "forced_backward": forced[y, x],
                "forced_neither": forced_neither[x, y],
                "difference": np.maximum(apart, apart.T)[x, y],
            }
        )
        claim = frame[["x_causes_y", "y_causes_x"]].max(axis=1)
        order = np.lexsort((-frame["joined"], -claim))
        return frame.iloc[order].reset_index(drop=True)

    def top(self, k: int = 10) -> list[TopPag]:
        """The k most probable classes as PAGs, with their probabilities and scores, the most probable first.

        The prior is uniform over MAGs, so a class with many members counts more. The probability is the share of the
        graphs at regular steps, 2000 per chain.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> cz.sample_ancestral(score, steps=1000, rng=1).top(1)[0].graph
        PAG(2 nodes, 1 edge: a o-o b)
        """
        return top_pags(self._classes, read_count("k", k, 1), self.target)

    def probability_that(self, statement: Statement | Callable[[MAG], bool]) -> float:
        """The probability that a statement, or your function of a MAG, is true.

        The statements are ``cz.ancestor``, ``cz.statements.adjacent``, ``cz.statements.certain_ancestor`` (all MAGs of
        the class have it) and their combinations. It is the share of the graphs at regular steps, 2000 per chain.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> posterior = cz.sample_ancestral(score, steps=20_000, rng=1)
        >>> bool(abs(posterior.probability_that(cz.ancestor("a", "b")) - 1 / 3) < 0.05)
        True
        >>> posterior.probability_that(lambda mag: mag.edge_count == 1) > 0.9
        True
        """
        return probability_that(self.run.chains, self.nodes, statement)

    def effect(self, x: Hashable, y: Hashable) -> NoReturn:
        """Raise a SettingsError: when causes may be hidden, sizes of effects are not computed.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> cz.sample_ancestral(score, steps=1000, rng=1).effect("a", "b")
        Traceback (most recent call last):
        causal_zigzag.errors.SettingsError: the effect of a on b is not computed when causes may be hidden: in most ...
        """
        raise SettingsError(
            f"the effect of {show(x)} on {show(y)} is not computed when causes may be hidden: in most graphs it cannot "
            "be told from a common cause. P(x causes y) is in ancestors(); effects without hidden causes, with their "
            "robustness against one, are those of cz.sample(...).effect(x, y)"
        )

    def diagnostics(self) -> AncestralDiagnostics:
        """Whether the chains agree: the largest difference of any probability of a pair, and a verdict.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> cz.sample_ancestral(score, steps=100_000, rng=1).diagnostics().ok
        True
        """
        return diagnose(self.run, self.nodes)

    def summary(self) -> str:
        """The target, the run, and the pairs with the most certain claims about causes.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> print(cz.sample_ancestral(score, steps=1000, rng=1).summary().splitlines()[0])
        What holds when causes may be hidden: 2 nodes, 2 chains of 1,000 steps
        """
        steps, chains = self.run.chains[0].steps, count(len(self.run.chains), "chain")
        known = self.target.knowledge
        lines = [
            f"What holds when causes may be hidden: {count(len(self.nodes), 'node')}, {chains} of {steps:,} steps",
            f"score       {self.score!r}",
            f"prior       uniform over MAGs, {_cost(self.target.edge_cost)}",
            *([] if known is None else [f"knowledge   {known}"]),
            *(f"table       {note}" for note in self.notes),
            f"verdict     {self.diagnostics().verdict}",
            *self._pair_lines(),
        ]
        top = self.top(1)[0]
        return "\n".join([*lines, f"top class   {class_probability(top.probability)}  {top.graph!r}"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the posterior to one file, usually ``.czz``, that ``cz.load`` reads. The file is written atomically.

        >>> import tempfile
        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> posterior = cz.sample_ancestral(score, steps=1000, rng=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     posterior.save(f"{folder}/hidden.czz")
        ...     again = cz.load(f"{folder}/hidden.czz")
        >>> again.ancestors().equals(posterior.ancestors())
        True
        """
        save(self, path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML report: the verdict, all pairs, the most probable classes, and what was run.

        ``cz.sample(...).report(path, hidden=...)`` says of each arrow of that posterior whether it holds here.

        >>> import tempfile
        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cz.sample_ancestral(score, steps=1000, rng=1).report(f"{folder}/hidden.html")
        """
        from causal_zigzag.report import write_ancestral_report

        write_ancestral_report(self, path)

    def _pair_lines(self) -> list[str]:
        table = self.edge_table().head(LISTED)
        columns = ("joined", "x_causes_y", "y_causes_x", "neither")
        pairs = [(show(x), show(y)) for x, y in zip(table["x"], table["y"], strict=True)]
        wide = max(len(f"{x}, {y}") for x, y in pairs)
        lines = []
        for (x, y), (joined, forward, backward, neither) in zip(pairs, table[[*columns]].to_numpy(), strict=True):
            claims = {f"{x} causes {y}": forward, f"{y} causes {x}": backward, "neither": neither}
            said = ", ".join(f"{words} {probability(value)}" for words, value in claims.items())
            lines.append(f"  {f'{x}, {y}':<{wide}}  joined {probability(joined)}: {said}")
        return ["pairs", *lines]

    def __repr__(self) -> str:
        return (
            f"AncestralPosterior({count(len(self.nodes), 'node')}, {self.score!r}, {_cost(self.target.edge_cost)}, "
            f"{count(len(self.run.chains), 'chain')} of {self.run.chains[0].steps:,} steps)"
        )

    @cached_property
    def shares(self) -> PairShares:
        """Probabilities of pairs as arrays."""
        return pair_shares(self.run.chains)

    @cached_property
    def _classes(self) -> AncestralClasses:
        """The classes of the kept graphs."""
        return sampled_classes(self.run.chains, len(self.nodes))


def _cost(edge_cost: float) -> str:
    return f"exp({-edge_cost:.6g}) per edge" if edge_cost else "no edge prior"
