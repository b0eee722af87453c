"""Virtual environments for the other packages, with pinned versions; created once and reused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


class PeerError(RuntimeError):
    """A package cannot be installed or does not run; the message gives the reason."""


def environment(folder: Path, requirements: list[str]) -> Path:
    """The interpreter of the environment in ``folder``; creates it unless it has exactly these requirements."""
    python = folder / "bin" / "python"
    wanted = "\n".join(requirements)
    stamp = folder / "requirements.txt"  # written last, so that an incomplete environment is created again
    if not (python.exists() and stamp.exists() and stamp.read_text() == wanted):
        folder.parent.mkdir(parents=True, exist_ok=True)
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([str(python), "-m", "pip", "install", "--quiet", *requirements])
        stamp.write_text(wanted)
    return python


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerError(f"{' '.join(command[1:])}: {last_line(done.stderr or done.stdout)}")


def last_line(text: str) -> str:
    """The last non-empty line; for a traceback this is the error."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("[notice]")]
    return lines[-1] if lines else "no message"
