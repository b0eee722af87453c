"""Systems without what only Linux or POSIX has: runs, checkpoints, workers and files work there as well."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from milestones import environment

pytestmark = [
    pytest.mark.nosanitize,
    pytest.mark.skipif(sys.platform == "win32", reason="it is such a system"),
]

# The script is the main module of its spawned workers, so that they lack the same functions.
POORER = """
import errno, os, sys

ABSENT = ("sysconf", "geteuid", "getuid", "sched_getaffinity", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
for name in ABSENT:
    if hasattr(os, name):
        delattr(os, name)
os.supports_dir_fd.clear()
sys.modules["resource"] = None  # an import fails
plain_open = os.open

def open_without_folders(path, *args, **options):
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)
    return plain_open(path, *args, **options)

os.open = open_without_folders  # as on Windows, where a folder cannot be opened

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import causal_zigzag as cz
from causal_zigzag.sampler.memory import available_memory
from causal_zigzag.sampler.parallel import private_folder

def main():
    os.chdir(sys.argv[1])
    assert not private_folder.HAS_DESCRIPTORS
    data = cz.datasets.load("galton")
    settings = dict(jumps=300, chains=2, rng=1, progress=False)
    alone = cz.sample(data, **settings)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        together = cz.sample(data, executor=pool, checkpoint="run", **settings)
    assert together.top(3) == alone.top(3)
    assert not [name for name in os.listdir("run") if name.startswith(".")], os.listdir("run")
    assert cz.sample(data, checkpoint="run", **settings).top(3) == alone.top(3)
    alone.save("a.czz")
    alone.save("a.czz")  # over an existing file
    assert cz.load("a.czz").top(3) == alone.top(3)
    assert sorted(os.listdir()) == ["a.czz", "run"]
    print("memory", available_memory())

if __name__ == "__main__":
    main()
"""


def test_a_system_with_less(tmp_path: Path) -> None:
    script = tmp_path / "poorer.py"
    script.write_text(POORER)
    (tmp_path / "here").mkdir()
    command = [sys.executable, "-W", "error", str(script), str(tmp_path / "here")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment())
    assert result.returncode == 0, result.stderr
    limit = Path("/sys/fs/cgroup/memory.max")  # the only limit that is left
    known = os.access(limit, os.R_OK) and limit.read_text().strip() != "max"
    assert result.stdout == f"memory {limit.read_text().strip() if known else None}\n"
