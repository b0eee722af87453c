"""Files of an earlier version give the answers that they gave when they were written; see tests/data/README.md."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import causal_zigzag as cz
from causal_zigzag.sampler.checkpoint import chain_files, previous_format

DATA = Path(__file__).parent / "data" / "previous-version"
ANSWERS = json.loads((DATA / "answers.json").read_text(encoding="utf-8"))


def answers(posterior: cz.Posterior) -> Any:
    """Some answers, as JSON holds them: floats keep all their digits."""
    edges = posterior.edge_probabilities()
    values = {
        "nodes": posterior.nodes,
        "directed": edges.directed.tolist(),
        "undirected": edges.undirected.tolist(),
        "top": [(g.directed_edges, g.undirected_edges, p, score) for g, p, score in posterior.top(3)],
        "jumps": [s.jumps for s in posterior.statistics],
        "warmup": [s.warmup for s in posterior.statistics],
    }
    return json.loads(json.dumps(values))


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A copy of the checkpoint, whose first chain is finished and whose second chain is not."""
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    for path in (DATA / "checkpoint").iterdir():
        shutil.copyfile(path, folder / path.name)  # without its mode: the tree may be read-only
    return folder


def test_a_posterior_loads() -> None:
    posterior = cz.load(DATA / "posterior.czz")
    assert answers(posterior) == ANSWERS["posterior"]
    settings = posterior.settings
    assert (settings.balance, settings.momentum, settings.jumps, settings.warmup) == ("barker", 0.9, 300, None)
    assert posterior.target.forbidden == ((0, 3),)


def test_a_saved_copy_of_it_is_the_same(tmp_path: Path) -> None:
    cz.load(DATA / "posterior.czz").save(tmp_path / "new.czz")
    assert answers(cz.load(tmp_path / "new.czz")) == ANSWERS["posterior"]


def test_a_checkpoint_is_continued(checkpoint: Path) -> None:
    assert answers(cz.resume(checkpoint)) == ANSWERS["checkpoint"]
    newest = max(checkpoint.glob("chain-00001-*.state"))
    assert not previous_format.is_chain_file(newest)  # the continued chain is written in the present format
    assert answers(cz.resume(checkpoint)) == ANSWERS["checkpoint"]


def test_its_duration_is_read(checkpoint: Path) -> None:
    before = chain_files.newest_elapsed(checkpoint)
    assert before > 0
    assert cz.resume(checkpoint).record.seconds > before


def test_a_damaged_chain_file_is_noticed(checkpoint: Path) -> None:
    path = next(checkpoint.glob("chain-00001-*.state"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.warns(cz.SamplingWarning, match=r"chain 1: .*damaged or was cut short"):
        assert answers(cz.resume(checkpoint)) == ANSWERS["checkpoint"]


def test_a_malformed_chain_file_is_refused(checkpoint: Path) -> None:
    path = next(checkpoint.glob("chain-00001-*.state"))
    content = path.read_bytes()[: -previous_format.DIGEST].replace(b'"warmup"', b'"warm-up"')
    path.write_bytes(content + previous_format.hashlib.sha256(content).digest())
    with pytest.raises(cz.CheckpointError, match="was written by another version of causal-zigzag"):
        cz.resume(checkpoint)


def test_the_parts_of_a_tempered_chain() -> None:
    state = b'{"ladder": [0.5, 1.0], "lengths": [2, 3, 1]}\nabcdef'
    assert previous_format._parts(state) == ([b"ab", b"cde", b"f"], (0.5, 1.0))
    assert previous_format._parts(b"CZZ...") == ([b"CZZ..."], ())
