"""sample(): the same seed gives the same result with any executor, and invalid values raise errors with a remedy."""

import io
import math
import multiprocessing
import pickle
import re
import sys
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.parallel import workers
from experts import options
from targets import gaussian_data

SCORED = cz.GaussianBIC(gaussian_data(6, 40, seed=6))
NAMED = cz.Uniform(["a", "b", "c"])


def fingerprint(posterior: cz.Posterior) -> bytes:
    """Everything that was sampled, bit for bit."""
    parts = []
    for r in posterior._results:
        parts += [r.hashes, r.times, r.origin, r.begin, r.deltas, *r.directed, *r.undirected]
        parts += [r.trace_edges, r.trace_score, r.trace_direction]
        parts += [np.array([r.unit, r.total, r.unlisted, r.trace_step, r.statistics.jumps, r.statistics.flips])]
    return b"".join(part.tobytes() for part in parts)


# ---- same seed, same result


@pytest.mark.parametrize("score", [SCORED, cz.Uniform(8)], ids=["scored", "uniform"])
def test_the_number_of_threads_does_not_change_the_posterior(score: cz.Score) -> None:
    run = {"jumps": 3000, "chains": 3, "rng": 11, "progress": False, "max_classes": 50}
    first = fingerprint(cz.sample(score, **options(**run)))
    for threads in (1, 3):
        with ThreadPoolExecutor(threads) as pool:
            assert fingerprint(cz.sample(score, **options(executor=pool, **run))) == first
    assert fingerprint(cz.sample(score, **options(**{**run, "rng": 12}))) != first


@pytest.mark.nosanitize
def test_other_processes_give_the_same_posterior() -> None:
    run = {"jumps": 3000, "chains": 3, "rng": 11, "progress": False, "max_degree": 4, "edge_prior": lambda m: -0.1 * m}
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        elsewhere = cz.sample(SCORED, **options(executor=pool, **run))
    here = cz.sample(SCORED, **options(**run))
    assert fingerprint(elsewhere) == fingerprint(here)
    assert elsewhere.statistics == here.statistics


def test_any_executor_can_be_used() -> None:
    class Patient(Executor):
        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            future = Future()
            future.set_result(pickle.loads(pickle.dumps(fn))(*pickle.loads(pickle.dumps(args)), **kwargs))
            return future

    run = {"jumps": 500, "chains": 2, "rng": 5, "progress": False}
    assert fingerprint(cz.sample(SCORED, **options(executor=Patient(), **run))) == fingerprint(
        cz.sample(SCORED, **options(**run))
    )


def test_the_first_chains_do_not_depend_on_the_number_of_chains() -> None:
    few, many = (cz.sample(NAMED, jumps=500, chains=k, rng=5, progress=False) for k in (2, 4))
    assert fingerprint(few) == b"".join(fingerprint(p) for p in many.by_chain()[:2])


def test_the_state_of_a_generator_advances() -> None:
    rng = np.random.default_rng(3)
    first, second = (fingerprint(cz.sample(NAMED, jumps=100, rng=rng, progress=False)) for _ in range(2))
    assert first != second
    assert first == fingerprint(cz.sample(NAMED, jumps=100, rng=np.random.default_rng(3), progress=False))


# ---- settings


def test_a_table_is_scored() -> None:
    x = gaussian_data(4, 100, seed=1)
    run = {"jumps": 500, "rng": 1, "progress": False}
    from_score = fingerprint(cz.sample(cz.GaussianBIC(x), **options(**run)))
    assert fingerprint(cz.sample(x, **options(**run))) == from_score
    assert fingerprint(cz.sample(x, **options(score=cz.GaussianBIC, **run))) == from_score


def test_a_given_warm_up_has_its_length_and_comes_in_addition_to_the_jumps() -> None:
    for warmup, made in ((0, 0), (7, 7)):
        posterior = cz.sample(NAMED, jumps=500, settings=cz.Settings(warmup=warmup), chains=2, rng=1, progress=False)
        assert [(s.jumps, s.warmup) for s in posterior.statistics] == [(500, made)] * 2
        assert f"1,000 jumps, {sum(s.flips for s in posterior.statistics)} flips after {2 * made} jumps of warm-up" in (
            posterior.summary()
        )


@pytest.mark.parametrize(
    ("given", "cost", "table"),
    [
        ("auto", math.log(6), ()),
        (None, 0.0, ()),
        (2, 2.0, ()),
        (np.float64(-0.5), -0.5, ()),
        ([0, -1, -2.5], 0.0, (0.0, -1.0, -2.5)),
        ([0, -1, -math.inf, -math.inf], 0.0, (0.0, -1.0)),
        (np.zeros(40), 0.0, (0.0,) * 16),
        (lambda m: -math.inf if m > 3 else -m, 0.0, (0.0, -1.0, -2.0, -3.0)),
    ],
)
def test_edge_priors(given: object, cost: float, table: tuple[float, ...]) -> None:
    prior = cz.sample(SCORED, edge_prior=given, jumps=10, rng=1, progress=False).target.edge_prior
    assert prior.cost == pytest.approx(cost)
    assert prior.table == table
    for m in range(16):
        expected = -cost * m if not table else table[m] if m < len(table) else -math.inf
        assert prior.log_weight(m) == pytest.approx(expected)


