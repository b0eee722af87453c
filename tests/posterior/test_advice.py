"""What to do next: proposals follow from the result, and their lines can be pasted."""

import shlex

import numpy as np
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.posterior.advice import MOST_PROPOSALS, Proposal
from resampled_runs import with_again


def run(data: object, **settings: object) -> cz.Posterior:
    return cz.sample(data, **({"jumps": 20_000, "chains": 2, "rng": 1, "progress": False} | settings))


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
    assert "--tiers 'age;...'" in proposal.command


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
    assert (first.kind, first.brief) == ("stability", "Resample the rows of each unit together.")
    call = first.code.partition(" = ")[2].removesuffix(")") + ", jumps=2000, chains=1, resamples=4, rng=1)"
    again = eval(call, {"cz": cz, "data": table})
    assert again.nodes == ("a", "b", "c")
    assert again.resampled.by == ("unit",)
    assert "--by unit" in first.command
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
    assert shlex.split(first.command)[:2] == ["causal-zigzag", "extend"]


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
    table = cz.datasets.linear_gaussian([("age", "bmi"), ("bmi", "died")], rows=300, rng=1)
    posterior = cz.sample(table, jumps=3000, chains=2, rng=1, progress=False)
    (proposal,) = [one for one in posterior.advice() if one.kind == "directions"]
    assert "cz.sample(data," in proposal.code
    assert "sample DATA " in proposal.command
    for words in ("data is your table", "DATA is the file", "all other columns"):
        assert words in proposal.text
    (first, *_) = cz.sample(cz.Uniform(4), jumps=10, rng=1, progress=False).advice()
    assert "RUN.czz is the file" in first.text


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


def test_a_remedy_for_the_shell_has_the_options_of_the_run() -> None:
    rng = np.random.default_rng(1)
    a, other = rng.normal(size=(2, 300))
    series = {"day": np.arange(300), "a": a, "copy": a + 0.01 * rng.normal(size=300), "b": other}
    commands = [one.command for one in run(cz.lagged(series, 1, time="day"), jumps=2000).advice()]
    assert "causal-zigzag sample DATA --lags 1 --time day --drop copy" in commands
