"""A posterior as an ArviZ DataTree: draws and labels, and a round trip through a file."""

from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz
from targets import gaussian_data

xarray = pytest.importorskip("xarray")
pytest.importorskip("arviz_base")  # also where an older ArviZ, whose InferenceData is then used, is installed
pytestmark = pytest.mark.nosanitize

NODES = ["fog", "rain", "sun", "deep sea", "wet"]


@pytest.fixture(scope="module")
def posterior() -> cz.Posterior:
    score = cz.GaussianBIC.from_covariance(np.cov(gaussian_data(5, 60, seed=8).T), 60, nodes=NODES)
    return cz.sample(score, jumps=3000, chains=3, rng=4, progress=False)


def test_variables_are_the_draws(posterior: cz.Posterior) -> None:
    tree, draws = posterior.to_arviz(draws=None), posterior.draws()
    count = min(draws.counts)
    group = tree["posterior"]
    assert group["edges"].shape == group["score"].shape == (3, count)
    for number, chain in enumerate(draws.chains):
        assert np.array_equal(group["edges"][number], chain.edges[:count])
        assert np.array_equal(group["score"][number], chain.score[:count])
    first = np.cumsum([0, *draws.counts])
    for name, dimension, sign in (
        ("adjacent", "pair", " -- "),
        ("directed", "arrow", " -> "),
        ("undirected", "line", " - "),
    ):
        labels = group[name].coords[dimension].values.tolist()
        assert len(labels) == len(set(labels)) > 2
        for label in labels:
            x, y = (text.strip("'") for text in label.split(sign))
            seen = draws.indicator(x, y, name)
            for number in range(3):
                mine = group[name].sel({dimension: label})[number].values
                assert np.array_equal(mine, seen[first[number] : first[number] + count])


def test_draws_are_thinned_evenly(posterior: cz.Posterior) -> None:
    whole, thinned = (posterior.to_arviz(draws=draws)["posterior"] for draws in (None, 100))
    assert whole.sizes["draw"] == min(posterior.draws().counts)
    step = -(-whole.sizes["draw"] // 100)
    assert 50 < thinned.sizes["draw"] <= 100
    for name in ("edges", "score", "adjacent"):
        assert np.array_equal(thinned[name].values, whole[name].values[:, ::step])
    assert thinned.attrs["step"] == whole.attrs["step"] * step
    assert posterior.to_arviz()["posterior"].sizes["draw"] <= 1000
    with pytest.raises(cz.SettingsError, match="draws"):
        posterior.to_arviz(draws=0)


def test_the_same_edges_as_in_the_diagnostics(posterior: cz.Posterior) -> None:
    tree = posterior.to_arviz()
    labels = [label for d in ("pair", "arrow", "line") for label in tree["posterior"].coords[d].values.tolist()]
    assert sorted(labels) == sorted(posterior.diagnostics().table["quantity"][2:])
    fewer = posterior.to_arviz(trivial=0.3)["posterior"]
    assert 0 < fewer.sizes["pair"] < tree["posterior"].sizes["pair"]


def test_sample_statistics(posterior: cz.Posterior) -> None:
    tree = posterior.to_arviz(draws=None)
    stats = tree["sample_stats"]
    g, chain = next(iter(posterior.draws())), posterior.draws().chains[0]
    assert stats["lp"].values[0, 0] == pytest.approx(posterior.target.log_weight(g))
    assert np.array_equal(stats["direction"][0], chain.direction[: stats.sizes["draw"]])
    assert "log_weight" not in stats
    weighted = posterior.reweight("dags")
    logs = weighted.to_arviz()["sample_stats"]["log_weight"].values
    assert logs[0, 0] == pytest.approx(np.log(g.count_dags()))
    attributes = tree["posterior"].attrs
    assert attributes["inference_library"] == "causal-zigzag"
    assert attributes["nodes"] == "fog, rain, sun, 'deep sea', wet"
    assert attributes["momentum"] == 1.0
    assert attributes["seed"] == 4
    assert weighted.to_arviz()["posterior"].attrs["prior"] == "dags"


def test_round_trip_through_a_file(posterior: cz.Posterior, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    tree = posterior.to_arviz()
    tree.to_netcdf(tmp_path / "run.nc", engine="h5netcdf")
    if not isinstance(tree, xarray.DataTree):
        tree = xarray.DataTree.from_dict({group: tree[group] for group in ("posterior", "sample_stats")})
    with xarray.open_datatree(tmp_path / "run.nc", engine="h5netcdf") as again:
        for group in ("posterior", "sample_stats"):
            xarray.testing.assert_identical(again[group].to_dataset().load(), tree[group].to_dataset())


def test_the_summary_of_the_arviz_that_is_installed(posterior: cz.Posterior) -> None:
    """ArviZ 1.0 summarizes a DataTree, and earlier versions, the last ones for Python 3.11, their InferenceData."""
    arviz = pytest.importorskip("arviz")
    summary = arviz.summary(posterior.to_arviz(), var_names=["edges", "adjacent"])
    probability = posterior.edge_probabilities().frame("adjacent").loc["fog", "rain"]
    (row,) = [row for row in summary.index if "fog -- rain" in row]
    assert float(summary.loc[row, "mean"]) == pytest.approx(probability, abs=0.1)
    assert "r_hat" in summary.columns


def test_one_class_without_edges(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    tree = cz.sample(cz.Uniform(1), jumps=10, rng=1, progress=False).to_arviz()
    assert set(tree["posterior"].data_vars) == {"edges", "score"}
    tree.to_netcdf(tmp_path / "run.nc", engine="h5netcdf")


def test_bad_input(posterior: cz.Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(cz.SettingsError, match=r"trivial must be a probability of at least 0 and below 0.5, not 0.5"):
        posterior.to_arviz(trivial=0.5)
    monkeypatch.setattr("causal_zigzag.interop.arviz.version", lambda _: "1.0")
    monkeypatch.setitem(__import__("sys").modules, "arviz_base", None)
    with pytest.raises(cz.MissingDependencyError, match=r"pip install 'causal-zigzag\[arviz\]'"):
        posterior.to_arviz()
