"""The bundled tables are what their descriptions and their sources say."""

import hashlib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import causal_zigzag as cz

# Of the files as published, so that no editor or version control changes them unnoticed.
CHECKSUMS = {
    "alzheimer.csv": "7e52aef233dd68af1641b9afbad1eef70959c1dc389d1bfa33415707d657cf47",
    "college-plans.txt": "ca028d79d8ab689241e61373fff7b74e544bd1cc62c54c81571da12baa129670",
    "farm-network.txt": "e1e6663cd6e6786272f1234cb09a60f610d498a7127838bc767f514de800a01d",
    "farm.csv": "4bb129d4e280c0361c5d31eefc8932960f69b333bbd75430741c4b879c746f14",
    "galton.txt": "af17fe9885677142b1e658018a206bf6b6e89585b164e037d5aa2913806e1d42",
    "sachs-discrete.txt": "e742e380fe4b824eec3b614c1ef5ed26ceaf2ae38d0f7a479ebd7e0fcf59f486",
    "sachs-network.txt": "2406ec0f9cd34bcbcd33fb74282386232330a630dba68c0f2d01a0d985a652b9",
    "sachs.txt": "a488589b0f021b2a261ff2c696a908c6823051b0d98693e0fa0e78bb12097063",
}


def test_the_files_are_those_of_the_sources() -> None:
    folder = files("causal_zigzag.datasets").joinpath("files")
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    assert found == CHECKSUMS


@pytest.mark.parametrize("name", cz.datasets.names())
def test_a_table_is_as_described(name: str) -> None:
    about, table = cz.datasets.describe(name), cz.datasets.load(name)
    assert about.name == name
    assert table.shape == (about.rows, len(about.columns))
    assert tuple(table.columns) == about.columns
    assert not table.isna().to_numpy().any()
    text = str(about)
    assert text.startswith(about.title)
    for word in (f"{about.rows:,} rows", *about.columns, *about.licences):
        assert word in text
    assert max(map(len, text.splitlines())) <= 100
    assert len(about.licence_text()) > 1000 * len(about.licences)


@pytest.mark.parametrize("name", cz.datasets.names())
def test_ges_of_a_bundled_table(name: str) -> None:
    assert cz.ges(cz.datasets.load(name)).graph.edge_count > 0


def test_each_load_is_a_new_table() -> None:
    first = cz.datasets.load("galton")
    first.loc[:, "father"] = 0.0
    assert cz.datasets.load("galton")["father"].min() > 60


def test_known_facts_about_the_tables() -> None:
    alzheimer = cz.datasets.load("alzheimer")
    correlation = alzheimer.corr()
    assert correlation.loc["e4", "Ab_42"] == pytest.approx(-0.38, abs=0.005)
    assert correlation.loc["age", "Ab_42"] == pytest.approx(-0.19, abs=0.005)
    assert correlation.loc["impaired", "Ab_42"] == pytest.approx(-0.40, abs=0.005)
    assert set(alzheimer["e4"]) == {0, 1, 2}
    galton = cz.datasets.load("galton")
    heights = galton.groupby("Gender")["Height"].mean()
    assert heights.loc[0] > heights.loc[1] + 4
    assert cz.read_table(galton).kinds["Gender"] == "categorical"
    discrete = cz.datasets.load("sachs-discrete")
    assert set(np.unique(discrete.to_numpy())) == {1, 2, 3}
    assert set(cz.read_table(cz.datasets.load("college-plans")).kinds.values()) == {"categorical"}
    log = cz.datasets.load("sachs-log")
    np.testing.assert_allclose(np.exp(log) - 10, cz.datasets.load("sachs"), rtol=1e-9)


def test_the_reference_network_of_sachs() -> None:
    edges = cz.datasets.reference_edges("sachs-discrete")
    assert len(edges) == 20
    assert ("raf", "mek") in edges
    assert {v for edge in edges for v in edge} == set(cz.datasets.describe("sachs").columns)
    with pytest.raises(cz.SettingsError, match=r"there is no reference graph for 'galton', only for 'farm', 'sachs', "):
        cz.datasets.reference_edges("galton")


def test_the_farm_is_a_sample_of_its_model() -> None:
    """Regressions on the known parents give the coefficients of the description, within five standard errors."""
    table = cz.datasets.load("farm")
    sizes = {"rain": 12, "sun": 25, "temperature": 1.5, "irrigation": 9, "fertilizer": 20, "soil_moisture": 4}
    sizes |= {"pests": 8, "growth": 10, "yield": 0.9, "price": 22}  # units of the columns
    model = {"temperature": {"sun": 0.7}, "irrigation": {"rain": -0.6}, "price": {"yield": -0.5}}
    model |= {"soil_moisture": {"rain": 0.6, "irrigation": 0.5, "temperature": -0.4}, "pests": {"temperature": 0.5}}
    model |= {"growth": {"soil_moisture": 0.5, "sun": 0.4, "fertilizer": 0.35}}
    model |= {"yield": {"growth": 0.7, "pests": -0.3}}
    assert {*cz.datasets.reference_edges("farm")} == {(x, y) for y, parents in model.items() for x in parents}
    scaled = (table - table.mean()) / np.array([sizes[c] for c in table.columns])
    for child, parents in model.items():
        design = scaled[list(parents)].to_numpy()
        found, residual, *_ = np.linalg.lstsq(design, scaled[child].to_numpy(), rcond=None)
        errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * residual[0] / len(table))
        assert (abs(found - np.array([*parents.values()])) < 5 * errors).all()


@pytest.mark.parametrize("name", ["Sachs", "", "../files/sachs", None, 3, ["sachs"]])
def test_an_unknown_name(name: object) -> None:
    for ask in (cz.datasets.load, cz.datasets.describe, cz.datasets.reference_edges):
        with pytest.raises(
            cz.SettingsError, match=r"there is no bundled table .*; the bundled tables are 'alzheimer', 'college"
        ):
            ask(name)  # type: ignore[arg-type]


def test_sources_and_licences_are_installed_with_the_tables() -> None:
    folder = Path(str(files("causal_zigzag.datasets")))
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for name in CHECKSUMS:
        assert f"files/{name}" in readme
    assert {file.stem for file in (folder / "licences").iterdir()} == {
        licence for name in cz.datasets.names() for licence in cz.datasets.describe(name).licences
    }
