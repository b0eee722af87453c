"""Files whose checksum is right and whose content is not: refused in words, or used without harm."""

import io
import json
import random
import shutil
from collections.abc import Callable, Iterator
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import Chain
from causal_zigzag.graphs.formats.any_text import parse_graph
from causal_zigzag.posterior.load import read_posterior
from causal_zigzag.posterior.save import PARTS
from causal_zigzag.sampler import run as run_file
from causal_zigzag.sampler.checkpoint import chain_files
from causal_zigzag.sampler.checkpoint.chain_files import SavedChain
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.run import Run
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.storage import container
from causal_zigzag.target.target import Target
from chain_states import mutated_state, used
from experts import options
from mutations import VALUES, entries_of, mutated, places, sealed, with_header, with_value
from score_cases import make_score

LONG_COUNTS = {
    "posterior": 5_000, "run": 20_000, "chain file": 10_000, "state": 20_000,
    "node-link": 8_000, "DOT": 8_000, "edge list": 8_000, "knowledge": 10_000,
}  # fmt: skip
"""The mutations of the long test, 89,000 in all."""

QUIET = {"rng": 1, "progress": False, "chains": 1}


def posterior_bytes(folder: Path, score: cz.Score, **settings: Any) -> bytes:
    cz.sample(score, **options(**{**QUIET, "jumps": 60, "trace_points": 8} | settings)).save(folder / "a.czz")
    return (folder / "a.czz").read_bytes()


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint with all that a target can have."""
    folder = tmp_path_factory.mktemp("checkpoint") / "run"
    score = make_score("GaussianBIC", 5, 80)
    a, b, *_ = score.nodes
    limits: dict[str, Any] = {
        "max_degree": 3,
        "knowledge": cz.Knowledge(apart=[(a, b)]),
        "edge_prior": lambda m: -0.5 * m,
    }
    cz.sample(
        score,
        **options(
            **QUIET,
            jumps=400,
            settings=cz.Settings(warmup=50, max_classes=500, trace_points=16),
            checkpoint=folder,
            **limits,
        ),
    )
    return folder


@pytest.fixture(scope="module")
def posteriors(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("posteriors")
    found = [posterior_bytes(folder, make_score(family, 3, 40)) for family in ("GaussianBIC", "BDeu", "MixedBIC")]
    user = cz.sample(
        make_score("user", 3, 40), **options(jumps=60, settings=cz.Settings(trace_points=8), **QUIET)
    ).reweight("dags")
    user.save(folder / "b.czz")
    return [*found, (folder / "b.czz").read_bytes(), posterior_bytes(folder, cz.Uniform(["a", "b", "c"]))]


# ---- what happens to a changed file; each returns whether it was accepted


def holds_what_it_was_given(data: bytes, value: object, parts: tuple[type, ...]) -> None:
    """A file that is accepted is read as it is: written again, it holds the same, so nothing was ignored or changed.

    Forbidden pairs are an exception: they are a set, and are put in order.
    """
    given, again = (contents(one) for one in (data, container.to_bytes(value, parts)))
    different = [place for place in places(given) if _at(given, place) != _at(again, place)]
    assert not different, f"{different[-1]}: {_at(given, different[-1])} became {_at(again, different[-1])}"


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    try:
        return reduce(lambda inside, key: inside[key], place, value)
    except (LookupError, TypeError):
        return "nothing"


def contents(data: bytes) -> Any:
    """The value in a file as JSON, with arrays in the place of their numbers."""
    entries = entries_of(data)

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(item) for item in value]
        if isinstance(value, dict):
            for kind in ("array", "scalar"):
                if value.keys() == {kind}:
                    array = np.load(io.BytesIO(entries[f"{int(value[kind])}.npy"]))
                    return array.dtype.str, array.shape, hash(array.tobytes())  # a scalar has no shape
            return {key: filled(item) for key, item in value.items()}
        return value

    return filled(json.loads(entries[container.HEADER])[container.VALUE])


def try_posterior(data: bytes) -> bool:
    try:
        posterior = read_posterior(data, "x")
    except cz.FileError:
        return False
    holds_what_it_was_given(data, posterior, (*PARTS, cz.Posterior))
    try:
        posterior.summary()
        posterior.top(3)
        posterior.edge_table()
        posterior.reweight("dags")
    except cz.CausalZigzagError:  # such as a score for which nothing is stored
        pass
    return True


def try_run(data: bytes) -> bool:
    try:
        run = run_file.from_bytes(data)
    except cz.FileError:
        return False
    holds_what_it_was_given(data, run, run_file.PARTS)
    try:
        chain = make_chain(run.target, run.settings, run.start, run.seeds()[0])
        chain.run(20, 0.05)
    except (cz.CausalZigzagError, MemoryError):
        pass
    return True


def try_chain_file(data: bytes, run: Run) -> bool:
    try:
        saved = container.from_bytes(data, SavedChain, chain_files.PARTS)
    except cz.FileError:
        return False
    holds_what_it_was_given(data, saved, chain_files.PARTS)
    return try_state(saved.state(), run)


def try_state(state: bytes, run: Run) -> bool:
    try:
        chain: Chain = make_chain(run.target, run.settings, run.start, run.seeds()[0], saved=state)
    except ValueError:
        return False
    used(chain)
    return True


# ---- every field of every header


def changed_headers(data: bytes, each: int) -> Iterator[bytes]:
    """Every value of the header replaced by some of VALUES, drawn without replacement."""
    rng = random.Random(3)
    entries = entries_of(data)
    header = json.loads(entries[container.HEADER])
    for place in places(header):
        for value in rng.sample(VALUES, each):
            yield sealed(entries | {container.HEADER: with_value(header, place, value)})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("each", [1, pytest.param(4, marks=[pytest.mark.long, pytest.mark.nosanitize])])
def test_every_field_of_a_posterior(each: int, posteriors: list[bytes]) -> None:
    for data in posteriors if each > 1 else posteriors[2:4]:  # of mixed columns, and of a user's score
        accepted = [try_posterior(changed) for changed in changed_headers(data, each)]
        assert accepted.count(False) > 0.5 * len(accepted)


@pytest.mark.filterwarnings("ignore")
def test_every_field_of_a_run(checkpoint: Path) -> None:
    data = (checkpoint / "run.czz").read_bytes()
    accepted = [try_run(changed) for changed in changed_headers(data, 4)]
    assert accepted.count(False) > 0.5 * len(accepted)


def test_every_field_of_a_chain_file(checkpoint: Path) -> None:
    run = run_file.from_bytes((checkpoint / "run.czz").read_bytes())
    data = max(checkpoint.glob("chain-*.state")).read_bytes()
    accepted = [try_chain_file(changed, run) for changed in changed_headers(data, 6)]
    assert accepted.count(False) > 0.5 * len(accepted)


# ---- values that are of the right type, and that no run has


def test_moments_and_statistics_that_no_table_and_no_chain_has(tmp_path: Path) -> None:
    """They were accepted: a warm-up without an end, and probabilities that are not numbers."""
    numbers = np.random.default_rng(1).normal(size=(40, 3)).round(3)
    table = cz.read_table({"x": numbers[:, 0], "y": numbers[:, 1], "z": [0, 1] * 20}, contexts=["z"])
    cz.sample(table, checkpoint=tmp_path / "run", **options(jumps=60, **QUIET)).save(tmp_path / "a.czz")
    data, state = (tmp_path / "a.czz").read_bytes(), max((tmp_path / "run").glob("chain-*.state")).read_bytes()
    header, entries = json.loads(entries_of(data)[container.HEADER]), entries_of(data)
    by_name = {place[-1]: place for place in places(header)}
    forged = [with_header(data, with_value(header, by_name["sqrt_weight"], -1.0))]
    for name, factor, shift in (("_sums", 1, 1e3), ("_products", -3, 0)):
        file = f"{_at(header, by_name[name])['array']}.npy"
        array = np.load(io.BytesIO(entries[file])) * factor + shift
        np.save(changed := io.BytesIO(), array)
        forged.append(sealed(entries | {file: changed.getvalue()}))
    for one in forged:
        with pytest.raises(cz.FileError, match=r"sqrt_weight of a chain|moments are not valid"):
            read_posterior(one, "x")
    header = json.loads(entries_of(state)[container.HEADER])
    length = next(place for place in places(header) if place[-1] == "length")
    with pytest.raises(cz.FileError, match="a block of a warm-up cannot be longer"):
        container.from_bytes(with_header(state, with_value(header, length, 2**62)), SavedChain, chain_files.PARTS)


# ---- the command resume


def at(*keys: str | int) -> Callable[[Any], tuple[Any, str | int]]:
    """The container and the key of a value in the header of a run."""

    def find(header: Any) -> tuple[Any, str | int]:
        inside = header[container.VALUE]["Run"]
        for key in keys[:-1]:
            inside = inside[key]
        return inside, keys[-1]

    return find


TARGET, SETTINGS = ("target", "Target"), ("settings", "RunSettings")
NAN = {"float": "nan"}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (at(*TARGET, "knowledge", "Knowledge", "apart"), [[0, 1000000]]),
        (at(*TARGET, "knowledge", "Knowledge", "apart"), [[-5, 1]]),
        (at(*TARGET, "coldness"), NAN),
        (at(*TARGET, "max_degree"), -7),
        (at(*TARGET, "edge_prior", "EdgePrior", "table"), [0.0]),
        (at(*TARGET, "edge_prior", "EdgePrior", "table"), [0.0, NAN, -1.0]),
        (at(*TARGET, "edge_prior", "EdgePrior", "cost"), NAN),
        (at(*SETTINGS, "momentum"), 7),
        (at(*SETTINGS, "momentum"), NAN),
        (at(*SETTINGS, "warmup"), -1),
        (at(*SETTINGS, "chains"), 0),
        (at(*SETTINGS, "jumps"), 0),
        (at(*SETTINGS, "balance"), "x"),
        (at(*SETTINGS, "trace_points"), -1),
    ],
)
def test_a_run_with_a_value_that_no_user_could_give(
    place: Callable[[Any], tuple[Any, str | int]], value: Any, checkpoint: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(checkpoint, folder)
    data = (folder / "run.czz").read_bytes()
    header = json.loads(entries_of(data)[container.HEADER])
    inside, key = place(header)
    assert inside[key] != value
    inside[key] = value
    (folder / "run.czz").write_bytes(with_header(data, json.dumps(header).encode()))
    with pytest.raises(cz.CausalZigzagError):
        cz.resume(folder, progress=False)


# ---- sizes


def test_a_small_file_that_declares_large_arrays(posteriors: list[bytes]) -> None:
    entries = entries_of(posteriors[0])
    for shape in ("(1099511627776,)", "(-1,)", "(4294967296, 4294967296)", "(1,) * 10**9"):
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
        with pytest.raises(cz.FileError):
            read_posterior(sealed(entries | {"3.npy": content}), "x")


def test_a_file_that_expands_to_gigabytes(posteriors: list[bytes], tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "bomb.czz"
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as file:
        for name, content in entries_of(posteriors[0]).items():
            file.writestr(name, content)
        file.writestr("99.npy", bytes(2**28))
        file.comment = container.CHECKSUM + b"0" * container.HEX
    data = path.read_bytes()[: -container.HEX]
    with pytest.raises(cz.FileError, match="would expand to"):
        read_posterior(data + container.digest(data), "x")


# ---- random changes


def graph_texts() -> dict[str, str]:
    """A graph in every format that is read; Tetrad's graphs and BIF are only written."""
    graph = cz.CPDAG.from_edges(["a", "b c", 'd"', "é"], directed=[("a", 'd"'), ("b c", 'd"')], undirected=[("a", "é")])
    return {
        "node-link": graph.to_json(),
        "DOT": graph.to_dot(),
        "edge list": 'a -> b, b - c; "a name" -> c, d',
    }


