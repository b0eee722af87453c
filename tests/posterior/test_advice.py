"""What to do next: proposals follow from the result, and their lines can be pasted."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.posterior.advice import MOST_PROPOSALS, Proposal, advice
from experts import options
from resampled_runs import with_again


def run(data: object, **settings: object) -> cz.Posterior:
    return cz.sample(data, **options(**{"jumps": 20_000, "chains": 2, "rng": 1, "progress": False} | settings))


CHAIN = cz.datasets.linear_gaussian([("age", "bmi"), ("bmi", "died")], rows=500, rng=1)


def directions(posterior: cz.Posterior) -> Proposal:
    (found,) = (one for one in posterior.advice() if one.kind == "directions")
    return found


def test_many_open_edges_ask_what_comes_first() -> None:
    proposal = directions(run(CHAIN))
    assert "Can anything in this table cause age?" in proposal.text
    assert proposal.brief == "Can anything in this table cause age? If not, say so."
    again = eval(proposal.code.partition(" = ")[2], {"cz": cz, "data": CHAIN})
    assert again.consensus().undirected_edges == ()
    assert proposal.command == ""  # there is no file


def test_a_run_with_edges_is_resampled_once_it_has_converged() -> None:
    sound, short = run(CHAIN), run(CHAIN, jumps=50, warmup=0)
    assert sound.advice()[0].kind == "stability"
    assert sound.advice()[0].code == "posterior = posterior.resample()"
    assert all(one.kind != "stability" for one in short.advice())
    resampled = with_again(run(CHAIN), {})
    assert all(one.kind != "stability" for one in resampled.advice())


def test_groups_of_rows_are_resampled_together() -> None:
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(40), 6)
    means = rng.normal(size=(3, 40))
    table = {"unit": unit, **{name: means[k][unit] + rng.normal(size=240) for k, name in enumerate("abc")}}
    posterior = run(table, jumps=5000)
    first = posterior.advice()[0]
    assert (first.kind, first.brief) == ("data", "Resample the rows of each unit together.")
    call = first.code.partition(" = ")[2].removesuffix(")") + ", jumps=2000, chains=1, resamples=4, rng=1)"
    again = eval(call, {"cz": cz, "data": table})
    assert again.nodes == ("a", "b", "c")
    assert again.resampled.by == ("unit",)
    assert all("together" not in one.text for one in again.advice())


def test_a_posterior_without_its_rows_is_resampled_with_its_table(tmp_path: object) -> None:
    path = f"{tmp_path}/table.csv"
    CHAIN.to_csv(path, index=False)
    run(path).save(f"{tmp_path}/run.czz")
    loaded = cz.load(f"{tmp_path}/run.czz")
    (code,) = (one.code for one in loaded.advice() if one.kind == "stability")
    names = {"posterior": loaded}
    exec(code.replace("resample(", "resample(2, rng=1, "), names)
    assert names["posterior"].resampled is not None


def test_when_everything_is_done_there_is_nothing_to_say() -> None:
    known = cz.Knowledge(tiers=[["age"], ..., ["died"]])
    done = with_again(run(CHAIN, knowledge=known), {("age", "bmi"): 1.0, ("bmi", "died"): 1.0})
    assert done.advice() == []
    assert str(done.advice()).startswith("Nothing")


def test_arrows_that_do_not_hold_have_no_direction() -> None:
    table = cz.datasets.linear_gaussian([("p", "r"), ("q", "r")], rows=500, rng=1)
    assert all(one.kind != "directions" for one in run(table).advice())
    proposal = directions(with_again(run(table), {("p", "r"): 0.4, ("q", "r"): 0.9}))
    assert "1 of 2 edges without a direction and 1 arrow of the model that does not hold" in proposal.text
    assert "Is p before r, or after it?" in proposal.text


def test_without_telling_names_the_most_probable_open_edge_is_the_example() -> None:
    proposal = directions(run(CHAIN.rename(columns={"age": "p", "bmi": "q", "died": "r"})))
    assert "Say what comes first" in proposal.text
    assert any(f"tiers=[['{x}'], ['{y}']]" in proposal.code for x, y in (("p", "q"), ("q", "r")))


def test_an_arrow_into_an_early_column_is_a_question() -> None:
    table = cz.datasets.linear_gaussian([("income", "age"), ("bmi", "age")], rows=2000, rng=1)
    proposal = directions(run(table))
    assert "-> age" in proposal.text
    assert "tiers=[['age'], ...]" in proposal.code  # nothing is said of outcomes, such as income


def test_a_short_run_is_extended() -> None:
    short = run(CHAIN, jumps=50, warmup=0)
    assert not short.diagnostics().ok
    first = short.advice()[0]
    assert first.kind == "sampling"
    assert first.code.startswith("posterior = posterior.extend(minutes=")
    assert len(short.advice()) <= MOST_PROPOSALS
    assert first.command == ""


def test_the_commands_of_a_saved_run_work_as_they_are(tmp_path: Path) -> None:
    CHAIN.to_csv(tmp_path / "a b.csv", index=False)
    for jumps, word in ((50, "extend"), (20_000, "resample")):
        saved = tmp_path / f"{word} it.czz"
        posterior = run(tmp_path / "a b.csv", jumps=jumps, **({"warmup": 0} if jumps == 50 else {}))
        posterior.save(saved)
        command = advice(posterior, saved=str(saved))[0].command
        assert command.startswith(f"causal-zigzag {word} '{saved}'")
        short = ("--jumps 100" if word == "extend" else "--resamples 2") + " --seed 1"
        words = shlex.split(re.sub(r"--minutes \S+", "", command) + " " + short)
        result = CliRunner().invoke(main, words[1:])
        assert "What was run" in result.output
        assert Path(words[words.index("--out") + 1]).is_file()


def test_chains_that_disagree_run_longer() -> None:
    score = cz.GaussianBIC(np.random.default_rng(1).normal(size=(100, 4)))
    prior, start = [0.0, 0.0, -80.0, -80.0, -80.0, 25.0, 25.0], [cz.CPDAG.empty(4), cz.CPDAG.complete(4)]
    apart = run(score, edge_prior=prior, start=start, jumps=5000, warmup=100)
    assert not apart.diagnostics().ok
    assert apart.advice()[0].code == "posterior = posterior.extend(minutes=5)"


def test_doubts_about_the_table_come_with_a_remedy() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=300)
    table = {"a": a, "copy": a + 0.01 * rng.normal(size=300), "b": rng.normal(size=300)}
    found = [proposal for proposal in run(table).advice() if proposal.kind == "data"]
    assert "a and copy" in found[0].text
    again = eval(found[0].code.partition(" = ")[2], {"cz": cz, "data": table})
    assert len(again.nodes) == 2


def test_there_is_nothing_to_say_without_edges() -> None:
    rng = np.random.default_rng(2)
    assert run(rng.normal(size=(500, 3))).advice() == []


@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_line_shows_it(tmp_path: object, as_json: bool) -> None:
    path = f"{tmp_path}/table.csv"
    CHAIN.to_csv(path, index=False)
    arguments = ["sample", path, "--jumps", "20000", "--chains", "2", "--seed", "1", *(["--json"] if as_json else [])]
    output = CliRunner().invoke(main, arguments).output
    assert "--tiers 'age;...'" in output
    assert ('"advice"' in output) == as_json


def test_one_remedy_for_two_doubts_is_proposed_once() -> None:
    table = CHAIN.assign(bmi=np.exp(3 * CHAIN["bmi"]))
    posterior = run(table)
    audit = posterior.audit()
    assert audit is not None
    assert {"skew", "outliers"} <= {doubt.kind for doubt in audit.doubts}
    codes = [proposal.code for proposal in posterior.advice()]
    assert len({*codes}) == len(codes)


def test_names_that_only_the_user_knows_are_explained() -> None:
    proposal = directions(run(CHAIN))
    assert "cz.sample(data," in proposal.code
    assert "data is your table" in proposal.text


def test_a_score_of_curves_that_was_chosen_is_compared_with_the_linear_one() -> None:
    x, noise = np.random.default_rng(1).normal(size=(2, 200))
    posterior = cz.sample({"x": x, "y": x**2 + noise / 2}, jumps=500, chains=2, rng=1)
    codes = [proposal.code for proposal in posterior.advice()]
    assert "cz.compare_scores(data, ['additive-gp', 'gaussian-bic'])" in codes


def test_a_remedy_reads_the_table_as_the_run_did(tmp_path: object) -> None:
    rng = np.random.default_rng(1)
    a, other = rng.normal(size=(2, 300))
    series = {"day": np.arange(300), "a": a, "copy": a + 0.01 * rng.normal(size=300), "b": other, "c": a * 0}
    known = cz.Knowledge(required=[("a", "b")])
    posterior = run(cz.lagged(series, 1, time="day"), score="bge", knowledge=known, jumps=2000)
    found = [one for one in posterior.advice() if one.kind == "data" and "copy" in one.text]
    assert {one.command for one in found} == {""}  # as the shell would have to be told of the arrow
    names = {"cz": cz, "data": series, "posterior": posterior}
    again = eval(found[0].code.partition(" = ")[2], names)
    assert again.nodes == ("a", "b", "a[t-1]", "b[t-1]")
    assert type(again.score) is cz.BGe
    assert again.target.knowledge.required == (("a", "b"),)


def test_a_remedy_for_the_shell_has_the_options_of_the_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    a, other = rng.normal(size=(2, 300))
    path = tmp_path / "series.csv"
    series = {"day": np.arange(300), "a": a, "copy": a + 0.01 * rng.normal(size=300), "b": other}
    pd.DataFrame(series).to_csv(path, index=False)
    commands = [one.command for one in run(cz.lagged(path, 1, time="day"), jumps=2000).advice()]
    assert f"causal-zigzag sample {path} --lags 1 --time day --drop copy" in commands


def test_an_experiment_is_asked_for_and_its_outcomes_are_left_alone() -> None:
    rng = np.random.default_rng(1)
    arm = rng.integers(0, 2, 600)
    outcome = arm + rng.normal(size=600)
    table = pd.DataFrame({"arm": np.array(["placebo", "drug"])[arm], "outcome": outcome})
    table["side_effect"] = outcome + rng.normal(size=600)
    proposal = directions(run(table))
    assert proposal.brief == "Was arm assigned, and not caused by anything in this table? If so, say so."
    again = eval(
        proposal.code.partition(" = ")[2].removesuffix(")") + ", jumps=5000, rng=1)", {"cz": cz, "data": table}
    )
    assert {("arm", "outcome"), ("outcome", "side_effect")} <= {*again.consensus().directed_edges}
    assert all(one.kind != "directions" for one in again.advice())


def test_names_of_times_are_an_order() -> None:
    table = cz.datasets.linear_gaussian([("re74", "re75"), ("re75", "re78"), ("educ", "re78")], rows=500, rng=1)
    assert "tiers=[['re74'], ['re75'], ['re78']]" in directions(run(table)).code


def panel() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    country, year = np.repeat([f"c{i}" for i in range(15)], 12), np.tile(np.arange(1950, 2010, 5), 15)
    x, y = rng.normal(size=(2, 15, 1)) + np.cumsum(rng.normal(size=(2, 15, 12)), axis=2)
    return pd.DataFrame({"country": country, "year": year, "x": x.ravel(), "y": y.ravel()})


def test_several_series_are_proposed_first_and_never_across_them() -> None:
    first = run(panel(), jumps=3000).advice()[0]
    assert first.brief == "Use the rows of each country as a series in time."
    assert "cz.lagged(data, lags=1, by=['country'], time='year')" in first.code
    again = eval(first.code.partition(" = ")[2].removesuffix(")") + ", jumps=500, rng=1)", {"cz": cz, "data": panel()})
    assert again.score.source_table.by == ("country",)


def test_a_line_that_would_fail_is_not_proposed() -> None:
    rows = panel()
    shuffled = rows.sample(frac=1, random_state=1)  # the times of a country no longer increase
    assert all("lagged" not in one.code for one in run(shuffled, jumps=3000).advice())


def test_columns_that_are_a_time_together_are_left_out_of_the_series() -> None:
    months = np.repeat(np.arange(5, 10), 30)
    walk = np.cumsum(np.random.default_rng(3).normal(size=(2, 150)), axis=1)
    table = pd.DataFrame({"Month": months, "Day": np.tile(np.arange(1, 31), 5), "a": walk[0], "b": walk[1]})
    first = run(table, jumps=3000).advice()[0]
    assert "lags=2, drop=['Month', 'Day']" in first.code
    assert all("Month" not in one.brief for one in run(table, jumps=3000).advice())
    call = first.code.partition(" = ")[2].removesuffix(")") + ", jumps=300, rng=1)"
    assert eval(call, {"cz": cz, "data": table}).nodes[:2] == ("a", "b")


def test_a_sorted_table_is_no_series() -> None:
    rng = np.random.default_rng(4)
    price = np.sort(rng.exponential(size=400))
    table = pd.DataFrame(
        {"price": price, "carat": np.round(price + 0.1 * rng.normal(size=400), 1), "cut": rng.normal(size=400)}
    )
    assert all("lags" not in one.code for one in run(table, jumps=3000).advice())


def test_cells_that_are_missing_exclude_models_that_need_all() -> None:
    x, noise = np.random.default_rng(1).normal(size=(2, 300))
    table = pd.DataFrame({"x": x, "y": x**2 + noise / 2})
    table.loc[3, "x"] = np.nan
    assert all("additive-gp" not in one.code for one in run(table, jumps=2000).advice())
    assert "additive-gp" not in cz.audit(table).code()


def test_a_proposal_keeps_the_bounds_of_the_run_and_says_how_many_rows_it_leaves(tmp_path: Path) -> None:
    days = np.arange(200)
    walk = np.cumsum(np.random.default_rng(3).normal(size=(2, 200)), axis=1)
    table = pd.DataFrame({"day": days, "a": walk[0], "b": walk[1]})
    table.loc[::5, "a"] = np.nan
    path = tmp_path / "walks.csv"
    table.to_csv(path, index=False)
    first = run(path, jumps=2000, edge_prior=2, max_degree=1).advice()[0]
    assert "max_degree=1, edge_prior=2.0" in first.code
    assert "--max-degree 1 --edge-prior 2.0" in first.command
    assert "It leaves 120 of 200 rows." in first.text
    again = eval(first.code.partition(" = ")[2].removesuffix(")") + ", jumps=100, rng=1)", {"cz": cz})
    assert (again.target.max_degree, again.target.edge_prior.cost) == (1, 2.0)
    result = CliRunner().invoke(main, [*shlex.split(first.command)[1:], "--jumps", "300", "--seed", "1"])
    assert "What was run" in result.output


def test_a_treatment_that_goes_with_age_was_not_assigned() -> None:
    rng = np.random.default_rng(1)
    age = rng.normal(50, 10, 600)
    treat = np.where(age + 5 * rng.normal(size=600) > 50, "yes", "no")
    table = pd.DataFrame({"age": age, "treat": treat, "outcome": (treat == "yes") + rng.normal(size=600)})
    assert all("contexts" not in one.code for one in run(table).advice())


def test_what_belongs_together_is_one_proposal() -> None:
    table = CHAIN.assign(died=np.exp(CHAIN["died"]))
    proposals = run(table).advice()
    (proposal,) = (one for one in proposals if "transform" in one.code)
    assert proposal.kind == "directions"
    assert "In the same run: Take logarithms of died" in proposal.text
