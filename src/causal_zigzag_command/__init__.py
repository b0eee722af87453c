"""Entry point of the command `causal-zigzag`, outside the package so that it handles a Ctrl-C during the import."""

import sys

INTERRUPTED = 130  # exit code of a program that Ctrl-C ended, as shells report it


def main() -> None:
    """Import the command and run it."""
    try:
        from causal_zigzag.cli import main as command
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted: nothing was saved\n")
        sys.exit(INTERRUPTED)
    command()
