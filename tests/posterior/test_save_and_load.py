"""save and load: the same posterior comes back, nothing is half written, and no damaged file gives an answer."""

import dataclasses
import io
import json
import pickle
import resource
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import causal_zigzag as cz
from causal_zigzag._core import are_classes
from causal_zigzag.report.repetition import repetition
from causal_zigzag.scores.choose import as_score
from causal_zigzag.storage import container
from experts import options
from score_cases import FAMILIES, ByLocal, gaussian_data, make_score


def alike(a: Any, b: Any) -> bool:
    """Whether two values have the same types and contents, down to the last array."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if dataclasses.is_dataclass(a):
        names = [f.name for f in dataclasses.fields(a) if f.name != "_checked"]  # which is made for the file
        return all(alike(getattr(a, name), getattr(b, name)) for name in names)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, cz.Score):
        left, right = a.__getstate__(), b.__getstate__()
        return left.keys() == right.keys() and all(alike(left[key], right[key]) for key in left)
    return bool(a == b)


def run(score: Any, **settings: Any) -> cz.Posterior:
    return cz.sample(score, **options(**{"jumps": 1500, "chains": 2, "rng": 1, "progress": False} | settings))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "a.czz"
    run(cz.Uniform(3), jumps=50).save(path)
    return path.read_bytes()


@pytest.mark.parametrize(
    "family", [family for family in FAMILIES if family not in ("user", "SetFunction")] + ["Uniform"]
)
def test_every_score_comes_back(family: str, tmp_path: Path) -> None:
    score = cz.Uniform(["a", "b", "c", "d", "e"]) if family == "Uniform" else make_score(family, 5, 80)
    posterior = run(score)
    posterior.save(tmp_path / "a.czz")
    again = cz.load(tmp_path / "a.czz")
    assert alike(again, posterior)
    assert again.summary() == posterior.summary()
    assert again.top(5) == posterior.top(5)
    assert again.score.local(score.nodes[0], score.nodes[1:3]) == score.local(score.nodes[0], score.nodes[1:3])
    assert again.edge_table().equals(posterior.edge_table())
    assert run(again.score).top(3) == posterior.top(3)
    again.save(str(tmp_path / "b.czz"))
    assert (tmp_path / "b.czz").read_bytes() == (tmp_path / "a.czz").read_bytes()
    with pytest.raises(cz.FileError, match="leave score= out"):
        cz.load(tmp_path / "a.czz", score=score)


def test_all_of_the_target_and_the_run_comes_back(tmp_path: Path) -> None:
    score = as_score({"x": gaussian_data(2, 50)[:, 0], "y": gaussian_data(2, 50)[:, 1]})
    start = cz.CPDAG.complete(["x", "y"])
    posterior = run(score, start=start, edge_prior=lambda m: -(m**1.5), coldness=0.3, momentum=0.25, balance="barker")
    other = run(
        cz.Uniform(6), max_degree=2, knowledge=cz.Knowledge(apart=[(0, 5), (2, 1)]), max_classes=20, trace_points=9
    )
    frozen = run(cz.Uniform(1), jumps=5)
    for case in (posterior, other, frozen, dataclasses.replace(other, _interrupted=True)):
        case.save(tmp_path / "a.czz")
        again = cz.load(tmp_path / "a.czz")
        assert alike(again, case)
        assert again.score.reason == case.score.reason
        assert again.summary() == case.summary()
        assert [t.score.tolist() for t in again.trace()] == [t.score.tolist() for t in case.trace()]
    assert frozen.statistics[0].log_time == np.inf


def test_another_prior_comes_back(tmp_path: Path) -> None:
    score = make_score("user", 4, 50)
    for prior in ("dags", lambda g: -2.0 * g.edge_count):
        posterior = run(score).reweight(prior)
        posterior.save(tmp_path / "a.czz")
        again = cz.load(tmp_path / "a.czz")
        assert alike(again._reweighting, posterior._reweighting)
        assert again.top(20) == posterior.top(20)
        assert again.reweight("classes").top(20) == run(score).top(20)


def test_what_is_loaded_cannot_be_changed(tmp_path: Path) -> None:
    run(cz.Uniform(3)).save(tmp_path / "a.czz")
    with pytest.raises(ValueError, match="read-only"):
        cz.load(tmp_path / "a.czz")._results[0].times[0] = 1


def test_labels(tmp_path: Path) -> None:
    labels = ["a", 'q"\\\n<é', 1, -2.5, float("inf"), None, True, ("t", 0, (1.0, None)), 10**40]
    labels = [label for label in labels if label != 1 or label is True]  # 1 == True, so not both
    posterior = run(cz.Uniform(labels), jumps=30)
    posterior.save(tmp_path / "a.czz")
    again = cz.load(tmp_path / "a.czz")
    assert list(map(repr, again.nodes)) == list(map(repr, labels))
    numbers = run(cz.Uniform([np.int64(3), np.float64(0.5), np.str_("s")]), jumps=30)
    numbers.save(tmp_path / "a.czz")
    assert list(map(repr, cz.load(tmp_path / "a.czz").nodes)) == ["3", "0.5", "'s'"]


@pytest.mark.parametrize("label", [date(2026, 1, 1), frozenset({1}), ("a", b"b"), 1j, np.datetime64("2026-01-01")])
def test_labels_without_a_place_in_a_file(label: Any, tmp_path: Path) -> None:
    with pytest.raises(cz.FileError, match="a node cannot be saved"):
        run(cz.Uniform(["x", label]), jumps=10).save(tmp_path / "a.czz")
    assert not list(tmp_path.iterdir())


class Steep(cz.Score):
    """Of a user: score-equivalent, as it counts edges."""

    def __init__(self, nodes: Any, slope: float) -> None:
        super().__init__(nodes)
        self.slope = slope

    def local(self, node: object, parents: Any) -> float:
        return -self.slope * len(tuple(parents))


def test_a_score_of_the_users(tmp_path: Path) -> None:
    nodes = ["a", "b", "c", "d", "e", "f"]
    score = Steep(nodes, 0.1)
    posterior = run(score, jumps=20_000)
    assert posterior.class_count > 1500
    posterior.save(tmp_path / "a.czz")
    again = cz.load(tmp_path / "a.czz")
    assert again.top(1000) == posterior.top(1000)
    assert again.summary() == posterior.summary()
    assert [t.score.tolist() for t in again.trace()] == [t.score.tolist() for t in posterior.trace()]
    assert again.probability(cz.CPDAG.complete(nodes)) == posterior.probability(cz.CPDAG.complete(nodes))
    known = again.score.known
    value = next(v for (y, p), v in known.items() if len(p) == 2)
    assert value == pytest.approx(-0.2)
    with pytest.raises(cz.ScoreError, match="user-defined score"):
        again.top(10**6)
    again.save(tmp_path / "b.czz")
    assert (tmp_path / "b.czz").read_bytes() == (tmp_path / "a.czz").read_bytes()
    assert cz.load(tmp_path / "a.czz", score=score).top(1500) == posterior.top(1500)
    assert cz.load(tmp_path / "a.czz", score=score).score is score
    with pytest.raises(cz.ScoreError, match=r"Steep\(6 nodes\).*-0\.2.*-0\.1"):
        cz.load(tmp_path / "a.czz", score=Steep(nodes, 0.2))
    with pytest.raises(cz.ScoreError, match="the nodes were a, b, c, d, e, f and are f, a"):
        cz.load(tmp_path / "a.czz", score=Steep([*"fabcde"], 0.1))
    with pytest.raises(cz.ScoreError, match="score must be the score of the posterior"):
        cz.load(tmp_path / "a.czz", score="steep")


def test_a_users_score_is_asked_once_for_each_thing(tmp_path: Path) -> None:
    score = make_score("user", 4, 50)
    assert isinstance(score, ByLocal)
    posterior = run(score)
    asked = len(score.asked)
    posterior.save(tmp_path / "a.czz")
    assert len(score.asked) <= asked + 4  # the chains had asked for all of it; the four nodes of the start once more


def test_any_cut_is_noticed(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.czz"
    for end in [*range(64), *range(64, len(saved), 37), *range(len(saved) - 80, len(saved))]:
        path.write_bytes(saved[:end])
        with pytest.raises(cz.FileError, match=r"cut\.czz"):
            cz.load(path)
    path.write_bytes(saved + b"\n")
    with pytest.raises(cz.FileError, match="its checksum is wrong"):
        cz.load(path)


def test_any_flipped_bit_is_noticed(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "flipped.czz"
    rng = np.random.default_rng(1)
    for at in [*range(48), *rng.integers(0, len(saved), 1500).tolist(), *range(len(saved) - 90, len(saved))]:
        data = bytearray(saved)
        data[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        with pytest.raises(cz.FileError, match=r"flipped\.czz"):
            cz.load(path)


def resealed(saved: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """The file with other entries and the right checksum: what only malice or a bug can write."""
    with zipfile.ZipFile(io.BytesIO(saved)) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    change(entries)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as new:
        for name, content in entries.items():
            new.writestr(zipfile.ZipInfo(name), content)
        new.comment = container.CHECKSUM + b"0" * container.HEX
    data = file.getvalue()[: -container.HEX]
    return data + container.digest(data)


def change_header(change: Callable[[Any], None]) -> Callable[[dict[str, bytes]], None]:
    def changed(entries: dict[str, bytes]) -> None:
        header = json.loads(entries[container.HEADER])
        change(header)
        entries[container.HEADER] = json.dumps(header).encode()

    return changed


def load_bytes(data: bytes, path: Path) -> cz.Posterior:
    path.write_bytes(data)
    return cz.load(path)


def test_sealing_again_changes_nothing(saved: bytes, tmp_path: Path) -> None:
    assert load_bytes(resealed(saved, lambda entries: None), tmp_path / "a.czz").class_count == 11


def test_other_files(saved: bytes, tmp_path: Path) -> None:
    other = io.BytesIO()
    np.savez(other, a=np.arange(3))
    random = np.random.default_rng(1).bytes(5000)
    for data in (b"a,b\n1,2\n", random, random[:70], b"PK" + random, other.getvalue(), pickle.dumps({"a": 1})):
        with pytest.raises(cz.FileError, match="not a saved posterior"):
            load_bytes(data, tmp_path / "other.bin")
    with pytest.raises(cz.FileError, match="is empty"):
        load_bytes(b"", tmp_path / "empty.czz")
    with pytest.raises(cz.FileError, match=r"nowhere\.czz.*No such file"):
        cz.load(tmp_path / "nowhere.czz")
    with pytest.raises(cz.FileError, match=r"cannot read .*: Is a directory"):
        cz.load(tmp_path)
    with pytest.raises(cz.FileError, match="needs the path of a file, not None"):
        cz.load(None)


def test_a_file_of_another_version(saved: bytes, tmp_path: Path) -> None:
    def other_kind(header: Any) -> None:
        header.update(version="7.5", value={"Future": {}})

    def new_field(header: Any) -> None:
        header.update(version="7.5")
        header["value"]["Posterior"]["results"][0]["ChainResult"]["wisdom"] = 1

    def lost_field(header: Any) -> None:
        header.update(version="0.0.1")
        del header["value"]["Posterior"]["interrupted"]

    def new_score(header: Any) -> None:
        header.update(version="7.5")
        header["value"]["Posterior"]["target"]["Target"]["score"]["score"]["name"] = "better-bic"

    for change, found, version in (
        (other_kind, "Future", "7.5"),
        (new_field, "ChainResult.wisdom", "7.5"),
        (lost_field, "Posterior.interrupted", "0.0.1"),
        (new_score, "better-bic", "7.5"),
    ):
        with pytest.raises(cz.FileError, match=rf"other.czz' .*{found}.*version {version}"):
            load_bytes(resealed(saved, change_header(change)), tmp_path / "other.czz")


def npy(array: Any, allow_pickle: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


class Bomb:
    """Its pickle would tell that it was opened."""

    def __reduce__(self) -> Any:
        return pytest.fail, ("a pickle was opened",)


def field_of_chain(saved: bytes, field: str) -> str:
    """The entry of the first chain's array."""
    with zipfile.ZipFile(io.BytesIO(saved)) as entries:
        header = json.loads(entries.read(container.HEADER))
    return f"{header['value']['Posterior']['results'][0]['ChainResult'][field]['array']}.npy"


