"""The verdict and the notes for given findings, and for runs that are too short for numbers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import causal_zigzag as cz
from causal_zigzag.cli.remedies import option_advice
from causal_zigzag.posterior.diagnostics.exact_check import ExactComparison
from causal_zigzag.posterior.diagnostics.verdict import Finding, judge, note_of
from targets import gaussian_data


def run(**settings: object) -> cz.Posterior:
    score = cz.GaussianBIC(gaussian_data(6, 80, seed=1))
    return cz.sample(score, **({"jumps": 1000, "chains": 2, "balance": "sqrt", "rng": 1, "progress": False} | settings))


def finding(name: str, **known: object) -> Finding:
    values = {"mean": 0.3, "mcse": 0.01, "ess": 500.0, "r_hat": 1.001, "by_chain": np.array([0.3, 0.3])}
    facts = {"is_constant": False, "disagrees": False, "is_rare": False, "negligible": 0.1}
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
        "Too short to judge: a -- b (probability 0.40 and 1 more) changed fewer than 10 times in all chains, too "
        "rarely to estimate an error; sample more jumps."
    )
    words, ok = verdict(finding("a -- b"), rare("a -> b", 0.98))
    assert ok
    assert words == (
        "Converged as far as 2 chains can show: at least 500 effective samples of every quantity, R-hat at most "
        "1.001. However, a -> b, with probabilities near 0 or 1, changed too rarely to estimate an error."
    )


def test_chains_that_disagree_need_more_jumps() -> None:
    apart = finding("a -- b", r_hat=1.5, by_chain=np.array([0.2, 0.9]), disagrees=True)
    verdict = judge(run().statistics, [9, 9], [0.5, 0.5], [finding("edges"), finding("score"), apart], enough=True)
    disagree = "The chains disagree on a -- b: 0.2 to 0.9 (R-hat 1.5). They have not mixed; sample more jumps"
    assert verdict.text() == f"{disagree} or examine each chain with posterior.by_chain()."
    assert verdict.text(option_advice) == f"{disagree} (--jumps)."
    assert (verdict.ok, verdict.heading) == (False, "Sampling: not converged")


def test_small_errors_from_few_effective_samples_are_reported() -> None:
    ran = run().statistics
    sound = [finding("edges"), finding("score", ess=400.0), finding("a -- b", ess=300.0, r_hat=1.02)]

    def verdict(*more: Finding) -> str:
        found = judge(ran, [9, 9], [0.5, 0.5], [*sound, *more], enough=True)
        assert (found.ok, found.heading) == (True, "Sampling: converged")
        return found.text()

    assert verdict().endswith(": at least 300 effective samples of every quantity, R-hat at most 1.020.")
    assert verdict(finding("b -- c", ess=20.0, r_hat=1.04, mcse=0.03)) == (
        "Converged as far as 2 chains can show: at least 300 effective samples of every quantity except 1, R-hat "
        "at most 1.020. Of those there are as few as 20, so their errors of at most 0.03 are uncertain; sample more "
        "jumps. The least certain probability is that of b -- c: 0.30 with a standard error of 0.03, 20 effective "
        "samples; sample more jumps."
    )


def test_no_run_is_sound_with_an_r_hat_above_the_limit() -> None:
    ran, usual = run().statistics, [finding("edges"), finding("score")]
    for r_hat, ok in ((1.05, True), (1.051, False), (1.12, False)):
        found = judge(ran, [9, 9], [0.5, 0.5], [*usual, finding("a -- b", r_hat=r_hat)], enough=True)
        assert found.ok == ok
    assert found.text() == (
        "Not mixed yet: the R-hat of a -- b is 1.120, above 1.05; about 3 times as many jumps are needed, for example "
        "by posterior.extend()."
    )
    more = [finding("a -- b", r_hat=1.2), finding("score", r_hat=1.06)]
    found = judge(ran, [9, 9], [0.5, 0.5], more, enough=True)
    assert found.text().startswith("Not mixed yet: the R-hat of a -- b is 1.200, above 1.05 and 1 more; about 5 ")
    timed = judge(ran, [9, 9], [0.5, 0.5], more, enough=True, seconds=30)
    assert "about 5 times as many jumps (about 2 min) are needed" in timed.text()


def test_a_drift_in_the_warm_up_is_a_remark_where_chains_agree() -> None:
    ran = [replace(s, drifting=True) for s in run().statistics]
    good = [finding("edges"), finding("score"), finding("a -- b")]
    drift = "Chains 1, 2 still drifted at the end of the longest warm-up; sample more jumps"
    verdict = judge(ran, [9, 9], [0.5, 0.5], good, enough=True)
    assert verdict.ok
    assert verdict.text().startswith("Converged as far as 2 chains can show: at least 500 effective samples")
    assert drift in verdict.remarks[-1].text()
    few = judge(ran, [9, 9], [0.5, 0.5], [finding("edges", ess=50.0), *good[1:]], enough=True)
    unmixed = judge(ran, [9, 9], [0.5, 0.5], [finding("edges", r_hat=1.2), *good[1:]], enough=True)
    for bad in (few, unmixed):
        assert not bad.ok
        assert bad.text().startswith(drift)


def test_a_direction_that_is_less_certain_than_adjacencies_is_named() -> None:
    usual, ran = [finding("edges"), finding("score"), finding("a -- b")], run().statistics
    wide = finding("a -> b", mean=0.758, mcse=0.04, ess=133.0)
    verdict = judge(ran, [9, 9], [0.5, 0.5], [*usual, wide, finding("b -> c", mcse=0.02)], enough=True)
    assert verdict.ok
    least = "The least certain probability is that of a -> b: 0.76 with a standard error of 0.04, 133 effective samples"
    assert verdict.remarks[-1].text() == f"{least}; sample more jumps."


def comparison(difference: float) -> ExactComparison:
    row = {"x": ["a"], "y": ["b"], "sampled": [0.5 + difference], "exact": [0.5], "difference": [difference]}
    return ExactComparison(difference, ("a", "b"), pd.DataFrame(row))


def test_a_run_far_from_the_exact_probabilities_is_not_sound() -> None:
    ran, findings = run().statistics, [finding("edges"), finding("score")]
    near = judge(ran, [9, 9], [0.5, 0.5], findings, enough=True, exact=comparison(0.0123))
    assert near.ok
    assert near.text().startswith("Converged as far as 2 chains can show: ")
    assert near.text().endswith(" Largest difference from the exact probabilities: 0.012.")
    far = judge(ran, [9, 9], [0.5, 0.5], findings, enough=True, exact=comparison(0.12))
    assert not far.ok
    told = "Far from the exact probabilities: that of a -- b is 0.62 instead of 0.50; "
    assert far.text() == f"{told}use the exact probabilities of cz.exact_edge_posterior or sample more jumps."
    assert far.text(option_advice) == (
        f"{told}use the exact probabilities of `causal-zigzag exact` or sample more jumps (--jumps)."
    )


def test_masses_of_regions_are_reported_if_chains_disagree() -> None:
    ran = [*run().statistics] * 2
    apart = finding("a -- b", r_hat=1.5, by_chain=np.array([0.2, 0.9, 0.9, 0.2]), disagrees=True)
    usual = [finding("edges"), finding("score")]

    def remarks(findings: list[Finding], masses: list[float], weighted: bool = False) -> list[str]:
        found = judge(ran, [9] * 4, [0.25] * 4, findings, True, masses=masses, weighted=weighted)
        assert found.ok == (apart not in findings)
        return [remark.text() for remark in found.remarks[1:]]

    advice = "; weight the chains by these masses with posterior.weigh_chains()."
    assert remarks([*usual, apart], [2.0, 1.0, -35.0, 0.0]) == [
        "Chain 3: a region with e^-37 of the mass of that of chain 1" + advice
    ]
    assert remarks([*usual, apart], [0.0, 2.0, -35.0, -10.0]) == [
        "Chains 3, 4: a region with e^-12 to e^-37 of the mass of that of chain 2" + advice
    ]
    assert remarks([*usual, apart], [0.0, 2.0, -35.0, 0.0], weighted=True) == [
        "Chain 3: a region with e^-37 of the mass of that of chain 2.",
        "The chains are weighted by the estimated masses of their regions.",
    ]
    assert remarks([*usual, apart], [0.0, 2.9, 0.1, 0.0]) == []
    assert remarks(usual, [2.0, 1.0, -35.0, 0.0]) == []  # chains that agree are in the same region


def test_more_than_a_million_effective_samples() -> None:
    ran = run().statistics
    many = [finding("edges", ess=1e23), finding("score", ess=2e6)]
    words = "Converged as far as 2 chains can show: over 1,000,000 effective samples of every quantity, R-hat at most"
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
    assert verdict.text().startswith("119 chains (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...) never left the first class.")
