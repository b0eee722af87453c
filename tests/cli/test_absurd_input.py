"""Input that nobody would type: every command answers with an error of one line, and none hangs."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

import causal_zigzag as cz
from causal_zigzag.cli import main
from causal_zigzag.graphs.formats.any_text import parse_graph
from causal_zigzag.sampler.parallel import dask_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.nosanitize

TABLE = "a,b,c\n" + "".join(f"{i * 7 % 31 / 10},{i * i % 37 / 10},{i * 11 % 29 / 10}\n" for i in range(40))


def failed(*arguments: str, stdin: str | bytes | None = None, code: int = 1) -> str:
    """The only line of the error of a command."""
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exit_code == code, (result.output, result.exception)
    assert isinstance(result.exception, SystemExit)
    return result.stderr.strip().splitlines()[-1]


def run(*arguments: str, stdin: Any = None, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **variables}
    given = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    command = [sys.executable, "-m", "causal_zigzag", *arguments]
    return subprocess.run(command, capture_output=True, env=environment, check=False, **given)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return str(path)


@pytest.mark.parametrize("command", [["count", "-"], ["ges", "-"], ["edges", "-"]])
def test_standard_input_is_closed(command: list[str]) -> None:
    script = "import sys; sys.stdin = None; from causal_zigzag.cli import main; main(sys.argv[1:])"
    closed = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, check=False)
    assert closed.returncode == 1
    assert closed.stderr == b"Error: standard input is closed, so - cannot be read; give the name of a file\n"


def test_a_graph_that_is_not_utf8() -> None:
    assert "a text file in UTF-8" in failed("count", "-", stdin=b"gr\xf6n -> b")


@contextlib.contextmanager
def silent_server() -> Iterator[str]:
    """A server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def hold() -> None:
            with contextlib.suppress(OSError):
                while True:
                    held.append(server.accept()[0])

        threading.Thread(target=hold, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        for connection in held:
            connection.close()


def test_a_scheduler_that_does_not_answer(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_cluster, "TIMEOUT", 0.3)
    with silent_server() as address:
        assert f"no scheduler of Dask answers at {address!r}" in failed("sample", table, "--scheduler", address)
    for address in ("tcp://127.0.0.1:1", "nonsense", "", "tcp://"):
        assert "no scheduler of Dask answers at" in failed("sample", table, "--scheduler", address)


NAMES = '{"nodes": ["größe", "中", "b"], "edges": [["größe", "b"], ["中", "b"]]}'


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_names_that_standard_output_cannot_encode(encoding: str) -> None:
    listed = run("operators", "-", stdin=NAMES.encode(), PYTHONIOENCODING=encoding)
    assert listed.returncode == 0, listed.stderr
    assert b"\\u4e2d, b, H" in listed.stdout or encoding != "latin-1"  # click writes UTF-8 where Python has ASCII
    value = run("count", "-", "--json", stdin=NAMES.encode(), PYTHONIOENCODING=encoding)
    assert value.returncode == 0, value.stderr
    nodes = json.loads(value.stdout.decode(encoding))["graph"]["nodes"]
    assert [node["id"] for node in nodes] == ["größe", "中", "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 1000 + "]" * 1000, ""),
        ("[" * 100_000, ""),
        ('{"nodes": [' + "[" * 1000 + "]" * 1000 + "]}", ""),
        ('{"nodes": [' + "[" * 30 + "]" * 30 + "]}", "a node in the JSON of a graph must be text, a number or a list"),
        ('{"nodes": 5}', 'needs "nodes", a list of names'),
        ('{"nodes": [1, 2], "edges": 5}', "must be a list, not 5"),
        ('{"nodes": [1, 2], "edges": [5]}', "a pair of nodes"),
        ('{"nodes": [1, 2], "links": 7}', "must be a list, not 7"),
        ('{"nodes": [1, NaN]}', "is nan"),
        ("[1, 2]", "the matrix must be square"),
    ],
)
def test_json_that_is_no_graph(text: str, words: str) -> None:
    line = failed("count", "-", stdin=text)
    assert line.startswith("Error: ")
    assert words in line
    assert len(line) < 300


@pytest.mark.parametrize("start", ["", "a -> b, ", "digraph { a"])
@pytest.mark.parametrize("part", ['"', " ", "\t", '"\t', ' "', '\\"', "//", "/*", "- "])
def test_long_lines_are_read_in_linear_time(start: str, part: str) -> None:
    """A quadratic scan of these 200,000 characters would take hours, beyond the time limit of a test."""
    with contextlib.suppress(cz.GraphError):
        parse_graph(start + part * (200_000 // len(part)) + " b")


def test_a_billion_nodes() -> None:
    assert failed("uniform", "1e9") == "Error: a graph can have at most 100,000 nodes, not 1,000,000,000"
    assert "at most 100,000 nodes" in failed("uniform", str(10**400))
    for make in (cz.CPDAG.empty, cz.CPDAG.complete, cz.Uniform):
        with pytest.raises(cz.GraphError, match="a graph can have at most 100,000 nodes, not 1,000,000,000"):
            make(10**9)
    many = ",".join(f"v{i}" for i in range(40_000))
    assert "at most 30,000 nodes, not 40,000" in failed("count", "-", stdin=many)
    with pytest.raises(cz.GraphError, match="a matrix can have at most 30,000 nodes, not 50,000"):
        cz.CPDAG.from_matrix(np.broadcast_to(np.uint8(0), (50_000, 50_000)))


def test_limits_beyond_64_bits() -> None:
    result = CliRunner().invoke(main, ["operators", "-", "--limit", str(2**70)], input="a - b")
    assert result.exit_code == 0, result.output
    assert len(result.stdout.splitlines()) == 2
