"""User-defined scores: values are cached, threads do not deadlock, and errors are raised."""

import math
import pickle
import threading
from collections.abc import Callable

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag import _core
from causal_zigzag._core import testing
from causal_zigzag.scores import cached_values
from score_cases import ByLocal, ByRow, make_score


class Sparse(cz.Score):
    """A cheap score-equivalent score, as a user would write it."""

    def local(self, node, parents):  # type: ignore[no-untyped-def]
        return -2.0 * len(parents)


def make_chain(score: cz.Score, seed: int = 1) -> _core.Chain:
    n = len(score.nodes)
    words = np.random.default_rng(seed).integers(1 << 63, size=4).astype(np.uint64)
    settings = _core.ChainSettings(
        score=score.core_score(), seed=words, most_classes=1000, most_deltas=10000, trace_points=100, cache_bytes=2**22
    )
    return _core.make_chain(_core.Graph.empty(n), settings)


def test_parents_are_a_tuple_in_node_order() -> None:
    seen = []

    class Looking(cz.Score):
        def local(self, node, parents):  # type: ignore[no-untyped-def]
            seen.append((node, parents))
            return 0.0

    score = Looking(["b", "a", "c"])
    assert score.core_score().local(2, [0, 1]) == 0.0  # type: ignore[union-attr]
    assert seen == [("c", ("b", "a"))]
    assert score.total([("c", "a"), ("b", "a")]) == 0.0
    assert seen[1:] == [("b", ()), ("a", ("b", "c")), ("c", ())]


@pytest.mark.parametrize("kind", [ByLocal, ByRow])
def test_chains_in_threads_compute_no_value_twice(kind: type[ByLocal]) -> None:
    score = kind(make_score("GaussianBIC", 7, 60))
    chains = [make_chain(score, seed) for seed in range(4)]
    threads = [threading.Thread(target=chain.run, args=(2000, math.inf)) for chain in chains]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(chain.statistics().jumps == 2000 for chain in chains)
    assert len(score.asked) == len({*score.asked})


def test_a_user_defined_score_gives_the_chain_of_the_built_in_one() -> None:
    inner = make_score("GaussianBIC", 6, 60)
    chains = [make_chain(score) for score in (inner, ByLocal(inner), ByRow(inner))]
    for chain in chains:
        chain.run(500, 60.0)
        assert testing.audit(chain) == ""
    assert len({tuple(chain.graph().hash) for chain in chains}) == 1


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_values, "MOST_VALUES", 20)
    monkeypatch.setattr(cached_values, "MOST_BYTES_OF_ROWS", 3 * 8 * 7)
    score = make_score("user", 7, 60)
    chain = make_chain(score)
    chain.run(300, 60.0)
    assert testing.audit(chain) == ""
    assert len(score.cached_values()._values) == 20
    assert len(score.cached_values()._rows) == 3


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), np.float64("nan")])
def test_a_value_that_is_not_finite(value: float) -> None:
    class Bad(cz.Score):
        def local(self, node, parents):  # type: ignore[no-untyped-def]
            return value if node == "c" and len(parents) == 1 else 0.0

    message = rf"Bad\.local of node c with parents [ab] must be a finite number, but is .*{value}"
    with pytest.raises(cz.ScoreError, match=message):
        make_chain(Bad(["a", "b", "c"]))


def test_a_row_that_is_not_finite_or_not_a_row() -> None:
    class Bad(cz.Score):
        answer: object = np.array([0.0, np.nan, 0.0])

        def local(self, node, parents):  # type: ignore[no-untyped-def]
            return 0.0

        def row(self, node, parents):  # type: ignore[no-untyped-def]
            return self.answer

    with pytest.raises(cz.ScoreError, match=r"Bad\.row of node a with parents none must be a finite number for .*nan"):
        make_chain(Bad(["a", "b", "c"]))
    score = Bad(["a", "b", "c"])
    score.answer = [1.0, 2.0]
    with pytest.raises(cz.ScoreError, match="each of the 3 nodes, but is"):
        make_chain(score)
    score.answer = "abc"
    with pytest.raises(cz.ScoreError, match="but is 'abc'"):
        make_chain(score)


def test_a_value_that_is_not_a_number() -> None:
    class Bad(cz.Score):
        def local(self, node, parents):  # type: ignore[no-untyped-def]
            return None

    with pytest.raises(cz.ScoreError, match=r"Bad\.local of node 0 with parents none must be .* but is None"):
        make_chain(Bad(3))


