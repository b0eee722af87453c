"""The report of a table with missing cells: what was missing, what is assumed, and no scores of classes."""

from pathlib import Path

import numpy as np
import pandas as pd

import causal_zigzag as cz
from causal_zigzag.report.repetition import repetition


def test_the_page_has_a_section_about_missing_cells(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"a <b>": rng.normal(size=80), "c": rng.normal(size=80), "d": rng.choice(["x", "y"], 80)})
    table.loc[table["a <b>"] > 0.5, "c"] = np.nan
    posterior = cz.sample(table, jumps=500, chains=2, rng=1, progress=False)
    posterior.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    section = page[page.index('<section id="missing"') :]
    section = section[: section.index("</section>")]
    assert f"{(table['a <b>'] > 0.5).mean():.0%}"[:-1] in section
    assert "Whether c is missing is related to a &lt;b&gt;" in section
    assert "Missing at random" in page
    assert "score nan" not in page
    assert "sweeps" in posterior.summary()
    code = repetition(posterior).partition("posterior = ")[2].partition("posterior.report")[0]
    again = eval(code, {"cz": cz, "data": table})
    assert (again.edge_table() == posterior.edge_table()).all(axis=None)


def test_a_complete_table_has_no_such_section(tmp_path: Path) -> None:
    cz.sample(cz.Uniform(3), jumps=200, rng=1).report(tmp_path / "report.html")
    assert '<section id="missing"' not in (tmp_path / "report.html").read_text()


def test_effects_of_categories_with_missing_cells(tmp_path: Path) -> None:
    rain = np.tile([0.0, 1.0], 60)
    data = {"rain": rain, "wet": np.where(np.arange(120) % 7 == 0, 1 - rain, rain)}
    data["wet"][:5] = np.nan
    posterior = cz.sample(data, kinds="categorical", jumps=500, chains=2, rng=1, progress=False)
    posterior.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "effects-on-" in page[page.index('<section id="what-if"') :]


def test_one_missing_cell_is_not_tested() -> None:
    table = cz.datasets.linear_gaussian([("a", "b")], rows=50, rng=1)
    table.loc[3, "a"] = np.nan
    found = cz.sample(table, jumps=500, resamples=0, rng=1, progress=False).missing
    assert "Little's test needs more incomplete rows." in str(found)
