"""The scikit-learn estimator: scikit-learn's own checks, agreement with sample(), and errors."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz

pytest.importorskip("sklearn", minversion="1.6")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import estimator_checks_generator

pytestmark = pytest.mark.nosanitize

TABLE = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], 500, rng=1)


def quick(**options: object) -> cz.CausalZigZag:
    return cz.CausalZigZag(**{"jumps": 300, "chains": 2, "random_state": 1, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pytest.param(estimator, check, id=getattr(check, "func", check).__name__)
        for estimator, check in estimator_checks_generator(quick(), mark=None)
    ],
)
def test_scikit_learns_own_checks(estimator: cz.CausalZigZag, check) -> None:
    # All of them apply: none is left out.
    check(estimator)


def test_the_answer_is_that_of_sample() -> None:
    model = quick(coldness=0.5, max_degree=2, knowledge=cz.Knowledge(apart=[("rain", "sun")])).fit(TABLE)
    posterior = cz.sample(
        TABLE,
        coldness=0.5,
        max_degree=2,
        knowledge=cz.Knowledge(apart=[("rain", "sun")]),
        jumps=300,
        chains=2,
        rng=1,
        progress=False,
    )
    np.testing.assert_array_equal(model.adjacency_probabilities_, posterior.edge_probabilities().adjacent)
    assert model.causal_graph_ == posterior.top(1)[0].graph
    assert model.posterior_.settings == posterior.settings
    assert model.feature_names_in_.tolist() == ["rain", "wet", "sun"]
    assert model.n_features_in_ == 3
    pd.testing.assert_frame_equal(model.edge_table(), posterior.edge_table())


def test_the_parameters_and_their_defaults_are_those_of_sample() -> None:
    theirs = inspect.signature(cz.sample).parameters
    for name, default in cz.CausalZigZag().get_params().items():
        known = {"criterion": "score", "random_state": "rng"}.get(name, name)
        assert known in theirs
        assert name in ("progress", "reading") or default == theirs[known].default
    assert {*theirs} - {"data_or_score", "score", "rng"} <= {*cz.CausalZigZag().get_params()}


def test_tables_with_text_are_read_as_sample_reads_them() -> None:
    table = cz.datasets.discrete([("a", "b")], 200, rng=1).replace({0: "low", 1: "mid", 2: "high"})
    model = quick().fit(table)
    assert "BDeu" in repr(model.posterior_.score)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(cz.DataError, match=r"not compatible with arrays of .*strings"):
        quick().fit([["x", "y"], ["y", "x"]])
    with pytest.raises(cz.DataError, match="1 feature"):
        quick().fit([[0.5], [0.7]])
    with pytest.raises(cz.DataError, match="1 cell is missing"):
        quick().fit(pd.DataFrame({"a": [1.0, np.nan, 2.0], "b": [1.0, 2.0, 3.5]}))


def test_fit_raises_errors_about_parameters() -> None:
    with pytest.raises(cz.SettingsError, match="coldness must be a finite number"):
        quick(coldness=-1).fit(TABLE)


def test_a_numpy_random_state() -> None:
    first, second = (quick(random_state=np.random.RandomState(3)).fit(TABLE) for _ in range(2))
    np.testing.assert_array_equal(first.adjacency_probabilities_, second.adjacency_probabilities_)


def test_it_can_be_cloned_and_pickled() -> None:
    model = quick().fit(TABLE)
    assert not hasattr(clone(model), "posterior_")
    again = pickle.loads(pickle.dumps(model))
    assert again.causal_graph_ == model.causal_graph_
    assert "CausalZigZag(chains=2, jumps=300, random_state=1)" in repr(model)
    with pytest.raises(NotFittedError):
        quick().edge_table()


def test_scikit_learn_is_imported_only_when_the_class_is_used() -> None:
    code = (
        "import sys, causal_zigzag as cz; assert 'sklearn' not in sys.modules\n"
        "sys.modules['sklearn'] = None\n"
        "try: cz.CausalZigZag\n"
        "except cz.MissingDependencyError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "install it with: pip install 'causal-zigzag[sklearn]'" in ran.stdout


def test_knowledge_is_a_parameter() -> None:
    X = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=300, rng=1)
    known = cz.Knowledge(tiers=[["a"], ...])
    model = cz.CausalZigZag(knowledge=known, jumps=500, chains=1, random_state=1).fit(X)
    assert model.get_params()["knowledge"] == known
    assert model.posterior_.target.knowledge == known
    assert model.causal_graph_.directed_edges == (("a", "b"), ("b", "c"))
