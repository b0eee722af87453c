"""The folder of workers: nothing in it runs or is followed that the main process has not written."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from causal_zigzag.sampler.chain_task import Meter
from causal_zigzag.sampler.parallel import shared_folder
from causal_zigzag.sampler.parallel.private_folder import PrivateFolder
from causal_zigzag.sampler.parallel.shared_folder import (
    INPUT,
    RUNNING,
    FolderNotVisibleError,
    SharedFolder,
    WorkerMeter,
)


class Bomb:
    """Its pickle creates a file when it is read."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (self.path,)


def replaced(folder: SharedFolder, content: bytes) -> None:
    """What another user with access to the checkpoint can do: a folder of the same name with other files."""
    Path(folder.path).rename(folder.path + "-moved")
    Path(folder.path).mkdir(mode=0o700)
    Path(folder.path, INPUT).write_bytes(content)


def test_a_pickle_of_somebody_else_does_not_run(tmp_path: Path) -> None:
    sign = tmp_path / "it ran"
    for attempt in (lambda bomb, _: bomb, lambda bomb, old: old[:32] + bomb, lambda bomb, _: b"\0" * 32 + bomb):
        folder = SharedFolder(str(tmp_path))
        stored = folder.store("the input")  # type: ignore[arg-type] # any value
        assert stored.load() == "the input"
        old = Path(folder.path, INPUT).read_bytes()
        replaced(folder, attempt(pickle.dumps(Bomb(str(sign))), old))
        shared_folder._load.cache_clear()  # as in another process
        with pytest.raises(FolderNotVisibleError):
            stored.load()
        folder.remove()
    assert not sign.exists()


def test_the_key_is_not_in_the_folder(tmp_path: Path) -> None:
    folder = SharedFolder(str(tmp_path))
    stored = folder.store("the input")  # type: ignore[arg-type]
    assert all(stored.key not in path.read_bytes() for path in Path(folder.path).iterdir())
    assert repr(stored.key) not in repr(stored)
    folder.remove()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o707])
def test_a_folder_that_others_may_use_is_not_used(mode: int, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(mode)
    with pytest.raises(PermissionError, match="not a private folder"):
        PrivateFolder(str(tmp_path / "open"))


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(OSError, match="link"):
        PrivateFolder(str(tmp_path / "link"))
    with PrivateFolder(str(tmp_path / "real")) as private:
        (tmp_path / "real" / "0").symlink_to(tmp_path / "precious")
        with pytest.raises(OSError, match="0"):
            private.write("0", b"other")
    assert (tmp_path / "precious").read_text() == "precious"


def test_progress_goes_to_the_folder_that_was_opened(tmp_path: Path) -> None:
    folder, meter = SharedFolder(str(tmp_path)), Meter()
    worker = WorkerMeter(folder=folder.path, number=0)
    replaced(folder, b"")
    worker.show(5, 1, 0.5)
    assert sorted(path.name for path in Path(folder.path).iterdir()) == [INPUT]
    assert folder.read(0, meter)
    assert meter.jumps == 5
    assert not worker.is_set()
    folder.stop()
    assert worker.is_set()
    assert not Path(folder.path + "-moved", RUNNING).exists()
    worker.close()
    folder.remove()


def test_a_file_system_without_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(path: str) -> PrivateFolder:
        if Path(path).is_relative_to(tmp_path):
            raise PermissionError(path)
        return PrivateFolder(path)

    monkeypatch.setattr(shared_folder, "PrivateFolder", refusing)
    folder = SharedFolder(str(tmp_path))
    assert not Path(folder.path).is_relative_to(tmp_path)
    assert not [*tmp_path.iterdir()]
    folder.remove()
