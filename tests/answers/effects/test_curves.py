"""Curves under interventions: against regressions written out, linear effects, and all DAGs of three nodes."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main

stats = pytest.importorskip("scipy.stats")


def curved_table(rows: int, seed: int = 1) -> pd.DataFrame:
    """s affects x and y, and x affects y by a parabola."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=rows)
    x = s + rng.normal(size=rows)
    return pd.DataFrame({"s": s, "x": x, "y": x**2 / 2 + np.sin(s) + rng.normal(size=rows) / 2})


TABLE = curved_table(150)
COMPLETE = cz.Knowledge(required=[("s", "x"), ("s", "y"), ("x", "y")])


def test_they_are_bayesian_regressions() -> None:
    """With Z the features and V their prior variances, y of mean 0 and variance 1 is a Student t vector with one degree
    of freedom and the matrix I + ZVZ', and so is the curve given y."""
    score = cz.AdditiveGP(TABLE)
    known, x, y = score.curve_table(), TABLE["x"].to_numpy(), TABLE["y"].to_numpy()
    rows, unit, rank = [3, 50, 140], y.std(), len(y)
    t, logs, means, scales, slopes = (y - y.mean()) / unit, [], [], [], []
    for choice in known.choices:
        own, other = (known.features[v][:, choice.features[v]] for v in (1, 0))
        K_x = own @ np.diag(choice.variances[1]) @ own.T
        K = np.eye(rank) + K_x + other @ np.diag(choice.variances[0]) @ other.T
        solved = np.linalg.solve(K, t)
        logs.append(-np.linalg.slogdet(K)[1] / 2 - (rank + 1) / 2 * np.log(1 + t @ solved))
        curve = unit * K_x @ solved
        parents = unit * (t - solved) - curve
        share = unit**2 * (1 + t @ solved) / (rank + 1)
        squares = share * np.diag(K_x - K_x @ np.linalg.solve(K, K_x)) + (share + parents.var()) / rank
        means.append(y.mean() + curve[rows])
        scales.append(np.sqrt(squares[rows]))
        slopes.append(np.polyfit(x, curve, 1)[0])
    shares = np.exp(np.array(logs) - max(logs))
    shares /= shares.sum()
    effect = cz.exact_posterior(score, knowledge=COMPLETE, edge_prior=None).effect("x", "y")
    assert effect.mean == pytest.approx(shares @ slopes, rel=1e-3)
    found = effect.curve(x[rows], level=0.9)
    assert found["mean"].to_numpy() == pytest.approx(shares @ means, rel=1e-3)
    for k in range(3):
        below = [float(shares @ [stats.t.cdf((found[end][k] - m[k]) / s[k], rank + 1) for m, s in
                 zip(means, scales, strict=True)]) for end in ("lower", "upper")]  # fmt: skip
        assert below == pytest.approx([0.05, 0.95], abs=1e-3)
    assert effect.note == ""


def test_the_mean_of_a_curve_is_that_of_the_outcome() -> None:
    for score in (cz.AdditiveGP(TABLE), cz.AdditiveGP(TABLE, transform=None)):
        effect = cz.exact_posterior(score, edge_prior=None).effect("x", "y")
        found = effect.curve(TABLE["x"])
        assert found["mean"].mean() == pytest.approx(TABLE["y"].mean())
        assert np.polyfit(TABLE["x"], found["mean"], 1)[0] == pytest.approx(effect.mean)


def test_straight_lines_have_the_effect_of_a_linear_score() -> None:
    table = cz.datasets.linear_gaussian([("s", "x"), ("s", "y"), ("x", "y")], rows=2000, rng=1)
    linear = cz.exact_posterior(cz.BGe(table), knowledge=COMPLETE, edge_prior=None).effect("x", "y")
    for score in (cz.AdditiveGP(table, transform=None), cz.AdditiveGP(table)):
        effect = cz.exact_posterior(score, knowledge=COMPLETE, edge_prior=None).effect("x", "y")
        assert effect.mean == pytest.approx(linear.mean, abs=0.5 * linear.sd)
        assert effect.sd == pytest.approx(linear.sd, rel=0.15)


def test_they_are_averaged_over_all_dags() -> None:
    data = curved_table(40, seed=3)
    score = cz.AdditiveGP(data)
    posterior = cz.exact_posterior(score, edge_prior=None)
    expected, path, curve = 0.0, 0.0, np.zeros(3)
    points = np.quantile(data["x"], [0.1, 0.5, 0.9])
    given = {  # the parents of x decide, in any graph
        parents: cz.exact_posterior(
            score, knowledge=cz.Knowledge(required=[*edges, ("x", "y")]), edge_prior=None
        ).effect("x", "y")
        for parents, edges in {(): [("x", "s")], (0,): [("s", "x")]}.items()
    }
    for graph, probability, _ in posterior.top(100):
        dags = {g.tobytes(): g for g in (graph.random_dag(rng=seed) for seed in range(60))}
        assert len(dags) == graph.count_dags()
        for dag in dags.values():
            share, one = probability / len(dags), given.get(tuple(np.flatnonzero(dag[:, 1]).tolist()))
            if one is not None and (dag + dag @ dag)[1, 2]:
                expected, path = expected + share * one.mean, path + share
                curve += share * one.curve(points)["mean"].to_numpy()
            else:
                curve += share * data["y"].mean()
    effect = posterior.effect("x", "y")
    assert 0.01 < path < 0.99
    assert (effect.mean, effect.probability_nonzero) == (pytest.approx(expected), pytest.approx(path))
    assert effect.curve(points)["mean"].to_numpy() == pytest.approx(curve)
    assert effect.components["probability"].sum() == pytest.approx(1)
    assert (effect.components["probability"] @ effect.components["estimate"]) == pytest.approx(effect.mean)
    with_path = effect.curve(points, given_path=True)["mean"].to_numpy()
    assert path * with_path + (1 - path) * data["y"].mean() == pytest.approx(curve)


