"""Files that anybody may have put there: pipes are never waited for, devices and what is too large are refused."""

import os
from pathlib import Path

import pytest

from causal_zigzag.support import file_reading
from causal_zigzag.support.file_reading import BLOCK, open_regular, read_input, read_regular

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes"),
    pytest.mark.nosanitize,
]


def test_a_pipe_without_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f")
    with pytest.raises(OSError, match="a pipe that no process writes to"):
        read_input(tmp_path / "f")
    for read in (read_regular, open_regular):
        with pytest.raises(OSError, match="a pipe or a device, not a file"):
            read(tmp_path / "f")


def test_a_pipe_from_a_shell() -> None:
    reader, writer = os.pipe()
    content = os.urandom(3 * 2**14)
    os.write(writer, content)
    os.close(writer)
    try:
        assert read_input(f"/dev/fd/{reader}") == content
    finally:
        os.close(reader)


def test_a_pipe_with_more_than_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, bytes(1000))
    try:
        with pytest.raises(OSError, match="it has more than"):
            read_input(f"/dev/fd/{reader}", most=999)
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_devices(path: str) -> None:
    for read in (read_regular, read_input):
        with pytest.raises(OSError, match="a pipe or a device, not a file"):
            read(path)


def test_folders_and_files(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path)
    (tmp_path / "a").write_bytes(b"all of it")
    assert read_regular(tmp_path / "a") == read_input(tmp_path / "a") == b"all of it"


def test_a_large_file_of_another_kind_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(10 * 2**30)  # without a block on the disk
    seen = []
    assert read_regular(tmp_path / "a", lambda first, last: bool(seen.append((first, last)))) == bytes(BLOCK)
    assert seen == [(bytes(BLOCK), bytes(BLOCK))]


def test_a_file_beyond_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(bytes(1001))
    with pytest.raises(OSError, match="are read here"):
        read_input(tmp_path / "a", most=1000)
    monkeypatch.setattr(file_reading, "available_memory", lambda: 2000)
    with pytest.raises(OSError, match="are read here"):
        read_regular(tmp_path / "a")
