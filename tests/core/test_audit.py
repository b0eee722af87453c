"""The audit of chains: rates, sums, descendants and cached rows are those that are computed from scratch.

``benchmarks/audit_chains.py`` does this for as long as it is asked to.
"""

import pytest

from random_chains import AuditFigures, RandomChain

QUICK, LONG, TOGETHER = 300, 1000, 20  # chains, and how many of them are one test


def audited(seeds: range, blocks: int, jumps: int) -> AuditFigures:
    figures = AuditFigures()
    for seed in seeds:
        figures.add(RandomChain(seed).audit(blocks, jumps))
    return figures


@pytest.mark.nosanitize
@pytest.mark.parametrize("first", range(0, QUICK, TOGETHER))
def test_chains_of_random_settings_are_in_the_right_state(first: int) -> None:
    figures = audited(range(first, first + TOGETHER), 3, 150)
    assert figures.first == []
    assert figures.comparisons > 10_000
    assert figures.jumps > 5000


@pytest.mark.long
@pytest.mark.nosanitize
@pytest.mark.parametrize("first", range(QUICK, LONG, TOGETHER))
def test_many_chains_of_random_settings_are_in_the_right_state(first: int) -> None:
    assert audited(range(first, first + TOGETHER), 6, 300).first == []