def test_a_parabola_has_a_curve_and_no_slope() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=400)
    data = {"x": x, "y": x**2 + rng.normal(size=400) / 2}
    effect = cz.exact_posterior(
        cz.AdditiveGP(data), knowledge=cz.Knowledge(tiers=[["x"], ["y"]]), edge_prior=None
    ).effect("x", "y")
    low, high = effect.interval()
    assert low < 0 < high
    found = effect.curve([-1.5, 0, 1.5])
    assert found["upper"][1] < 0.5 < 1.8 < min(found["lower"][0], found["lower"][2])
    assert effect.robustness is None


def test_levels_have_contrasts() -> None:
    rng = np.random.default_rng(2)
    group = rng.integers(0, 3, size=400)
    x = rng.normal(size=400)
    y = group + np.cos(2 * x) + rng.normal(size=400) / 2
    flag = rng.random(400) < 1 / (1 + np.exp(-4 * np.cos(2 * x)))
    data = pd.DataFrame(
        {"group": np.array(["a", "b", "c"])[group], "x": x, "y": y, "flag": np.where(flag, "on", "off")}
    )
    known = cz.Knowledge(tiers=[["group", "x"], ["y", "flag"]])
    posterior = cz.exact_posterior(cz.AdditiveGP(data), knowledge=known, edge_prior=None)
    contrast = posterior.effect("group", "y").contrast("a", "c")
    assert contrast.interval()[0] < 2 < contrast.interval()[1]
    assert contrast.mean == pytest.approx(-posterior.effect("group", "y").contrast("c", "a").mean)
    on, off = (posterior.effect("x", "flag").contrast(level=level).curve([0.0]) for level in ("on", "off"))
    assert on["mean"][0] > 0.6
    assert on["mean"][0] + off["mean"][0] == pytest.approx(1)
    assert {*posterior.effects()["level"]} & {"on", "off"}


def test_tables_files_pages_plots_and_commands(tmp_path) -> None:
    known = cz.Knowledge(tiers=[["s"], ["x"], ["y"]])
    posterior = cz.sample(TABLE, "additive-gp", knowledge=known, jumps=500, chains=2, rng=1)
    effect = posterior.effect("x", "y")
    assert effect.is_curved
    assert "raising x by 1, on average over its curve, changes y by" in repr(effect)
    frame = posterior.effects()
    row = frame[(frame["cause"] == "x") & (frame["outcome"] == "y")].iloc[0]
    assert (row["mean"], row["mcse"]) == (pytest.approx(effect.mean), pytest.approx(effect.mcse.mean, nan_ok=True))
    standardized = posterior.effects("x", "y", standardized=True)["mean"][0]
    assert standardized == pytest.approx(effect.mean * TABLE["x"].std(ddof=0) / TABLE["y"].std(ddof=0))
    assert effect.plot().get_xlabel() == "x is set to"
    assert "x" in effect._repr_html_()
    run = tmp_path / "run.czz"
    posterior.save(run)
    pd.testing.assert_frame_equal(cz.load(run).effect("x", "y").curve(), effect.curve())
    posterior.report(tmp_path / "page.html")
    assert 'class="effect curve"' in (tmp_path / "page.html").read_text(encoding="utf-8")
    printed = CliRunner().invoke(main, ["effects", str(run), "--cause", "x", "--outcome", "y", "--curve", "--csv"])
    assert printed.exit_code == 0
    assert len(printed.output.splitlines()) == 42
    assert CliRunner().invoke(main, ["effects", str(run), "--cause", "x", "--curve"]).exit_code == 2


def test_points_that_are_not_in_the_table() -> None:
    effect = cz.exact_posterior(cz.AdditiveGP(TABLE), edge_prior=None).effect("x", "y")
    with pytest.raises(cz.SettingsError, match="99"):
        effect.curve([0, 99])
    with pytest.raises(cz.SettingsError, match="nan"):
        effect.curve([float("nan")])
    with pytest.raises(cz.SettingsError, match="high"):
        effect.curve("high")
    with pytest.raises(cz.ScoreError, match=r"no effects under BasisBIC.*leaves out edges.*additive-gp"):
        cz.exact_posterior(cz.BasisBIC(TABLE), edge_prior=None).effect("x", "y")
    with pytest.raises(cz.ScoreError, match="joint"):
        cz.exact_posterior(cz.AdditiveGP(TABLE), edge_prior=None).effect("x", "y", jointly_with=["s"])
