"""lagged: rows with their past, gaps, several series, static columns, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import causal_zigzag as cz
from causal_zigzag.figures.posterior_scenes import consensus_edges, legend, placing
from causal_zigzag.figures.scene import scene
from causal_zigzag.report.assumptions import assumptions
from causal_zigzag.tables.checks.stationarity import dickey_fuller
from causal_zigzag.tables.lagged import past_columns
from causal_zigzag.tables.times.time_steps import times_of

ROWS = 24


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame({"day": range(ROWS), "x": rng.normal(size=ROWS), "y": rng.normal(size=ROWS)})


def numbers(table: cz.Table) -> pd.DataFrame:
    return pd.DataFrame(table.numbers("a test"), columns=list(table.nodes))


def test_each_row_has_its_past(frame: pd.DataFrame) -> None:
    table = cz.lagged(frame, lags=2, time="day")
    assert table.nodes == ("x", "y", "x[t-1]", "y[t-1]", "x[t-2]", "y[t-2]")
    assert table.contexts == table.nodes[2:]
    assert (table.n_rows, table.source.left_out) == (ROWS - 2, 2)
    found = numbers(table)
    assert found["y"].tolist() == frame["y"][2:].tolist()
    assert found["y[t-1]"].tolist() == frame["y"][1:-1].tolist()
    assert found["y[t-2]"].tolist() == frame["y"][:-2].tolist()
    assert [(one.series, one.lag) for one in past_columns(table.nodes, table.contexts)] == [
        ("x", 1), ("y", 1), ("x", 2), ("y", 2)
    ]  # fmt: skip
    assert cz.lagged(frame.drop(columns="day"), lags=2).nodes == table.nodes


def test_a_row_without_its_past_is_left_out(frame: pd.DataFrame) -> None:
    table = cz.lagged(frame.drop(index=[7]), lags=2, time="day")
    assert table.source.left_out == 4  # 0, 1, and the two after the gap
    assert numbers(table)["x"].tolist() == frame["x"].drop([0, 1, 7, 8, 9]).tolist()


def test_a_missing_cell_leaves_out_the_rows_that_contain_it(frame: pd.DataFrame) -> None:
    frame.loc[10, "y"] = None
    table = cz.lagged(frame, lags=2, time="day")
    assert numbers(table)["x"].tolist() == frame["x"].drop([0, 1, 10, 11, 12]).tolist()
    assert any(note.kind == "lags" and "3 rows with missing cells" in note.remedy for note in table.notes)
    with pytest.raises(cz.DataError) as error:
        cz.lagged(frame, lags=2, time="day", missing="refuse")
    assert error.value.about == "y"


def test_the_past_of_a_row_is_in_its_own_series(frame: pd.DataFrame) -> None:
    other = frame.assign(x=frame["x"] + 100.0)
    both = pd.concat([frame.assign(who="p", age=50.5), other.assign(who="q", age=61.5)]).sort_values(["day", "who"])
    table = cz.lagged(both, lags=1, by="who", time="day")
    assert table.nodes == ("x", "y", "x[t-1]", "y[t-1]", "age")
    assert table.contexts == ("x[t-1]", "y[t-1]", "age")
    found = numbers(table)
    assert ((found["x"] > 50) == (found["x[t-1]"] > 50)).all()
    assert len(found) == 2 * (ROWS - 1)
    assert cz.lagged(both.drop(columns="day"), lags=1, by="who").n_rows == len(found)


@pytest.mark.parametrize(
    ("cells", "steps"),
    [
        (["2001Q4", "2002Q1", "2002Q3"], [1, 2]),
        (["2001-11", "2001-12", "2002-01"], [1, 1]),
        (["2024-01-31", "2024-02-29", "2024-03-31"], [1, 1]),  # months
        (["2024-02-28", "2024-02-29", "2024-03-01"], [1, 1]),  # days
        (["1.5", "2.5", "4.5"], [1, 2]),
        ([7, 8, 10], [1, 2]),
        (pd.date_range("2024-01-15", periods=3, freq="MS").to_numpy(), [1, 1]),
        (pd.period_range("2024Q1", periods=3, freq="Q").astype(object), [1, 1]),
    ],
)
def test_times_have_a_constant_step(cells: Any, steps: list[float]) -> None:
    array = np.asarray(cells) if isinstance(cells, np.ndarray) else np.array(list(cells), dtype=object)
    assert np.diff(times_of("t", array)) == pytest.approx(steps)


@pytest.mark.parametrize(
    ("change", "given", "about"),
    [
        (lambda f: f.iloc[::-1], {}, "day"),
        (lambda f: f.assign(day=[0, *range(ROWS - 1)]), {}, "day"),
        (lambda f: f.assign(day=[f"day {i}" for i in range(ROWS)]), {}, "day"),
        (lambda f: f.assign(day=[None, *range(1, ROWS)]), {}, "day"),
        (lambda f: f, {"lags": ROWS}, None),
        (lambda f: f, {"time": "dya"}, None),
        (lambda f: f, {"by": "who"}, None),
        (lambda f: f, {"weights": "x"}, None),
        (lambda f: f.rename(columns={"y": "x[t-1]"}), {}, None),
        (lambda f: f, {"time": pd.RangeIndex(ROWS)}, None),
        (lambda f: f, {"by": [["x"]]}, None),
        (lambda f: cz.lagged(f, 1, time="day"), {"time": None}, None),
        (cz.read_table, {"time": None, "contexts": ["day"]}, None),
    ],
)
def test_what_is_refused(frame: pd.DataFrame, change: Any, given: dict[str, Any], about: str | None) -> None:
    with pytest.raises(cz.DataError) as error:
        cz.lagged(change(frame), **{"lags": 1, "time": "day"} | given)
    assert error.value.about == about


def test_dates_in_the_wrong_order_are_shown_as_dates(frame: pd.DataFrame) -> None:
    days = pd.date_range("2024-01-01", periods=ROWS)
    with pytest.raises(cz.DataError, match=f"'{days[1].date()}'.*'{days[0].date()}'"):
        cz.lagged(frame.assign(day=[days[1], days[0], *days[2:]]), 1, time="day")


@pytest.mark.parametrize("lags", [0, 1.5, "2"])
def test_lags_are_a_count(frame: pd.DataFrame, lags: Any) -> None:
    with pytest.raises(cz.SettingsError, match="lags"):
        cz.lagged(frame, lags)


def test_kinds_and_transforms_are_those_of_the_series(frame: pd.DataFrame) -> None:
    frame["state"] = ["on", "off", "on"] * (ROWS // 3)
    logs = np.random.default_rng(3).normal(size=ROWS)
    frame["size"] = np.exp(logs)
    table = cz.lagged(frame, lags=1, time="day", transform={"size": "log"})
    assert table.kinds["state[t-1]"] == "categorical"
    column = next(column for column in table.columns if column.name == "size[t-1]")
    assert column.numbers == pytest.approx(logs[:-1])


def test_a_run_can_be_repeated_from_its_report(frame: pd.DataFrame) -> None:
    from causal_zigzag.report.repetition import repetition

    posterior = cz.sample(cz.lagged(frame, lags=1, time="day"), jumps=500, chains=1, rng=1)
    assert "cz.lagged(data, lags=1, time='day')" in repetition(posterior)
    scope: dict[str, Any] = {}
    code = repetition(posterior).replace("data = ...", "data = frame").replace('posterior.report("report.html")', "")
    exec(code, {"frame": frame}, scope)
    assert scope["posterior"].edge_table().equals(posterior.edge_table())


def test_rows_are_alike_given_too_little_of_their_past() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 2))
    for t in range(2, 400):
        x[t, 0] += 0.8 * x[t - 2, 0]
        x[t, 1] += 0.5 * x[t - 1, 1]
    series = {"a": x[:, 0], "b": x[:, 1]}
    [plain] = cz.audit(series).about("order")
    assert plain.columns == ("b",)
    assert plain.option == "lags=1"
    assert cz.audit(cz.lagged(series, lags=2)).about("order") == []
    drifting = {"a": np.cumsum(np.cumsum(x[:, 0])), "b": x[:, 1]}
    [left] = cz.audit(cz.lagged(drifting, lags=1)).about("order")
    assert left.columns == ("a",)
    assert "more lags" in left.remedy


def test_rows_of_a_series_are_assumed_to_depend_on_their_past(frame: pd.DataFrame) -> None:
    rows = [
        cz.sample(table, jumps=100, chains=1, rng=1) for table in (frame[["x", "y"]], cz.lagged(frame, 1, time="day"))
    ]
    names = [[one.name for one in assumptions(posterior)] for posterior in rows]
    assert [("Independent rows" in own, any("past" in name for name in own)) for own in names] == [
        (True, False),
        (False, True),
    ]


def test_pictures_have_the_past_on_the_left_and_a_row_per_series() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 60))
    y[2:] += 3 * x[:-2]
    person, age = np.repeat([0, 1], 30), np.repeat([2.0, 3.0], 30)
    table = cz.lagged({"person": person, "age": age, "x": x, "y": y}, lags=2, by="person")
    posterior = cz.sample(table, jumps=200, chains=2, rng=1, progress=False)
    at = dict(zip(posterior.nodes, placing(posterior)["grid"], strict=True))
    assert [at[name][0] for name in ("age", "x[t-2]", "y[t-2]", "x[t-1]", "x", "y")] == [-1, 0, 0, 1, 2, 2]
    assert at["age"][1] == 0
    assert {at[f"x{past}"][1] for past in ("", "[t-1]", "[t-2]")} == {1 - at["y"][1]}
    drawn = scene(posterior.nodes, consensus_edges(posterior, 0.5), **placing(posterior))
    places = {box.label: (box.x, box.y) for box in drawn.boxes}
    assert places["x[t-2]"][0] < places["x[t-1]"][0] < places["x"][0]
    assert places["x[t-2]"][1] == places["x[t-1]"][1] == places["x"][1]
    [curve] = [one for one in drawn.curves if (one.edge.x, one.edge.y) == ("x[t-2]", "y")]
    assert curve.points[0, 0] < places["x[t-1]"][0] < curve.points[-1, 0]
    assert not curve.edge.known
    assert "the past, then the present" in legend(posterior)


def test_conditions_over_time_have_no_past() -> None:
    rng = np.random.default_rng(1)
    policy = np.arange(120) // 20 % 2
    series = {"x": rng.normal(size=120) + 2 * policy, "y": rng.normal(size=120), "policy": policy}
    table = cz.lagged(series, lags=1, contexts=["policy"])
    assert table.contexts == ("x[t-1]", "y[t-1]", "policy")
    posterior = cz.exact_posterior(table, edge_prior=None)
    acts = posterior.acts_on()
    assert acts["variable"].tolist() == ["x", "y"]
    assert acts["probability"][0] > 0.99
    arrows = {
        *zip(posterior.directed_by_conditions()["cause"], posterior.directed_by_conditions()["outcome"], strict=True)
    }
    assert not any("[t-1]" in str(cause) for cause, _ in arrows)


def test_the_time_may_be_the_index_of_a_frame(frame: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(
        numbers(cz.lagged(frame.set_index("day"), 2, time="day")), numbers(cz.lagged(frame, 2, time="day"))
    )


@pytest.mark.parametrize("freq", ["D", "ME", "QS"])
def test_dates_of_an_index_that_are_not_used_are_a_note_if_one_is_left_out(frame: pd.DataFrame, freq: str) -> None:
    dated = frame[["x", "y"]].set_index(pd.date_range("2020-01-01", periods=ROWS, freq=freq))
    assert len(cz.lagged(dated, 1).notes) == 1
    gap = dated.drop(dated.index[9])
    assert len(cz.lagged(gap, 1).notes) == 2
    assert len(cz.lagged(gap.rename_axis("date"), 1, time="date").notes) == 1


def test_what_is_proposed_for_a_series_can_be_run() -> None:
    x, noise = np.random.default_rng(1).normal(size=(2, 200))
    data = {"day": np.arange(200), "x": x, "copy": x + 0.01 * noise, "skewed": np.exp(3 * noise)}
    found = cz.audit(cz.lagged(data, lags=2, time="day"))
    assert {name for doubt in found.doubts for name in doubt.columns} == {"x", "copy", "skewed"}
    posterior = cz.sample(cz.lagged(data, lags=2, time="day"), jumps=300, chains=2, rng=1, progress=False)
    codes = [proposal.code for proposal in posterior.advice() if proposal.kind == "data"]
    assert codes
    for code in (found.code(), *(code.partition(" = ")[2] for code in codes)):
        again = eval(code.removesuffix(")") + ", jumps=300, chains=2, rng=1)", {"cz": cz, "data": data})
        assert again.over_time()["lag"].max() == 2


def test_what_is_constant_in_a_series_is_no_doubt() -> None:
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(30), 10)
    data = {"person": person, "age": rng.permutation(30)[person] * 1.0, "x": rng.normal(size=300) + 2 * (person % 2)}
    data["y"] = data["x"] + rng.normal(size=300)
    assert cz.audit(data, drop="person").about("groups")
    assert not cz.audit(cz.lagged(data, lags=1, by="person")).about("groups")


def test_series_that_drift() -> None:
    steps = np.random.default_rng(1).normal(size=(300, 3))
    series = {"walk": np.cumsum(steps[:, 0]), "trend": steps[:, 1] + 0.05 * np.arange(300) ** 1.5, "calm": steps[:, 2]}
    [found] = cz.audit(cz.lagged(series, lags=2)).about("drift")
    assert set(found.columns) == {"walk", "trend"}
    assert cz.audit(series).about("drift") == []


def test_the_statistic_of_dickey_and_fuller() -> None:
    y = np.cumsum(np.random.default_rng(2).normal(size=200))
    line = stats.linregress(y[:-1], np.diff(y))
    assert dickey_fuller([y[1:], y[:-1]]) == pytest.approx(line.slope / line.stderr)


def independent(rows: int, seed: int) -> dict[str, np.ndarray]:
    noise = np.random.default_rng(seed).normal(size=(2, rows))
    return dict(zip("xy", noise + 10 * np.linspace(0, 1, rows), strict=True))


@pytest.mark.parametrize("rows", [60, 200])
def test_independent_series_with_trends_are_not_joined(rows: int) -> None:
    """With 2 % each, more than 6 of 20 have probability 1e-7; without taking the trend out, 18 are joined."""
    joined = 0
    for seed in range(20):
        table = cz.lagged(independent(rows, seed), lags=1)
        assert [note.columns for note in table.notes if note.kind == "trend"] == [("x", "y")]
        found = cz.exact_posterior(table, edge_prior=None).edge_probabilities().frame("adjacent")
        joined += max(found.loc["x", ["y", "y[t-1]"]].max(), found.loc["y", "x[t-1]"]) > 0.95
    assert joined <= 6


def test_a_trend_is_taken_out_by_evidence_or_as_told() -> None:
    rng = np.random.default_rng(1)
    walk, still = np.cumsum(rng.normal(size=300)), rng.normal(size=300)
    data = {"grows": still + np.arange(300) / 30, "walk": walk, "still": rng.normal(size=300)}
    [note] = (note for note in cz.lagged(data, lags=1).notes if note.kind == "trend")
    assert (note.columns, note.option) == (("grows",), "trend=False")
    assert all(note.kind != "trend" for note in cz.lagged(data, lags=1, trend=False).notes)
    told = cz.lagged(data, lags=1, trend=True)
    assert "trend=True" in told.source.reading
    numbers = next(column.numbers for column in told.columns if column.name == "grows")
    assert abs(np.polyfit(np.arange(299), numbers, 1)[0]) < 0.001


def test_series_of_a_panel_have_trends_of_their_own() -> None:
    rng = np.random.default_rng(1)
    time, unit = np.tile(np.arange(30), 6), np.repeat(np.arange(6), 30)
    x = rng.normal(size=180) + time * np.array([1, -1, 2, -2, 3, -3])[unit]
    table = cz.lagged({"unit": unit, "time": time, "x": x, "y": rng.normal(size=180)}, 1, by="unit", time="time")
    numbers = next(column.numbers for column in table.columns if column.name == "x")
    for k in range(6):
        assert abs(np.polyfit(np.arange(29), numbers[table.groups == k], 1)[0]) < 0.15


def test_seasons_are_taken_out() -> None:
    rng = np.random.default_rng(1)
    month = np.arange(240) % 12
    data = {name: rng.normal(size=12)[month] * 3 + rng.normal(size=240) for name in "ab"}
    table = cz.lagged(data, lags=1, season=12)
    found = cz.exact_posterior(table, edge_prior=None).edge_probabilities().frame("adjacent")
    assert max(found.loc["a", ["b", "b[t-1]"]].max(), found.loc["b", "a[t-1]"]) < 0.5
    numbers = table.columns[0].numbers
    assert max(abs(numbers[(np.arange(1, 240) % 12) == k].mean() - numbers.mean()) for k in range(12)) < 0.2
    with pytest.raises(cz.SettingsError, match="season"):
        cz.lagged(data, season=1)
    with pytest.raises(cz.DataError, match="trend"):
        cz.lagged(data, trend="linear")


def test_counters_of_time_are_left_out() -> None:
    rng = np.random.default_rng(1)
    year, quarter = np.repeat(np.arange(1960, 2000), 4), np.tile([1, 2, 3, 4], 40)
    data = {"year": year, "quarter": quarter, "a": rng.normal(size=160), "b": rng.normal(size=160)}
    table = cz.lagged(data, lags=2)
    assert table.nodes[:2] == ("a", "b")
    assert cz.sample(table, jumps=100, rng=1).nodes == table.nodes


def test_a_stationary_series_does_not_drift_and_a_walk_does() -> None:
    """With 5 % each, more than 12 of 40 stationary series are found with probability 1e-7; 35 walks are expected."""
    found = {0.9: 0, 1.0: 0}
    for phi in found:
        for seed in range(40):
            noise = np.random.default_rng(seed).normal(size=(2, 300))
            series = np.zeros(300)
            for t in range(1, 300):
                series[t] = phi * series[t - 1] + noise[0, t]
            table = cz.lagged({"a": series[100:], "b": noise[1, 100:]}, lags=2, trend=False)
            found[phi] += "a" in {name for one in cz.audit(table).about("drift") for name in one.columns}
    assert found[0.9] <= 12
    assert found[1.0] >= 25


def test_a_series_that_is_the_past_of_another_one_is_left_out() -> None:
    """Also where trends were taken out of both, which adds a constant of each unit."""
    rng = np.random.default_rng(1)
    unit, year = np.repeat([*"abcdef"], 40), np.tile(np.arange(40), 6)
    price = 0.5 * year + rng.normal(size=240) + np.repeat(rng.normal(size=6), 40)
    frame = pd.DataFrame({"unit": unit, "code": unit, "year": year, "price": price, "other": rng.normal(size=240)})
    frame["before"] = frame.groupby("unit")["price"].shift(1)
    table = cz.lagged(frame.dropna().assign(year=lambda rows: rows["year"]), 2, by="unit", time="year")
    assert "price" in table.nodes
    assert "before" not in table.nodes
    cz.MixedBIC(table).local("price", ["price[t-1]", "other"])