def test_auto_is_no_prior_for_the_uniform_target() -> None:
    assert cz.sample(NAMED, jumps=10, rng=1, progress=False).target.edge_prior.cost == 0


def test_a_function_is_called_for_the_numbers_of_edges_that_max_degree_allows() -> None:
    asked = []
    cz.sample(SCORED, edge_prior=lambda m: asked.append(m) or 0.0, max_degree=1, jumps=10, rng=1, progress=False)
    assert asked == [0, 1, 2, 3]


def test_a_start_is_read_in_the_order_of_the_nodes() -> None:
    start = cz.CPDAG.from_edges(["c", "a", "b"], directed=[("a", "c"), ("b", "c")])
    posterior = cz.sample(NAMED, start=start, jumps=10, settings=cz.Settings(warmup=0), rng=1, progress=False)
    assert posterior._start == cz.CPDAG.from_edges(["a", "b", "c"], directed=[("a", "c"), ("b", "c")])
    assert posterior.probability(start) > 0
    assert cz.sample(NAMED, start="empty", jumps=10, rng=1, progress=False)._start == cz.CPDAG.empty(NAMED.nodes)


def test_counts_may_be_floats_with_integer_values() -> None:
    plain = cz.sample(
        NAMED, max_degree=2, jumps=1000, settings=cz.Settings(warmup=100, max_classes=10), chains=2, rng=1
    )
    floats = cz.sample(
        NAMED,
        max_degree=2.0,
        jumps=1e3,
        settings=cz.Settings(warmup=np.float64(100), max_classes=1e1),
        chains=2.0,
        rng=1,
    )  # type: ignore[arg-type]
    assert floats.settings == plain.settings
    assert type(floats.settings.jumps) is int
    assert floats.target.max_degree == 2
    assert floats.top(2.0) == plain.top(2)  # type: ignore[arg-type]


