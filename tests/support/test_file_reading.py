"""Files and pipes are read whole, and large files of another kind are not."""

import os
from pathlib import Path

import pytest

from causal_zigzag.support.file_reading import BLOCK, read_file

pytestmark = pytest.mark.nosanitize


def test_a_pipe_from_a_shell() -> None:
    reader, writer = os.pipe()
    content = os.urandom(3 * 2**14)
    os.write(writer, content)
    os.close(writer)
    try:
        assert read_file(f"/dev/fd/{reader}", lambda first, last: False) == content
    finally:
        os.close(reader)


def test_a_pipe_that_nobody_writes_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_file(tmp_path / "pipe", lambda first, last: False) == b""


def test_a_device_without_an_end() -> None:
    with pytest.raises(OSError, match="it is a device"):
        read_file("/dev/zero", lambda first, last: False)


def test_folders_and_files(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_file(tmp_path, lambda first, last: True)
    (tmp_path / "a").write_bytes(b"all of it")
    assert read_file(tmp_path / "a", lambda first, last: True) == b"all of it"


def test_a_large_file_of_another_kind_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(10 * 2**30)  # without a block on the disk
    seen = []
    assert read_file(tmp_path / "a", lambda first, last: bool(seen.append((first, last)))) == bytes(BLOCK)
    assert seen == [(bytes(BLOCK), bytes(BLOCK))]
