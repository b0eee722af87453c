"""Shared by the scripts that reproduce the paper: tables on the screen and as CSV, pictures, the option --quick."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

RESULTS = Path(__file__).parents[1] / "results"
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]  # Okabe & Ito: safe for the colour-blind
_quick = False


def quick(description: str | None) -> bool:
    """Whether the option --quick was given: a small version whose results are not stored."""
    return bool(arguments(argparse.ArgumentParser(description=(description or "").splitlines()[0])).quick)


def arguments(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse the arguments of a script that has other options than --quick."""
    global _quick  # noqa: PLW0603  a script is run once
    parser.add_argument("--quick", action="store_true", help="a small version that keeps no results")
    parsed = parser.parse_args()
    _quick = bool(parsed.quick)
    return parsed


def table(name: str, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a table and store it as results/NAME.csv."""
    frame = pd.DataFrame(rows)
    print(f"\n{title}")
    print(frame.to_string(index=False, float_format=lambda x: f"{x:.4g}"), flush=True)
    if not _quick:
        RESULTS.mkdir(exist_ok=True)
        frame.to_csv(RESULTS / f"{name}.csv", index=False, float_format="%.6g")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of the given size in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, name: str) -> None:
    """Store a picture as results/NAME.png."""
    if not _quick:
        RESULTS.mkdir(exist_ok=True)
        figure.savefig(RESULTS / f"{name}.png", dpi=150, metadata={"Software": None})
