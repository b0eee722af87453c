"""Reading: the arguments of ``read_table`` that functions of data have too."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypedDict

from causal_zigzag.tables.column_kinds import Kind
from causal_zigzag.tables.missing_cells import Missing
from causal_zigzag.tables.transforms import Transform


class Reading(TypedDict, total=False):
    """How to read a table; see ``read_table``."""

    kinds: Kind | Mapping[Any, Kind] | None
    keep: Hashable | Iterable[Hashable]
    drop: Hashable | Iterable[Hashable]
    missing: Missing
    strict: bool
    weights: Hashable | None
    transform: Transform | Mapping[Any, Transform] | None
