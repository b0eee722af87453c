"""Draws the pictures of the page "The first hour"; run ``python docs/make_images.py`` after a change to the plots."""

from pathlib import Path

import causal_zigzag as cz

IMAGES = Path(__file__).parent / "images"

posterior = cz.sample(cz.datasets.load("alzheimer"), jumps=50_000, resamples=32, rng=1)
posterior.plot.consensus().figure.savefig(IMAGES / "consensus.png", dpi=110)
posterior.plot.trace()[0].figure.savefig(IMAGES / "trace.png", dpi=110)
