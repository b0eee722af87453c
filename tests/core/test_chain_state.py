"""A chain that is saved and restored continues with exactly the same states as one that is not."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import Chain, testing
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target
from chain_states import resealed, used
from score_cases import categorical_data, mixed_data
from targets import gaussian_data

WORDS = np.random.SeedSequence(5).generate_state(4, np.uint64)


class Case:
    """The settings of a chain, from which it is begun or restored."""

    def __init__(
        self,
        score: cz.Score,
        start: cz.CPDAG | None = None,
        momentum: float = 1.0,
        balance: str = "sqrt",
        coldness: float = 1.0,
        edge_prior: object = None,
        max_degree: int | None = None,
        apart: tuple = (),
        max_classes: int = 1000,
        cache_bytes: int = 2**22,
        trace_points: int = 64,
        knowledge: cz.Knowledge | None = None,
    ) -> None:
        known = replace(knowledge or cz.Knowledge(), apart=apart)
        self.target = Target.read(score, coldness, edge_prior, max_degree, known)
        self.settings = RunSettings(
            momentum=momentum,
            balance=balance,
            max_classes=max_classes,
            cache_bytes=cache_bytes,
            trace_points=trace_points,
        )
        self.start = self.target.read_start(start)

    def begin(self) -> Chain:
        return make_chain(self.target, self.settings, self.start, WORDS, sqrt_weight=0.03)

    def restore(self, saved: bytes) -> Chain:
        return make_chain(self.target, self.settings, self.start, WORDS, saved=saved, sqrt_weight=0.03)


def run(chain: Chain, jumps: int) -> bool:
    """Makes the jumps; returns False if the chain cannot continue."""
    made = 0
    while made < jumps:
        made += chain.run(jumps - made, 10.0)
        state = chain.statistics()
        if state.dense_node >= 0:
            return False
        if state.frozen:
            break
    return True


def everything(chain: Chain) -> list[object]:
    """All results and the whole state of a chain."""
    classes = {name: array.tobytes() for name, array in chain.classes().items()}  # first: adds the current visit
    step, *path = chain.trace()
    return [
        chain.statistics(),
        classes,
        step,
        [a.tobytes() for a in path],
        [a.tobytes() for a in chain.edge_times()],
        [a.tobytes() for a in chain.draws()[1:]],
        {name: array.tobytes() for name, array in chain.batches().items()},
        chain.graph().matrix().tobytes(),
        chain.graph().dag().tobytes(),
        chain.direction,
        chain.score,
        testing.events(chain) if chain.edge_count < 100 else None,
    ]


def check(case: Case, before: int, after: int, pieces: int = 3) -> None:
    """A chain that is saved and restored several times equals a second one that is not."""
    twin, chain = case.begin(), case.begin()
    assert run(twin, before)
    assert run(chain, before)
    for piece in range(pieces):
        saved = chain.save()
        del chain  # of which there would be two in memory otherwise
        chain = case.restore(saved)
        assert chain.save() == saved
        assert testing.audit(chain) == ""
        assert run(chain, after)
        assert run(twin, after)
        assert chain.save() == twin.save()
        if piece == 0:
            chain.forget()
            twin.forget()
    assert everything(chain) == everything(twin)


@pytest.mark.parametrize("seed", range(60))
def test_any_settings(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    n = int(rng.integers(0, 14))
    pairs = [(a, b) for b in range(n) for a in range(b) if rng.random() < 0.2]
    scored = rng.random() < 0.7 and n >= 2
    rows = int(rng.choice([n + 10, 300, 10_000]))
    priors = [None, "auto", float(rng.uniform(-1, 3)), lambda m: -0.01 * m**2, [0.1 * m for m in range(n + 1)]]
    case = Case(
        cz.GaussianBIC(gaussian_data(n, rows, seed=seed, degree=2.0)) if scored else cz.Uniform(n),
        momentum=float(rng.choice([0.0, 0.3, 1.0])),
        balance=str(rng.choice(["sqrt", "metropolis", "barker", "auto"])),
        coldness=float(rng.choice([0.0, 0.1, 1.0, 3.0, 100.0, 1e6])),
        edge_prior=priors[rng.integers(len(priors))],
        max_degree=[None, 1, 3, 6][rng.integers(4)],
        apart=tuple(pairs) if rng.random() < 0.3 else (),
        max_classes=int(rng.choice([2, 3, 20, 1000])),
        cache_bytes=int(rng.choice([0, 2**12, 2**15, 2**22])),
        trace_points=int(rng.choice([2, 5, 64])),
    )
    check(case, int(rng.integers(0, 300)), int(rng.integers(1, 600)))


def test_conditions_that_depend_on_each_other() -> None:
    x = gaussian_data(6, 200, seed=1, degree=3.0)
    x[:, 3:] += 2 * x[:, :3] + x[:, [0]]
    check(Case(cz.BGe(x), coldness=0.02, edge_prior=0.5, knowledge=cz.Knowledge.contexts([3, 4, 5])), 100, 3, pieces=30)


WIDTHS = [63, 64, 65, 129, 257]


@pytest.mark.nosanitize
@pytest.mark.parametrize(
    ("n", "scored"),
    [
        *product(WIDTHS, [False, True]),
        *(pytest.param(1025, scored, marks=pytest.mark.long) for scored in (False, True)),
    ],
)
def test_every_width(n: int, scored: bool) -> None:
    score = cz.GaussianBIC.from_covariance(np.eye(n) + 0.001, n_samples=30) if scored else cz.Uniform(n)
    case = Case(score, max_degree=5, max_classes=50, cache_bytes=2**20, coldness=0.5)
    check(case, 100, 100, pieces=1 if n > 1000 else 2)


@pytest.mark.parametrize(
    "n", [*WIDTHS, *(pytest.param(n, marks=[pytest.mark.long, pytest.mark.nosanitize]) for n in (1025, 5130))]
)
def test_every_width_with_costly_edges(n: int) -> None:
    """Above 128 nodes some inserts are unlikely, and some are not."""
    covariance = 0.9 * np.corrcoef(np.random.default_rng(n).normal(size=(60, n)), rowvar=False) + 0.1 * np.eye(n)
    score = cz.GaussianBIC.from_covariance(covariance, n_samples=60)
    case = Case(score, edge_prior=2.5, max_degree=5, max_classes=50, cache_bytes=2**20)
    check(case, min(3 * n, 600), 200, pieces=1 if n > 1000 else 2)


def test_counts_beyond_the_precision_of_a_double() -> None:
    check(Case(cz.Uniform(90), start=cz.CPDAG.complete(90)), 30, 200)


@pytest.mark.long
@pytest.mark.nosanitize
def test_counts_beyond_the_range_of_a_double() -> None:
    check(Case(cz.Uniform(1030), start=cz.CPDAG.complete(1030)), 0, 1, pieces=1)


@pytest.mark.parametrize("balance", ["sqrt", "metropolis", "barker", "auto"])
def test_rates_of_all_sizes_and_a_small_cache(balance: str) -> None:
    score = cz.GaussianBIC(gaussian_data(12, 100_000, seed=2))
    for coldness in (0.001, 1.0, 30.0):
        check(Case(score, balance=balance, coldness=coldness, momentum=0.5, cache_bytes=2**14), 500, 1500)


@pytest.mark.parametrize("make", [cz.DiscreteBIC, cz.BDeu, cz.MixedBIC, cz.BGe])
def test_every_family_of_scores(make: type[cz.Score]) -> None:
    data = {cz.MixedBIC: mixed_data, cz.BGe: gaussian_data}.get(make, categorical_data)
    check(Case(make(data(5, 200, seed=4)), cache_bytes=2**13), 100, 400)


class Crowded(cz.Score):
    """A user-defined score that counts its evaluations."""

    asked = 0

    def local(self, node: object, parents: tuple) -> float:
        type(self).asked += 1
        return -1.5 * len(parents)


def test_a_users_score() -> None:
    check(Case(Crowded(5)), 100, 300)


def test_a_restored_chain_computes_only_the_rows_in_use() -> None:
    case = Case(Crowded(6), cache_bytes=2**22)
    chain = case.begin()
    run(chain, 20_000)
    saved, rows = chain.save(), chain.statistics().row_misses
    fresh = Case(Crowded(6), cache_bytes=2**22)
    Crowded.asked = 0
    fresh.restore(saved)
    assert rows > 100
    assert Crowded.asked < rows  # each row that is computed again needs at least one evaluation


def test_a_frozen_chain_stays_frozen() -> None:
    score = cz.GaussianBIC(gaussian_data(6, 100_000, seed=1))
    case = Case(score, coldness=1e6)
    chain = case.begin()
    run(chain, 10_000)
    assert chain.statistics().frozen
    assert case.restore(chain.save()).run(10, 1.0) == 0
    check(case, 10_000, 100)


def test_a_chain_that_cannot_continue_is_not_saved() -> None:
    chain = Case(cz.GaussianBIC(gaussian_data(30, 100, seed=1)), start=cz.CPDAG.complete(30)).begin()
    assert chain.statistics().dense_node >= 0
    with pytest.raises(ValueError, match="a chain that cannot continue cannot be saved"):
        chain.save()


# ---- bytes that are not a state


def test_damaged_bytes_are_refused() -> None:
    case = Case(cz.GaussianBIC(gaussian_data(6, 300, seed=1)), max_classes=5)
    chain = case.begin()
    run(chain, 500)
    saved = chain.save()
    generator = random.Random(1)
    for _ in range(300):
        bad = bytearray(saved)
        bad[generator.randrange(len(bad))] ^= 1 << generator.randrange(8)
        with pytest.raises(ValueError, match="damaged"):
            case.restore(bytes(bad))
        with pytest.raises(ValueError, match=r"damaged|not the state"):
            case.restore(saved[: generator.randrange(len(saved))])
    for bad in (b"", b"\0" * 16, saved + b"\0" * 8, saved * 2, generator.randbytes(1000)):
        with pytest.raises(ValueError, match=r"damaged|not the state"):
            case.restore(bad)


def test_changed_bytes_with_a_correct_checksum_do_not_crash() -> None:
    case = Case(cz.GaussianBIC(gaussian_data(5, 300, seed=1)), cache_bytes=2**12)
    chain = case.begin()
    run(chain, 60)
    body = chain.save()[:-8]
    assert resealed(body) == chain.save()
    generator = random.Random(2)
    refused = 0
    for _ in range(400):
        bad = bytearray(body)
        at = generator.randrange(8, len(bad))
        bad[at] ^= 1 << generator.randrange(8)
        if generator.random() < 0.3:
            del bad[at : at + generator.randrange(1, 20)]
        try:
            used(case.restore(resealed(bytes(bad))))
        except ValueError:
            refused += 1
    assert refused > 50


def test_the_state_of_another_chain_is_refused() -> None:
    chain = Case(cz.Uniform(5)).begin()
    run(chain, 100)
    for other in (Case(cz.Uniform(6)), Case(cz.Uniform(5), max_classes=7), Case(cz.Uniform(5), trace_points=9)):
        with pytest.raises(ValueError, match="not the state of a chain with these settings"):
            other.restore(chain.save())
    with pytest.raises(ValueError, match="not the state of a chain with these settings"):
        Case(cz.GaussianBIC(gaussian_data(5, 300, seed=1))).restore(chain.save())


def test_the_state_of_another_version_is_refused() -> None:
    case = Case(cz.Uniform(3))
    body = case.begin().save()[:-8]
    with pytest.raises(ValueError, match="saved by another version"):
        case.restore(resealed((999).to_bytes(8, "little") + body[8:]))
