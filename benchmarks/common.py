"""Shared by the benchmarks: the machine they ran on, random data, single chains."""

from __future__ import annotations

import platform
from datetime import date
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import causal_zigzag as cz
from causal_zigzag._core import Chain
from causal_zigzag.sampler.core_chain import make_chain
from causal_zigzag.sampler.settings import RunSettings
from causal_zigzag.target.target import Target


def machine() -> str:
    """One line: the processor, the interpreter and the date."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        processor = f"{names[0]}, {len(names)} cores" if names else processor
    system = f"{platform.system()} {platform.machine()}"
    return f"{processor}; {system}; Python {platform.python_version()}, numpy {np.__version__}; {date.today()}"  # noqa: DTZ011


def chain(
    score: cz.Score,
    seed: int = 1,
    momentum: float = 1.0,
    balance: str = "sqrt",
    edge_prior: Any = "auto",
    max_degree: int | None = None,
    knowledge: cz.Knowledge | None = None,
) -> Chain:
    """A chain at the graph without edges, with the default memory limits of sample()."""
    target = Target.read(score, edge_prior=edge_prior, max_degree=max_degree, knowledge=knowledge)
    settings = RunSettings(momentum=momentum, balance=balance)
    words = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    return make_chain(target, settings, target.read_start(None), words)


def seconds_per_jump(running: Chain, jumps: int) -> float:
    """CPU time per jump over the next jumps; stops early if they take long."""
    begun = process_time()
    made = running.run(jumps, 20.0)
    return (process_time() - begun) / max(1, made)


def exponent(sizes: list[int], times: list[float]) -> float:
    """The exponent b of the fit time ~ size**b."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