KNOWN = cz.Knowledge(tiers=[["a", "b c"], ["é"]], required=[("a", "é")], forbidden=[("f", "a")], conditions=["g"])


def try_knowledge(rng: random.Random) -> bool:
    plain = cz.Knowledge(tiers=[["a", "b"], ["d"]], required=[("a", "d")], no_edges_within=[0])
    text, read = rng.choice(
        [
            (KNOWN.to_json(), cz.Knowledge.from_json),
            (KNOWN.to_yaml(), cz.Knowledge.from_yaml),
            (plain.to_tetrad(), cz.Knowledge.from_tetrad),
        ]
    )
    try:
        known = read(mutated_text(text, rng))
    except cz.KnowledgeError:
        return False
    assert cz.Knowledge.from_json(known.to_json()) == known
    return True


def try_graph(text: str) -> bool:
    try:
        parse_graph(text)
    except cz.CausalZigzagError:
        return False
    return True


PIECES = [
    "",
    '"',
    "[",
    "{",
    "}",
    "]",
    ",",
    "->",
    "-",
    "0",
    "1e400",
    "null",
    "\n",
    "\0",
    "\\",
    "\ud800",
    "id",
    "<",
    "\t",
]


def mutated_text(text: str, rng: random.Random) -> str:
    for _ in range(rng.randrange(1, 4)):
        begin = rng.randrange(len(text) + 1)
        end = min(len(text), begin + rng.choice([0, 0, 1, 1, 2, 10]))
        piece = rng.choice([*PIECES, text[begin:end] * 3])
        text = text[:begin] + piece + text[end:]
    return text


