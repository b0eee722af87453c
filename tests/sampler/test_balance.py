"""The weight of sqrt in balance="auto": chosen in the warm-up from the jumps, then fixed, saved and continued."""

import math
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.balance import SQRT_ALONE, measured
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target
from equality import differing
from experts import options
from targets import gaussian_data

SCORE = cz.GaussianBIC(gaussian_data(8, 100, seed=1))
WORDS = np.arange(1, 5, dtype=np.uint64)


def run(**settings: object) -> cz.Posterior:
    return cz.sample(SCORE, **options(**{"jumps": 4000, "chains": 2, "rng": 3, "progress": False, **settings}))


def weights(posterior: cz.Posterior) -> list[float | None]:
    return [s.sqrt_weight for s in posterior.statistics]


@pytest.mark.parametrize("weight", [SQRT_ALONE, 0.003, 0.3, 3.0])
def test_the_weight_does_not_depend_on_the_one_it_was_measured_with(weight: float) -> None:
    """The pace with the new weight is also right: that of a chain that has it."""
    target, settings = Target.read(SCORE), RunSettings()
    found = {}
    for given in (weight, 0.1):
        chain = make_chain(target, settings, cz.CPDAG.empty(8), WORDS, sqrt_weight=given)
        chain.run(2000, math.inf)
        chain.forget()
        chain.run(40_000, math.inf)
        state = chain.statistics()
        log2_pace = math.log2(state.jumps) - math.log2(state.time.expected) - state.unit
        chosen, faster = measured(chain, given, 8)
        found[given] = chosen, log2_pace + faster
    assert found[weight][0] == pytest.approx(found[0.1][0], rel=0.15)
    assert found[weight][1] == pytest.approx(found[0.1][1], abs=0.2)


def test_both_terms_make_about_as_many_jumps() -> None:
    chosen = weights(run(jumps=20_000))
    chain = make_chain(Target.read(SCORE), RunSettings(), cz.CPDAG.empty(8), WORDS, sqrt_weight=chosen[0])
    chain.run(20_000, math.inf)
    state = chain.statistics()
    assert state.metropolis_part + chosen[0] * state.sqrt_part == pytest.approx(state.jumps)
    assert 0.35 < state.metropolis_part / state.jumps < 0.65


def test_in_tables_of_many_columns_sqrt_makes_a_smaller_share_of_the_jumps() -> None:
    chain = make_chain(Target.read(SCORE), RunSettings(), cz.CPDAG.empty(8), WORDS, sqrt_weight=0.1)
    chain.run(2000, math.inf)
    even = measured(chain, 0.1, 20)[0]
    assert [measured(chain, 0.1, n)[0] for n in (8, 40, 200, 5000)] == pytest.approx(
        [even, even / 2, 0.3 * even, 0.3 * even]
    )


def test_other_balances_tables_of_edges_and_uniform_targets_have_none() -> None:
    assert weights(run(balance="metropolis")) == [None, None]
    assert weights(run(edge_prior=[0.0] * 20)) == [None, None]
    assert weights(cz.sample(cz.Uniform(4), jumps=500, chains=1, rng=1)) == [None]


def test_a_fixed_warm_up_chooses_too_and_without_any_it_is_sqrt() -> None:
    assert SQRT_ALONE not in weights(run(warmup=1000))
    assert weights(run(warmup=0)) == [SQRT_ALONE, SQRT_ALONE]


def test_a_run_is_continued_with_its_weight(tmp_path: Path) -> None:
    short = run(checkpoint=tmp_path, jumps=1000, warmup=500)
    longer = cz.resume(tmp_path, jumps=3000)
    assert weights(longer) == weights(short)
    assert differing(longer, run(jumps=3000, warmup=500)) == []


def test_an_extension_begins_with_the_weight_of_the_run() -> None:
    posterior = run()
    assert weights(posterior.extend(jumps=4000, rng=5))[2:] == pytest.approx(weights(posterior), rel=0.6)
