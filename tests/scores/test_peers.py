"""The scores agree with independent implementations to 1e-8 relative: pip install ".[peers]" to run this."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.read_table import read_table
from score_cases import categorical_data, gaussian_data

pytestmark = [pytest.mark.nosanitize, pytest.mark.filterwarnings("ignore")]

SETS = [(y, parents) for y in range(6) for k in range(5) for parents in itertools.combinations(range(6), k)]
SETS = [(y, parents) for y, parents in SETS if y not in parents]
MISSING = "{} is not installed: pip install 'causal-zigzag[peers]'"


def peer(module: str, package: str):  # type: ignore[no-untyped-def]
    return pytest.importorskip(module, reason=MISSING.format(package), exc_type=ImportError)


def test_gaussian_bic_agrees_with_causal_learn() -> None:
    theirs = peer("causallearn.score.LocalScoreFunction", "causal-learn")
    x = gaussian_data(6, 200)
    score = cz.GaussianBIC(x, penalty=1.5)
    for y, parents in SETS:
        expected = theirs.local_score_BIC(x, y, [*parents], {"lambda_value": 0.75})
        assert score.local(y, parents) == pytest.approx(expected, rel=1e-8)


def test_bdeu_agrees_with_causal_learn() -> None:
    theirs = peer("causallearn.score.LocalScoreFunction", "causal-learn")
    x = categorical_data(6, 150)
    score = cz.BDeu(read_table(x, kinds="categorical"), equivalent_sample_size=3.0)
    levels = {j: len(np.unique(x[:, j])) for j in range(6)}
    settings = {"sample_prior": 3.0, "structure_prior": 1.0, "r_i_map": levels}
    for y, parents in SETS:
        prior = len(parents) * np.log(1 / 5) + (5 - len(parents)) * np.log(1 - 1 / 5)  # theirs has one over structures
        expected = theirs.local_score_BDeu(x, y, [*parents], settings) - prior
        assert score.local(y, parents) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("name", ["BDeu", "BIC"])
def test_discrete_scores_agree_with_pgmpy(name: str) -> None:
    theirs = peer("pgmpy.structure_score", "pgmpy")
    import pandas as pd

    x = categorical_data(6, 150)
    frame = pd.DataFrame(x, columns=list("abcdef")).astype("category")
    table = read_table(x, kinds="categorical")
    if name == "BDeu":
        score, other = cz.BDeu(table, equivalent_sample_size=5.0), theirs.BDeu(frame, equivalent_sample_size=5.0)
    else:
        score, other = cz.DiscreteBIC(table), theirs.BIC(frame)
    for y, parents in SETS:
        expected = other.local_score("abcdef"[y], tuple("abcdef"[p] for p in parents))
        assert score.local(y, parents) == pytest.approx(expected, rel=1e-8)


def test_bge_agrees_with_sumu() -> None:
    theirs = peer("sumu.scores.bge", "sumu")
    x = gaussian_data(6, 120) * [1, 2, 3, 0.5, 1, 1] + [0, 1, 2, 0, -3, 0]
    for data, standardize in ((x, False), ((x - x.mean(axis=0)) / x.std(axis=0, ddof=1), True)):
        score = cz.BGe(x, standardize=standardize)
        other = theirs.BGe(SimpleNamespace(n=6, N=120, data=data), maxid=-1)
        for y, parents in SETS:
            assert score.local(y, parents) == pytest.approx(float(np.real(other.local(y, parents))), rel=1e-8)