def test_arrays_that_would_lead_the_core_astray(saved: bytes, tmp_path: Path) -> None:
    deltas, origin = field_of_chain(saved, "deltas"), field_of_chain(saved, "origin")
    begin = field_of_chain(saved, "begin")

    def with_array(name: str, content: bytes) -> Callable[[dict[str, bytes]], None]:
        return lambda entries: entries.__setitem__(name, content)

    def shifted(name: str, by: int) -> Callable[[dict[str, bytes]], None]:
        def change(entries: dict[str, bytes]) -> None:
            array = np.load(io.BytesIO(entries[name]))
            array[-1] += array.dtype.type(by)
            entries[name] = npy(array)

        return change

    for change in (
        with_array(deltas, npy(np.array([Bomb()], dtype=object), allow_pickle=True)),
        with_array(deltas, pickle.dumps(Bomb())),
        with_array(deltas, npy(np.zeros(10**4, dtype=np.uint32))),
        with_array(deltas, npy(np.zeros(3))),
        with_array(deltas, b""),
        with_array(deltas, npy(np.zeros(3)).replace(b"{", b"(")),
        with_array(deltas, npy(np.zeros(3)).replace(b"}", b")")),
        change_header(lambda h: h["value"]["Posterior"]["settings"]["RunSettings"].update(momentum=None)),
        change_header(lambda h: h["value"]["Posterior"]["settings"]["RunSettings"].update(momentum=7.0)),
        change_header(lambda h: h["value"]["Posterior"]["settings"]["RunSettings"].update(chains=0)),
        change_header(lambda h: h["value"]["Posterior"]["settings"]["RunSettings"].update(balance="x")),
        change_header(lambda h: h["value"]["Posterior"]["target"]["Target"].update(coldness=-1.0)),
        change_header(lambda h: h["value"]["Posterior"]["target"]["Target"].update(max_degree=0)),
        change_header(lambda h: h["value"]["Posterior"]["target"]["Target"].update(edge_prior=3.0)),
        change_header(lambda h: h["value"]["Posterior"]["target"]["Target"].update(score=3)),
        change_header(lambda h: h["value"]["Posterior"]["target"]["Target"].update(knowledge=[[0, 1]])),
        change_header(
            lambda h: h["value"]["Posterior"]["target"]["Target"]["edge_prior"]["EdgePrior"].update(table=["a"])
        ),
        change_header(lambda h: h["value"]["Posterior"].update(interrupted=1)),
        with_array(deltas, npy(np.zeros(3, dtype=np.uint32))[:-1]),
        shifted(deltas, 1 << 10),
        shifted(origin, 1000),
        shifted(origin, -1000),
        shifted(begin, 5),
        lambda entries: entries.pop(deltas),
        lambda entries: entries.update({container.HEADER: b"[" * 100_000}),
        lambda entries: entries.update({container.HEADER: b"{}"}),
        lambda entries: entries.update({container.HEADER: b'{"version": "1", "value": [1, 2]}'}),
        change_header(lambda h: h["value"]["Posterior"].update(start=3)),
        change_header(lambda h: h["value"]["Posterior"].update(results=[])),
        change_header(lambda h: h["value"]["Posterior"]["start"]["graph"].update(edges=[[[0, 99]], []])),
    ):
        with pytest.raises(cz.FileError, match=r"evil.czz' is not a file of causal-zigzag"):
            load_bytes(resealed(saved, change), tmp_path / "evil.czz")


