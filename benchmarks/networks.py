"""Tables drawn from the discrete networks of the bnlearn repository, in its format BIF."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def draw_network(path: Path, rows: int, seed: int) -> tuple[pd.DataFrame, NDArray[np.uint8]]:
    """Rows from the network in a .bif or .bif.gz file, with the numbers of levels as texts, and its DAG as a matrix."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    variables = re.findall(r"variable (\S+) \{\s*type discrete \[ \d+ \] \{ (.*?) \};", text, re.DOTALL)
    levels = {name: [level.strip() for level in some.split(",")] for name, some in variables}
    tables: dict[str, tuple[list[str], dict[tuple[int, ...], list[float]]]] = {}
    for head, body in re.findall(r"probability \((.*?)\) \{(.*?)\}", text, re.DOTALL):
        child, _, given = (part.strip() for part in head.partition("|"))
        parents = [one.strip() for one in given.split(",")] if given else []
        if parents:
            entries = re.findall(r"\(([^)]*)\) ([^;]*);", body)
        else:
            entries = [("", re.findall(r"table ([^;]*);", body)[0])]
        tables[child] = parents, {
            tuple(levels[p].index(x.strip()) for p, x in zip(parents, key.split(","), strict=False)):
                [float(x) for x in values.split(",")]
            for key, values in entries
        }  # fmt: skip
    rng, drawn = np.random.default_rng(seed), {}
    while len(drawn) < len(levels):
        for child, (parents, table) in tables.items():
            if child in drawn or not all(p in drawn for p in parents):
                continue
            chances = np.array([table[tuple(drawn[p][row] for p in parents)] for row in range(rows)])
            above = rng.random(rows)[:, None] > np.cumsum(chances, axis=1)[:, :-1]
            drawn[child] = above.sum(axis=1)
    names = list(levels)
    dag = np.array([[x in tables[y][0] for y in names] for x in names], dtype=np.uint8)
    return pd.DataFrame({name: drawn[name] for name in names}).astype(str), dag