def test_an_error_during_a_run_ends_the_chain_and_is_raised() -> None:
    class Failing(Sparse):
        def local(self, node, parents):  # type: ignore[no-untyped-def]
            if len(parents) == 2:
                raise ZeroDivisionError("from the user's own code")
            return super().local(node, parents) + 1.5 * len(parents)

    chain = make_chain(Failing(6))
    expected = r"Failing\.local of node \d with parents \d, \d raised ZeroDivisionError: from the user's own code"
    with pytest.raises(cz.ScoreError, match=expected) as raised:
        chain.run(10_000, 60.0)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert chain.run(10_000, 60.0) == 0


class Raising(cz.Score):
    """A score that fails for one pair of arguments."""

    def local(self, node, parents):  # type: ignore[no-untyped-def]
        if (node, parents) == ("b", ("a",)):
            raise KeyError("no such table")
        return -2.0 * len(parents)


@pytest.mark.parametrize("ask", [cz.ges, cz.search, cz.exact_posterior, cz.exact_edge_posterior, cz.sample])
def test_an_error_of_a_score_names_the_node_and_its_parents(ask: Callable[[cz.Score], object]) -> None:
    expected = r"^Raising\.local of node b with parents a raised KeyError: 'no such table'$"
    with pytest.raises(cz.ScoreError, match=expected) as raised:
        ask(Raising(["a", "b", "c"]))
    assert isinstance(raised.value.__cause__, KeyError)


def test_an_error_in_one_thread_leaves_the_others_running() -> None:
    class Failing(Sparse):
        def local(self, node, parents):  # type: ignore[no-untyped-def]
            if threading.current_thread().name == "bad" and len(parents) > 1:
                raise KeyError("bad")
            return super().local(node, parents)

    errors: list[BaseException] = []
    made: list[int] = []

    def run(score: cz.Score, seed: int) -> None:
        try:
            made.append(make_chain(score, seed).run(500, math.inf))
        except cz.ScoreError as error:
            errors.append(error)

    scores = [Failing(6), Failing(6), Failing(6)]
    names = ["bad", "good", "fine"]
    threads = [
        threading.Thread(target=run, args=(score, i), name=name)
        for i, (score, name) in enumerate(zip(scores, names, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 1
    assert made == [500, 500]


def test_without_nodes() -> None:
    class Forgetful(Sparse):
        def __init__(self) -> None:
            pass

    message = r"Forgetful has no nodes; its __init__ must call super\(\)\.__init__\(nodes\)"
    with pytest.raises(cz.ScoreError, match=message):
        _ = Forgetful().nodes


def test_repr_counts_the_nodes() -> None:
    assert [repr(Sparse(n)) for n in (0, 1, 3)] == ["Sparse(0 nodes)", "Sparse(1 node)", "Sparse(3 nodes)"]
    assert repr(cz.Uniform(1)) == "Uniform(1 node)"
    assert repr(cz.GaussianBIC.from_covariance([[1.0]], 50)) == "GaussianBIC(1 node, 50 rows, penalty 1)"


def test_without_local() -> None:
    with pytest.raises(TypeError, match="local"):
        type("Nothing", (cz.Score,), {})(3)


@pytest.mark.parametrize("kind", [ByLocal, ByRow])
def test_pickles_without_the_cache(kind: type[ByLocal]) -> None:
    score = kind(make_score("GaussianBIC", 5, 60))
    before = score.core_score().row(0, [1])  # type: ignore[union-attr]
    again = pickle.loads(pickle.dumps(score))
    assert not again.cached_values()._rows
    assert again.core_score().row(0, [1]) == pytest.approx(before)


def test_the_core_object_does_not_keep_the_score_alive() -> None:
    import gc
    import weakref

    score = make_score("user", 4, 50)
    score.core_score().row(0, [])  # type: ignore[union-attr]
    make_chain(score).run(10, 60.0)
    alive = weakref.ref(score)
    del score
    gc.collect()
    assert alive() is None


class Returning(cz.Score):
    """Returns what it was given."""

    def __init__(self, value: object, as_row: bool = False) -> None:
        super().__init__(["a", "b", "c"])
        self.value, self.as_row = value, as_row

    def local(self, node: object, parents: object) -> float:
        return 0.0 if self.as_row else self.value  # type: ignore[return-value]


class ReturningRows(Returning):
    def row(self, node: object, parents: object) -> object:  # type: ignore[override]
        return [self.value] * 3


@pytest.mark.parametrize("value", ["3", "text", b"3", 10**400, -(10**400), None, [1.0], 1j, float("nan")])
def test_values_that_are_no_finite_numbers(value: object) -> None:
    for score in (Returning(value), ReturningRows(value, as_row=True)):
        with pytest.raises(cz.ScoreError, match=r"must be|must contain|beyond the range"):
            cz.sample(score, jumps=50, chains=1, rng=1, progress=False)
    with pytest.raises(cz.ScoreError, match=r"must be|beyond the range"):
        Returning(value).total(cz.CPDAG.empty(["a", "b", "c"]))
