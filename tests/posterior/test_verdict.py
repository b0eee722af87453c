"""The verdict and the notes for given findings, and for runs that are too short for numbers."""

from pathlib import Path

import numpy as np

import causal_zigzag as cz
from causal_zigzag.cli.remedies import option_advice
from causal_zigzag.posterior.diagnostics.verdict import Finding, judge, note_of
from targets import gaussian_data


def run(**settings: object) -> cz.Posterior:
    score = cz.GaussianBIC(gaussian_data(6, 80, seed=1))
    return cz.sample(score, **({"jumps": 1000, "chains": 2, "rng": 1, "progress": False} | settings))


def finding(name: str, **known: object) -> Finding:
    values = {"mean": 0.3, "mcse": 0.01, "ess": 500.0, "r_hat": 1.001, "by_chain": np.array([0.3, 0.3])}
    facts = {"is_constant": False, "disagrees": False, "is_rare": False}
    return Finding(name, name not in ("edges", "score"), **(values | facts | known))


def rare(name: str, mean: float) -> Finding:
    return finding(name, mean=mean, mcse=np.nan, ess=np.nan, is_rare=True)


def test_edges_that_changed_too_rarely() -> None:
    ran, usual = run().statistics, [finding("edges", mean=4.0), finding("score", mean=-100.0)]

    def verdict(*findings: Finding) -> tuple[str, bool]:
        found = judge(ran, [9, 9], [0.5, 0.5], [*usual, *findings], True)
        return found.text(), found.ok

    assert note_of(rare("a -- b", 0.4), True) == "changed too rarely"
    words, ok = verdict(rare("a -- b", 0.4), rare("a -> b", 0.1), rare("b -> c", 0.02))
    assert not ok
    assert words == (
        "Too short to judge: a -- b (probability 0.40) and 1 more changed fewer than 10 times in all chains, too "
        "rarely to estimate an error; sample more jumps."
    )
    words, ok = verdict(finding("a -- b"), rare("a -> b", 0.98))
    assert ok
    assert words == (
        "Converged as far as two chains can show: at least 500 effective samples of every quantity, R-hat at most "
        "1.001. However, a -> b, with a probability near 0 or 1, changed too rarely to estimate an error."
    )


def test_tempered_chains_that_disagree_need_more_temperatures() -> None:
    apart = finding("a -- b", r_hat=1.5, by_chain=np.array([0.2, 0.9]), disagrees=True)
    for tempering, words in ((None, "use tempering"), (2, "use more temperatures")):
        ran = run(tempering=tempering).statistics
        verdict = judge(ran, [9, 9], [0.5, 0.5], [finding("edges"), finding("score"), apart], enough=True)
        disagree = "The two chains disagree on a -- b: 0.2 to 0.9 (R-hat 1.5). They have not mixed; sample more jumps"
        assert verdict.text() == f"{disagree} or {words} or examine each chain with posterior.by_chain()."
        assert verdict.text(option_advice) == f"{disagree} (--jumps) or {words} (--tempering)."
        assert (verdict.ok, verdict.heading) == (False, "Not settled yet")


def test_small_errors_from_few_effective_samples_are_reported() -> None:
    ran = run().statistics
    sound = [finding("edges"), finding("score", ess=400.0), finding("a -- b", ess=300.0, r_hat=1.02)]

    def verdict(*more: Finding) -> str:
        found = judge(ran, [9, 9], [0.5, 0.5], [*sound, *more], enough=True)
        assert (found.ok, found.heading) == (True, "This run looks sound")
        return found.text()

    assert verdict().endswith(": at least 300 effective samples of every quantity, R-hat at most 1.020.")
    assert verdict(finding("b -- c", ess=20.0, r_hat=1.27, mcse=0.03)) == (
        "Converged as far as two chains can show: at least 300 effective samples of every quantity except one, R-hat "
        "at most 1.020. The exception has as few as 20 effective samples and R-hat up to 1.270, so it may be off by "
        "more than its error of at most 0.03; sample more jumps."
    )
    few = verdict(finding("b -- c", ess=90.0), finding("b -> c", ess=95.0, r_hat=np.nan))
    assert "every quantity except two, R-hat" in few
    assert "The exceptions have as few as 90 effective samples, so they may be off by more than their errors" in few


def test_more_than_a_million_effective_samples() -> None:
    ran = run().statistics
    many = [finding("edges", ess=1e23), finding("score", ess=2e6)]
    words = "Converged as far as two chains can show: over 1,000,000 effective samples of every quantity, R-hat at most"
    assert judge(ran, [9, 9], [0.5, 0.5], many, enough=True).text().startswith(words)


def test_two_nodes_have_no_error(tmp_path: Path) -> None:
    """With two classes there is one possible jump from each, and the expected times are always the same."""
    d = cz.sample(cz.Uniform(2), jumps=2000, rng=1, progress=False).diagnostics()
    assert d.ok
    assert d.verdict.startswith("All parts of the run give the same numbers, so there is no error except rounding")
    assert d.table["note"].tolist() == ["the same in all batches", "constant", *["the same in all batches"] * 2]
    weak = cz.GaussianBIC.from_covariance([[1, 0.25], [0.25, 1]], 60)
    scored = cz.sample(weak, edge_prior=None, jumps=20_000, rng=1, progress=False)
    assert 0.1 < scored.edge_probabilities().adjacent[0, 1] < 0.9
    assert "over 1,000,000 effective samples" in scored.diagnostics().verdict
    scored.report(tmp_path / "page.html")
    assert "over 1,000,000</td>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_many_chains_are_not_all_named() -> None:
    ran = [*run().statistics] * 60
    verdict = judge(ran, [1] * 119 + [9], [1 / 120] * 120, [], enough=True)
    assert not verdict.ok
    assert verdict.text().startswith("119 chains (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...) never left their first class.")