@pytest.mark.parametrize(
    "change",
    [
        lambda r: {"directed": (r.directed[0], -r.directed[1])},
        lambda r: {"undirected": (r.undirected[0], 1e90 * r.undirected[1])},
        lambda r: {"undirected": tuple(np.concatenate([part, part[:1]]) for part in r.undirected)},
        lambda r: {"directed": (r.directed[0], np.full_like(r.directed[1], r.total))},
        lambda r: {"batch_times": -r.batch_times},
        lambda r: {"batch_integrals": 2 * r.batch_integrals},
        lambda r: {
            "batch_begin": r.batch_begin[:1],
            **{name: getattr(r, name)[:0] for name in ("batch_integrals", "batch_pairs", "batch_marks", "batch_times")},
        },
    ],
    ids=[
        "negative times",
        "huge times",
        "an edge twice",
        "both directions at once",
        "negative times of batches",
        "long batches",
        "no batches",
    ],
)
def test_times_that_no_chain_has(change: Callable[[Any], dict[str, Any]], tmp_path: Path) -> None:
    made = run(cz.Uniform(3))
    first, *others = made._results
    forged = dataclasses.replace(first, **change(first))
    dataclasses.replace(made, _results=(forged, *others)).save(tmp_path / "forged.czz")
    with pytest.raises(cz.FileError, match=r"edge|pair|batch"):
        cz.load(tmp_path / "forged.czz")


