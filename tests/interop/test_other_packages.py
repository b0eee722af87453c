"""The recipes of the page on other packages, each run where its package is installed."""

import re
import warnings
from pathlib import Path

import matplotlib as mpl
import pytest

pytestmark = pytest.mark.nosanitize

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "other-packages.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
FIRST = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
RECIPES = dict(re.findall(r"^## ([^\n]*)\n(?:(?!^## ).)*?^```py\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE))
PACKAGES = {
    "DoWhy: effects": "dowhy",
    "DoWhy: graphical causal models": "dowhy",
    "pgmpy: Bayesian networks": "pgmpy",
    "pathmc: paths and mediation": "pathmc",
    "PyMC: a model of your own": "pymc",
    "Distances between graphs": "gadjid",
}


def test_every_recipe_is_here() -> None:
    assert {*RECIPES} == {*PACKAGES}


@pytest.mark.parametrize("title", PACKAGES)
def test_a_recipe(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the other package
        pytest.importorskip(PACKAGES[title], exc_type=ImportError)
        mpl.use("agg")
        names: dict[str, object] = {}
        for code in (FIRST[0], *(code for code in FIRST if "truth =" in code), RECIPES[title]):
            exec(code, names)
    direct = names["posterior"].effect("ads", "sales").mean  # type: ignore[attr-defined]
    for name in ("dowhy_effect", "gcm_effect"):
        if name in names:
            assert names[name] == pytest.approx(direct, abs=0.1)
    if "pymc_draws" in names:
        assert names["pymc_draws"].mean() == pytest.approx(direct, abs=0.1)  # type: ignore[attr-defined]
    if "pgmpy_probability" in names:
        assert 0.3 < names["pgmpy_probability"] < 0.8  # type: ignore[operator]
