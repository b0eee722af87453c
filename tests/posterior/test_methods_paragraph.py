"""The paragraph for the methods section: it has the settings of the run, and says what was not done."""

import pytest

import causal_zigzag as cz

TABLE = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=300, rng=1)


def test_settings_of_the_run() -> None:
    known = cz.Knowledge(tiers=[["a"], ...])
    text = cz.sample(TABLE, knowledge=known, max_degree=2, jumps=3000, chains=3, resamples=4, rng=7).methods()
    for part in ("3 variables", "GaussianBIC", "300 rows", "3 chains", "9,000 jumps", "seed 7", "at most 2 neighbors"):
        assert part in text
    for part in (str(known).removeprefix("Knowledge(")[:10], "4 resamples", "Huggins", "no unmeasured common causes"):
        assert part in text


@pytest.mark.parametrize(
    ("keywords", "part"), [({"resamples": 0}, "Rows were not resampled"), ({"chains": 1}, "1 chain")]
)
def test_what_was_not_done(keywords: dict[str, int], part: str) -> None:
    posterior = cz.sample(TABLE, jumps=3000, rng=1, **keywords)
    assert part in posterior.methods()
    assert "uniform over DAGs" in posterior.reweight("dags").methods()


def test_missing_cells() -> None:
    table = TABLE.copy()
    table.loc[:9, "b"] = None
    assert "10 missing cells were sampled" in cz.sample(table, jumps=2000, resamples=0, rng=1).methods()
    dropped = cz.sample(table, missing="drop", jumps=2000, resamples=0, rng=1)
    assert "10 rows with missing cells were left out" in dropped.methods()


def test_after_loading_and_in_the_report(tmp_path) -> None:
    posterior = cz.sample(TABLE, jumps=3000, resamples=0, rng=1)
    posterior.save(tmp_path / "run.czz")
    assert cz.load(tmp_path / "run.czz").methods() == posterior.methods()
    posterior.report(tmp_path / "report.html")
    assert posterior.methods()[:60] in (tmp_path / "report.html").read_text(encoding="utf-8")