@pytest.mark.parametrize("code", ["drop=evil()", "evil(), drop=['a']", "drop=['a']) + evil(", "drop=['a'] # \n", "("])
def test_code_of_a_file_is_not_pasted(code: str, tmp_path: Path) -> None:
    made = run(gaussian_data(3, 30, seed=1))
    assert made.record is not None
    assert made.record.audit is not None
    for change in ({"reading": code}, {"audit": dataclasses.replace(made.record.audit, reading=code)}):
        dataclasses.replace(made, record=dataclasses.replace(made.record, **change)).save(tmp_path / "forged.czz")
        with pytest.raises(cz.FileError, match="code"):
            cz.load(tmp_path / "forged.czz")


def test_the_name_of_a_prior_of_a_file_is_not_code(tmp_path: Path) -> None:
    weighted = run(cz.Uniform(3)).reweight(lambda _: 0.0)
    assert weighted._reweighting is not None
    forged = dataclasses.replace(weighted._reweighting, prior="x\nevil()")
    dataclasses.replace(weighted, _reweighting=forged).save(tmp_path / "forged.czz")
    lines = repetition(cz.load(tmp_path / "forged.czz")).splitlines()
    assert "posterior = posterior.reweight(...)  # weighted by x evil()" in lines


@pytest.mark.parametrize(("mark", "valid"), [(1, False), (2, False), (3, True)])
def test_listed_graphs_are_classes(mark: int, valid: bool) -> None:
    begin, deltas = np.array([0, 1], np.uint64), np.array([mark], np.uint32)
    assert are_classes(2, np.array([-1], np.int64), begin, deltas, 1) is valid


