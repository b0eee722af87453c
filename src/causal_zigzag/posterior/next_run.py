"""The next run: its call of ``sample`` and its command, with the table and knowledge of a run, and whether it works."""

from __future__ import annotations

import os
import shlex
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_zigzag.errors import CausalZigzagError
from causal_zigzag.scores.choose import as_score
from causal_zigzag.tables.names_in_words import (
    as_code,
    as_flags,
    quoted,
    read_options,
    reading_call,
    sampling_call,
    with_options,
)
from causal_zigzag.tables.proposed_reading import is_too_short, read_again
from causal_zigzag.target.knowledge import Knowledge
from causal_zigzag.target.target import Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from causal_zigzag.posterior.posterior import Posterior


@dataclass(frozen=True)
class NextRun:
    """How a run can be repeated with other options: ``data`` in Python, and its ``path`` or name for the shell.

    ``options`` are those with which the table was read, with the score if the user chose it, and ``known`` is what was
    told apart from these options; ``bounds`` are an edge prior and a largest degree other than the defaults. ``given``
    is the table itself, on which lines are tried; None if it is not at hand.
    """

    data: str
    path: str
    options: dict[str, Any]
    known: Knowledge
    bounds: dict[str, Any]
    given: Any = field(default=None, repr=False)

    @classmethod
    def after(cls, posterior: Posterior) -> NextRun:
        """The run of a posterior itself."""
        record, score, target = posterior.record, posterior.score, posterior.target
        prior = target.edge_prior
        bounds: dict[str, Any] = {} if target.max_degree is None else {"max_degree": target.max_degree}
        if not (prior.is_default or score.is_flat):
            bounds |= {"edge_prior": [*prior.table] if prior.table else prior.cost or None}
        if record is None or record.origin == "score":
            return cls("score", "", {}, posterior.target.knowledge or Knowledge(), bounds)
        named = {"file": (repr(record.data), record.data), "name": (f"cz.datasets.load({record.data!r})", record.data)}
        data, path = named.get(record.origin or "", ("data", ""))
        options = read_options(record.reading)
        if score.score_name and not score.reason:
            options = with_options({"score": score.requested_name()}, options)
        known = posterior.target.knowledge or Knowledge()
        told, targets = {*score.contexts}, {*dict(score.targets)}  # by options of reading
        known = replace(
            known,
            conditions=tuple(v for v in known.conditions if v not in told),
            required=tuple(arrow for arrow in known.required if arrow[0] not in targets),
            forbidden=tuple(arrow for arrow in known.forbidden if arrow[0] not in targets),
        )
        table = score.source_table
        given = table.source.given if table is not None else record.data if record.origin == "file" else None
        if isinstance(given, (str, os.PathLike)) and not Path(given).is_file():
            given = None
        return cls(data, path, options, known, bounds, given)

    def rows(self, options: Mapping[str, Any]) -> int | None:
        """The number of rows that the table has with these options, which work; None if it is not at hand."""
        return None if self.given is None else read_again(self.given, options).n_rows

    def works(self, options: Mapping[str, Any], tiers: Sequence[Any] = (), scores: Sequence[str] = ()) -> bool:
        """Whether the table can be read with these options, and its scores made; nothing is sampled.

        Series that are new must be long enough. True also if the table is not at hand.
        """
        if self.given is None:
            return True
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = read_again(self.given, options)
                if "lags" not in self.options and is_too_short(table):
                    return False
                for name in scores or (options.get("score", "auto"),):
                    Target.read(as_score(table, name), knowledge=self._with(tiers) or None)
        except (CausalZigzagError, OSError):
            return False
        return True

    def lines(self, options: Mapping[str, Any], tiers: Sequence[Any] = ()) -> tuple[str, str]:
        """The call of ``sample`` and the command; no command if there is no file, or what is known has no options."""
        known = self._with(tiers)
        arguments = [*as_code(self.bounds), *([f"knowledge={known.code()}"] if known else [])]
        flags = known_flags(known)
        if flags is not None and not isinstance(self.bounds.get("edge_prior"), list):
            flags = [f"--{word.replace('_', '-')} {str(value).lower()}" for word, value in self.bounds.items()] + flags
        else:
            flags = None
        words = ["causal-zigzag sample", shlex.quote(self.path), *as_flags(options), *(flags or ())]
        command = " ".join(words) if self.path and flags is not None else ""
        return f"posterior = {sampling_call(self.data, options, *arguments)}", command

    def table(self, reading: Mapping[str, Any]) -> str:
        """The call that reads the table with these options."""
        return reading_call(self.data, reading)

    def reading(self) -> dict[str, Any]:
        """The options of reading the table."""
        return {word: value for word, value in self.options.items() if word != "score"}

    def _with(self, tiers: Sequence[Any]) -> Knowledge:
        return replace(self.known, tiers=tuple(tiers) or self.known.tiers)


def known_flags(known: Knowledge) -> list[str] | None:
    """Knowledge as options of the command line; None if there are none for it."""
    if (
        known.no_edges_within
        or known.neighboring_tiers_only
        or replace(known, tiers=(), required=(), forbidden=(), apart=())
    ):
        return None
    tiers = [tier if isinstance(tier, str) else ",".join(map(quoted, tier)) for tier in known.tiers]
    arrows = [("require", arrow) for arrow in known.required] + [("forbid", arrow) for arrow in known.forbidden]
    return [
        *([f"--tiers {shlex.quote(';'.join(tiers))}"] if tiers else []),
        *(f"--{word} {shlex.quote(f'{x}->{y}')}" for word, (x, y) in arrows),
        *(f"--forbid {shlex.quote(','.join(map(quoted, pair)))}" for pair in known.apart),
    ]
