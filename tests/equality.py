"""Comparison of two posteriors in every number, bit by bit."""

import dataclasses

import numpy as np

import causal_zigzag as cz


def plain(value: object) -> object:
    """A value whose == compares all arrays bit by bit."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value


def differing(a: cz.Posterior, b: cz.Posterior) -> list[str]:
    """The fields of the results that differ; an empty list if the posteriors are equal."""
    if len(a._results) != len(b._results):
        return [f"{len(a._results)} chains and {len(b._results)}"]
    return [
        f"chain {x.statistics.chain}: {field.name}"
        for x, y in zip(a._results, b._results, strict=True)
        for field in dataclasses.fields(x)
        if plain(getattr(x, field.name)) != plain(getattr(y, field.name))
    ]
