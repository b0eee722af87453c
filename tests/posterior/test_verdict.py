"""Words for findings: what the verdict and the notes say of given numbers, and of runs too small to have any."""

from pathlib import Path

import numpy as np

import causal_zigzag as cz
from causal_zigzag.posterior.diagnostics.verdict import Finding, judge, note_of
from targets import gaussian_data


def run(**settings: object) -> cz.Posterior:
    score = cz.GaussianBIC(gaussian_data(6, 80, seed=1))
    return cz.sample(score, **({"jumps": 1000, "chains": 2, "rng": 1, "progress": False} | settings))


def finding(name: str, **known: object) -> Finding:
    values = {"mean": 0.3, "mcse": 0.01, "ess": 500.0, "r_hat": 1.001, "by_chain": np.array([0.3, 0.3])}
    facts = {"is_constant": False, "disagrees": False, "is_seldom": False}
    return Finding(name, **(values | facts | known))


def seldom(name: str, mean: float) -> Finding:
    return finding(name, mean=mean, mcse=np.nan, ess=np.nan, is_seldom=True)


def test_what_changed_too_seldom_is_said() -> None:
    ran, usual = run().statistics, [finding("edges", mean=4.0), finding("score", mean=-100.0)]

    def verdict(*findings: Finding) -> tuple[str, bool]:
        return judge(ran, [9, 9], [0.5, 0.5], [*usual, *findings], True)

    assert note_of(seldom("a -- b", 0.4), True) == "changed too seldom to tell"
    words, ok = verdict(seldom("a -- b", 0.4), seldom("a -> b", 0.1), seldom("b -> c", 0.02))
    assert not ok
    assert words == (
        "Too short to tell: a -- b (probability 0.40) and 1 more were seen to change less than 10 times in all chains, "
        "too seldom for an error; sample more jumps."
    )
    words, ok = verdict(finding("a -- b"), seldom("a -> b", 0.98))
    assert ok
    assert words == (
        "Converged as far as two chains can tell: at least 500 effective samples of every quantity, R-hat at most "
        "1.001. But a -> b, near 0 or 1, changed too seldom for an error."
    )


def test_tempered_chains_that_disagree_need_more_temperatures() -> None:
    apart = finding("a -- b", r_hat=1.5, by_chain=np.array([0.2, 0.9]), disagrees=True)
    for tempering, words in ((None, "more jumps, temper them, or"), (2, "more jumps, give them more temperatures, or")):
        ran = run(tempering=tempering).statistics
        assert words in judge(ran, [9, 9], [0.5, 0.5], [finding("edges"), finding("score"), apart], enough=True)[0]


def test_small_errors_on_little_evidence_are_told_as_such() -> None:
    ran = run().statistics
    sound = [finding("edges"), finding("score", ess=400.0), finding("a -- b", ess=300.0, r_hat=1.02)]

    def verdict(*more: Finding) -> str:
        text, ok = judge(ran, [9, 9], [0.5, 0.5], [*sound, *more], enough=True)
        assert ok
        return text

    assert verdict().endswith(": at least 300 effective samples of every quantity, R-hat at most 1.020.")
    assert verdict(finding("b -- c", ess=20.0, r_hat=1.27, mcse=0.03)) == (
        "Converged as far as two chains can tell: at least 300 effective samples of every quantity but one, R-hat at "
        "most 1.020. That one, with as few as 20 and R-hat up to 1.270, may be off by more than its error of at most "
        "0.03; sample more jumps if that matters."
    )
    few = verdict(finding("b -- c", ess=90.0), finding("b -> c", ess=95.0, r_hat=np.nan))
    assert "every quantity but two, R-hat" in few
    assert "Those, with as few as 90, may be off by more than their errors of at most 0.01;" in few


def test_more_effective_samples_than_a_million_are_not_counted() -> None:
    ran = run().statistics
    many = [finding("edges", ess=1e23), finding("score", ess=2e6)]
    words = "Converged as far as two chains can tell: over 1,000,000 effective samples of every quantity, R-hat at most"
    assert judge(ran, [9, 9], [0.5, 0.5], many, enough=True)[0].startswith(words)


def test_two_nodes_have_no_error_and_vary_all_the_same(tmp_path: Path) -> None:
    """From one of two classes there is but one way to go, and expected times in them are always the same."""
    d = cz.sample(cz.Uniform(2), jumps=2000, rng=1, progress=False).diagnostics()
    assert d.ok
    assert d.verdict.startswith("Every stretch of the run gives the same numbers: there is no error but that of round")
    assert d.table["note"].tolist() == ["the same in all batches", "constant", *["the same in all batches"] * 2]
    weak = cz.GaussianBIC.from_covariance([[1, 0.25], [0.25, 1]], 60)
    scored = cz.sample(weak, edge_prior=None, jumps=20_000, rng=1, progress=False)
    assert 0.1 < scored.edge_probabilities().adjacent[0, 1] < 0.9
    assert "over 1,000,000 effective samples" in scored.diagnostics().verdict
    scored.report(tmp_path / "page.html")
    assert "over 1,000,000</td>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_many_chains_are_not_all_named() -> None:
    ran = [*run().statistics] * 60
    words, ok = judge(ran, [1] * 119 + [9], [1 / 120] * 120, [], enough=True)
    assert not ok
    assert words.startswith("119 chains (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...) never left their first class.")