COLLIDER = cz.CPDAG.from_edges(["a", "b", "c"], directed=[("a", "c"), ("b", "c")])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"momentum": 1.5}, "momentum must be a number from 0 (reversible) to 1 (Zig-Zag), not 1.5"),
        ({"momentum": True}, "momentum must be a number from 0 (reversible) to 1 (Zig-Zag), not True"),
        ({"momentum": math.nan}, "momentum must be a number from 0 (reversible) to 1 (Zig-Zag), not nan"),
        ({"balance": "root"}, "balance must be one of 'sqrt', 'metropolis', 'barker', 'auto', not 'root'"),
        ({"coldness": -1}, "coldness must be a finite number of at least 0, not -1"),
        ({"coldness": math.inf}, "coldness must be a finite number of at least 0, not inf"),
        ({"coldness": "1"}, "coldness must be a finite number of at least 0, not '1'"),
        ({"max_degree": 0}, "max_degree must be None or an integer of at least 1, not 0"),
        ({"jumps": 0}, "jumps must be an integer of at least 1, not 0"),
        ({"jumps": 1.5e0}, "jumps must be an integer of at least 1, not 1.5"),
        ({"jumps": math.inf}, "jumps must be an integer of at least 1, not inf"),
        ({"jumps": 1e30}, f"jumps must be at most {2**62}, not 1e+30"),
        ({"jumps": "1e4"}, "jumps must be an integer of at least 1, not '1e4'"),
        ({"jumps": 2**70}, f"jumps must be at most {2**62}, not {2**70}"),
        ({"chains": 0}, "chains must be an integer of at least 1, not 0"),
        ({"settings": {"warmup": 5}}, "settings must be None or a cz.Settings, not {'warmup': 5}"),
        ({"jumps": 10, "minutes": 2}, "give one of them"),
        ({"n_chains": 2}, "sample has no argument n_chains; write chains=..."),
        ({"n_jobs": 2}, "write executor=..."),
        ({"time": 2}, "write minutes=..."),
        ({"seed": 2}, "write rng=2"),
        ({"random_state": 2}, "write rng=2"),
        ({"warmup": 2}, "write settings=cz.Settings(warmup=...)"),
        ({"forbidden": [("a", "b")]}, "write knowledge=cz.Knowledge(forbidden=...)"),
        ({"minute": 2}, "did you mean minutes?"),
        ({"whatever": 2}, "it has score, knowledge, edge_prior"),
        ({"rng": "seed"}, "rng must be None, a seed of at least 0 or a numpy.random.Generator, not 'seed'"),
        ({"executor": 4}, "executor must be None, a concurrent.futures.Executor or a distributed.Client, not 4"),
        ({"progress": "yes"}, "progress must be None, True or False, not 'yes'"),
        ({"score": cz.GaussianBIC}, "is for data, but Uniform(3 nodes) is a score already; leave score out"),
        ({"edge_prior": "flat"}, 'edge_prior must be "auto", None, a number, a sequence of log weights or a function'),
        ({"edge_prior": str}, "edge_prior must give a log weight (a finite number, or -inf) for every"),
        ({"edge_prior": math.nan}, "must be finite numbers"),
        ({"edge_prior": []}, "edge_prior gives no weight to graphs with 0 edges"),
        ({"edge_prior": [0, math.nan]}, "for every number of edges, but for 1 it gives nan"),
        ({"edge_prior": lambda m: m and math.inf}, "for every number of edges, but for 1 it gives inf"),
        ({"edge_prior": [0, -math.inf, 0]}, "edge_prior gives no weight to graphs with 1 edges"),
        ({"edge_prior": [-math.inf]}, "edge_prior gives no weight to graphs with 0 edges"),
        ({"edge_prior": 3 + 1j}, "a sequence of log weights or a function of the number of edges, not (3+1j)"),
        ({"start": "ges"}, 'start="ges" maximizes a score, but Uniform(3 nodes) is constant'),
        ({"start": [("a", "b")]}, 'start must be None, "empty", "ges", "search" or a CPDAG, not (\'a\', \'b\')'),
        ({"start": cz.CPDAG.empty(3)}, "start must have the nodes a, b, c"),
        ({"start": cz.CPDAG.empty(["a", "c"])}, "start must have the nodes a, b, c"),
        ({"start": COLLIDER, "max_degree": 1}, "start exceeds max_degree=1: c has 2 adjacent nodes"),
        (
            {"start": COLLIDER, "knowledge": cz.Knowledge(apart=[("c", "b")])},
            "start does not agree with the knowledge",
        ),
        ({"start": COLLIDER, "edge_prior": [0, 0]}, "start has 2 edges, to which edge_prior gives no weight"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_bad_settings(settings: dict, message: str) -> None:
    with pytest.raises(cz.SettingsError, match=re.escape(message)):
        cz.sample(NAMED, **settings)


def test_bad_scores() -> None:
    with pytest.raises(cz.SettingsError, match=r"GaussianBIC\(data\)"):
        cz.sample(cz.GaussianBIC)
    with pytest.raises(cz.SettingsError, match=r'score must be "auto", .* or a class of scores, not \'bic\''):
        cz.sample(np.zeros((5, 2)), score="bic")


def test_an_error_in_a_chain_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(task, stop, meter):  # type: ignore[no-untyped-def]
        if task.number == 1:
            raise cz.SettingsError("this one")
        assert stop.wait(30)

    monkeypatch.setattr(workers, "run_chain", fail)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    with pytest.raises(cz.SettingsError, match="this one"):
        cz.sample(NAMED, chains=3, progress=False)
    assert not [t for t in threading.enumerate() if t.name.startswith("causal-zigzag")]


# ---- progress


def test_progress_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    cz.sample(SCORED, jumps=2000, chains=2, rng=1, progress=True)
    shown = capsys.readouterr()
    assert "2 chains: 100%" in shown.err
    assert "jumps/s" in shown.err
    assert re.search(r"edges \d+, score [+-]", shown.err)
    assert shown.out == ""


def test_progress_is_shown_on_terminals_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, is_shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        cz.sample(NAMED, jumps=100, rng=1)
        assert bool(stream.getvalue()) is is_shown
    monkeypatch.setattr(sys, "stderr", Terminal())
    cz.sample(NAMED, jumps=100, rng=1, progress=False)
    assert sys.stderr.getvalue() == ""


def test_a_chain_that_froze_at_its_start_is_reported() -> None:
    data = gaussian_data(20, 200, seed=1)  # too many columns for a comparison with exact probabilities
    with pytest.warns(cz.SamplingWarning, match="2 of 2 chains froze"):
        posterior = cz.sample(data, coldness=1e6, start="ges", chains=2, jumps=100, rng=1)
    assert [s.jumps for s in posterior.statistics] == [0, 0]
    with pytest.warns(cz.SamplingWarning, match="froze"):
        cz.sample(cz.GaussianBIC(data), edge_prior=1e99, chains=1, jumps=100, rng=1)


@pytest.mark.parametrize("prior", [{1: 2.0}, {0.0, -5.0}, 10**400])
def test_an_edge_prior_without_an_order_or_a_size_is_refused(prior: object) -> None:
    with pytest.raises(cz.SettingsError, match="edge_prior must be"):
        cz.sample(cz.Uniform(3), edge_prior=prior)


def test_limits_of_memory_are_bounded() -> None:
    for name, most in (("max_classes", 2**25), ("trace_points", 2**24), ("chains", 100_000)):
        with pytest.raises(cz.SettingsError, match=f"{name} must be at most {most}, not"):
            cz.sample(cz.Uniform(3), **options(**{name: 10**12}))


def test_the_choice_of_a_score_is_reported() -> None:
    posterior = cz.sample(gaussian_data(3, 50, seed=1), chains=1, jumps=100, rng=1)
    assert posterior.score.reason == "GaussianBIC, as all 3 columns are continuous"
    assert f"chosen      {posterior.score.reason}" in posterior.summary()
