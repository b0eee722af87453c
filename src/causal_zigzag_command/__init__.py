"""Where the command `causal-zigzag` begins: outside the package, so that Ctrl-C is heard while that is imported."""

import sys

INTERRUPTED = 130  # what a shell reports for a program that Ctrl-C has ended


def main() -> None:
    """Import the command and run it."""
    try:
        from causal_zigzag.cli import main as command
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted: nothing was saved\n")
        sys.exit(INTERRUPTED)
    command()