def fuzz(counts: dict[str, int], seed: int, posteriors: list[bytes], checkpoint: Path) -> dict[str, int]:
    """How many changed inputs of each kind were refused; anything but a refusal in words raises."""
    rng = random.Random(seed)
    data = (checkpoint / "run.czz").read_bytes()
    run = run_file.from_bytes(data)
    file = max(checkpoint.glob("chain-*.state")).read_bytes()
    state = container.from_bytes(file, SavedChain, chain_files.PARTS).state()
    tries: dict[str, Callable[[], bool]] = {
        "posterior": lambda: try_posterior(mutated(rng.choice(posteriors), rng)),
        "run": lambda: try_run(mutated(data, rng)),
        "chain file": lambda: try_chain_file(mutated(file, rng), run),
        "state": lambda: try_state(mutated_state(state, rng), run),
        "knowledge": lambda: try_knowledge(rng),
    }
    for form, text in graph_texts().items():
        tries[form] = partial(lambda text: try_graph(mutated_text(text, rng)), text)
    return {kind: sum(not tries[kind]() for _ in range(count)) for kind, count in counts.items()}


@pytest.mark.filterwarnings("ignore")
def test_random_changes(posteriors: list[bytes], checkpoint: Path) -> None:
    counts = {
        "posterior": 50, "run": 50, "chain file": 50, "state": 200,
        "node-link": 200, "DOT": 200, "edge list": 200, "knowledge": 100,
    }  # fmt: skip
    refused = fuzz(counts, 1, posteriors, checkpoint)
    assert all(0.2 * count < refused[kind] for kind, count in counts.items()), refused


@pytest.mark.long
@pytest.mark.nosanitize
@pytest.mark.filterwarnings("ignore")
def test_many_random_changes(posteriors: list[bytes], checkpoint: Path) -> None:
    refused = fuzz(LONG_COUNTS, 2, posteriors, checkpoint)
    assert all(0.2 * count < refused[kind] for kind, count in LONG_COUNTS.items()), refused


def test_states_of_all_kinds_of_targets() -> None:
    rng = random.Random(5)
    settings = RunSettings(max_classes=20, trace_points=9, cache_bytes=2**13)
    seed = np.arange(4, dtype=np.uint64)
    for score in (cz.Uniform(4), make_score("GaussianBIC", 4, 50), make_score("BDeu", 3, 50)):
        target, start = Target.read(score), cz.CPDAG.empty(score.nodes)
        chain = make_chain(target, settings, start, seed)
        chain.run(300, 5.0)
        state = chain.save()
        used(make_chain(target, settings, start, seed, saved=state))
        refused = 0
        for _ in range(50):
            try:
                used(make_chain(target, settings, start, seed, saved=mutated_state(state, rng)))
            except ValueError:
                refused += 1
        assert refused > 5