def test_a_single_listed_graph_among_many_is_no_class(tmp_path: Path) -> None:
    """It is a cycle of four lines without a chord, and has the right hash."""
    made = run(cz.Uniform(6), jumps=40_000, chains=1, max_classes=100_000)
    [r] = made._results
    assert len(r.hashes) > 20_000
    cycle = [(0, 1), (1, 2), (2, 3), (0, 3)]
    hashes = [cz.CPDAG.from_edges(6, undirected=[line]).core.hash for line in cycle]
    lines = [(b * (b - 1) // 2 + a) << 2 | 3 for a, b in sorted(cycle, key=lambda line: line[::-1])]
    at = max({*range(1, len(r.hashes), 2)} - {*r.origin.tolist()})
    first, after = r.begin[[at, at + 1]].astype(int)
    changed = {name: getattr(r, name).copy() for name in ("hashes", "origin", "begin")}
    changed["hashes"][at] = np.bitwise_xor.reduce(np.array(hashes, dtype=np.uint64))
    changed["origin"][at] = -1
    changed["begin"][at + 1 :] += np.uint64(len(lines) - (after - first))
    changed["deltas"] = np.concatenate([r.deltas[:first], np.array(lines, np.uint32), r.deltas[after:]])
    dataclasses.replace(made, _results=(dataclasses.replace(r, **changed),)).save(tmp_path / "forged.czz")
    with pytest.raises(cz.FileError, match="a class is not a CPDAG"):
        cz.load(tmp_path / "forged.czz")


def test_codes_beyond_their_levels(tmp_path: Path) -> None:
    run(make_score("BDeu", 3, 50), jumps=20).save(tmp_path / "a.czz")
    data = (tmp_path / "a.czz").read_bytes()

    def fewer_levels(header: Any) -> None:
        header["value"]["Posterior"]["target"]["Target"]["score"]["score"]["state"]["_level_names"] = [[0], [0], [0]]

    with pytest.raises(cz.FileError, match="a code is not below the number of levels"):
        load_bytes(resealed(data, change_header(fewer_levels)), tmp_path / "a.czz")


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The system refuses to write more into one file, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_nothing_is_half_written(tmp_path: Path) -> None:
    posterior, path = run(cz.Uniform(4)), tmp_path / "a.czz"
    for before in (None, b"what was there"):
        if before is not None:
            path.write_bytes(before)
        with files_of_at_most(1000), pytest.raises(cz.OutputError, match=r"cannot write '.*a.czz': File too large"):
            posterior.save(path)
        assert [p.read_bytes() for p in tmp_path.iterdir()] == ([] if before is None else [before])
    posterior.save(path)
    assert alike(cz.load(path), posterior)
    with pytest.raises(cz.OutputError, match=r"cannot write .*: No such file or directory"):
        posterior.save(tmp_path / "missing" / "a.czz")
    with pytest.raises(cz.FileError, match="save needs the path of a file, not 3"):
        posterior.save(3)


def test_numpy_and_unzip_can_look_inside(saved: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.czz"
    path.write_bytes(saved)
    with np.load(path) as arrays:
        assert arrays[field_of_chain(saved, "hashes").removesuffix(".npy")].shape == (11, 2)
    with zipfile.ZipFile(path) as entries:
        assert entries.testzip() is None
        assert entries.namelist()[0] == "causal-zigzag.json"
