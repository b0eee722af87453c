"""Draws the pictures of README.md with a headless chromium; run ``python docs/make_readme_images.py``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import causal_zigzag as cz
from causal_zigzag.cli.sample import DEMO, DEMO_JUMPS, DEMO_TABLE
from causal_zigzag.report.trace_strips import strip

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests"))

from browser import Browser  # noqa: E402 - a helper of the tests

STYLE = """:root { --ink: #1d2329; --soft: #59636e; --faint: #f1f3f3; --chain-0: #1f5fa8; --chain-1: #b75200; }
body { margin: 0; padding: 12px 16px; background: #fff; color: var(--ink); font: 13px system-ui, sans-serif; }
h3 { margin: 4px 0 6px 34px; font-size: 13px; } .strip { display: flex; gap: 6px; height: 108px; margin-bottom: 14px; }
svg { flex: 1; height: 100%; background: var(--faint); border-radius: 3px; } .soft { color: var(--soft); }
path { fill: none; stroke-width: 1.1; vector-effect: non-scaling-stroke; }
.bounds { width: 28px; display: flex; flex-direction: column; justify-content: space-between; text-align: right; }"""


def report(folder: Path) -> Path:
    """The report of the demo."""
    path = folder / "report.html"
    cz.sample(cz.datasets.load(DEMO_TABLE), jumps=DEMO_JUMPS, **DEMO).report(path)
    return path


def trace(folder: Path) -> Path:
    """Traces of a chain with momentum and one without, with the same number of jumps, on all classes of 60 nodes."""
    path = folder / "zigzag.html"
    chains = {
        "With momentum: the Causal Zig-Zag": 1.0,
        "Without: a reversible chain": 0.0,
    }
    shown = {
        title: cz.sample(
            cz.Uniform(60), momentum=momentum, jumps=4000, settings=cz.Settings(warmup=40_000), chains=1, rng=4
        ).trace()[0]
        for title, momentum in chains.items()
    }
    ends = min(t.edges.min() for t in shown.values()), max(t.edges.max() for t in shown.values())
    strips = "".join(
        f"<h3>{title}</h3>{strip(t.time / t.time[-1], t.edges, ends, title, i, points=2400)}"
        for i, (title, t) in enumerate(shown.items())
    )
    path.write_text(f"<!doctype html><style>{STYLE}</style>{strips}", encoding="utf-8")
    return path


def main() -> None:
    """Write both pictures."""
    browser = Browser()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for made, (width, height) in ((report(folder), (1400, 900)), (trace(folder), (960, 330))):
            picture = browser.page(made, width=width, height=height).screenshot()
            (IMAGES / f"{made.stem}.png").write_bytes(picture)
    browser.close()


if __name__ == "__main__":
    main()
