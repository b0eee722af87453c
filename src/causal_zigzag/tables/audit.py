"""Audit: what a table looks like before anything is sampled, and what `sample` will do about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from causal_zigzag.support.shown_text import plain
from causal_zigzag.support.wording import count, percentage
from causal_zigzag.tables.checks.checked_table import CheckedTable
from causal_zigzag.tables.checks.relations import curves, functions, near_duplicate_categories, near_duplicates
from causal_zigzag.tables.checks.row_order import groups, order, rows_that_count
from causal_zigzag.tables.checks.shape import few_rows, shape, sparse_levels
from causal_zigzag.tables.checks.stationarity import drifts
from causal_zigzag.tables.checks.survey import codes_of_missing, items
from causal_zigzag.tables.finding import Finding, FindingKind
from causal_zigzag.tables.missing_cells import incomplete_rows
from causal_zigzag.tables.names_in_words import as_code, as_flags, listed, read_options, sampling_call
from causal_zigzag.tables.proposed_reading import combined, works
from causal_zigzag.tables.read_table import Reading, read_table
from causal_zigzag.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKS = (
    few_rows, rows_that_count, groups, order, drifts, near_duplicates, near_duplicate_categories, functions, curves,
    shape, sparse_levels, codes_of_missing, items,
)  # fmt: skip
MOST_PATTERNS = 5
FEW_INCOMPLETE = 0.01  # share of rows with missing cells that cost more than they tell: a score of completed tables
MOST_COLUMNS_SHOWN = 60


@dataclass(frozen=True)
class Audit:
    """What was found in a table: its size, its columns, and findings, the worst first.

    ``notes`` are the findings that reading acted on, ``doubts`` those against the assumptions of the scores. ``kinds``
    has the name of each column, its kind, the reason for it and its share of missing cells; ``patterns`` the commonest
    sets of columns that are missing together, with the number of rows.

    >>> import numpy as np
    >>> import causal_zigzag as cz
    >>> a = np.random.default_rng(1).normal(size=200)
    >>> noise = np.random.default_rng(2).normal(size=200)
    >>> cz.audit({"a": a, "copy": a + 0.01 * noise}).doubts[0].words
    'a and copy are nearly the same column (correlation 0.9999).'
    """

    rows: int
    columns: int
    findings: tuple[Finding, ...] = ()
    complete_rows: int = 0
    kinds: tuple[tuple[str, str, str, float], ...] = ()
    patterns: tuple[tuple[tuple[str, ...], int], ...] = ()
    data: str = "data"
    reading: str = ""
    proposed: str | None = field(default=None, compare=False)  # the arguments of ``proposal`` as code, if it was tried

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What reading the table left out or changed.

        >>> import causal_zigzag as cz
        >>> cz.audit(cz.datasets.load("sachs")).notes
        ()
        """
        return tuple(finding for finding in self.findings if finding.prepared)

    @property
    def doubts(self) -> tuple[Finding, ...]:
        """What speaks against the assumptions of the scores, the worst first.

        >>> import causal_zigzag as cz
        >>> [doubt.kind for doubt in cz.audit(cz.datasets.load("farm")).doubts]
        []
        """
        return tuple(finding for finding in self.findings if not finding.prepared)

    @property
    def ok(self) -> bool:
        """Whether there are no doubts.

        >>> import causal_zigzag as cz
        >>> cz.audit(cz.datasets.load("sachs")).ok
        False
        """
        return not self.doubts

    @property
    def to_mend(self) -> tuple[Finding, ...]:
        """What a proposal can mend: the doubts, and missing cells in so few rows that these are better left out.

        >>> import causal_zigzag as cz
        >>> cz.audit(cz.datasets.load("farm")).to_mend
        ()
        """
        few = self.rows - self.complete_rows <= FEW_INCOMPLETE * self.rows
        return (*self.doubts, *(self.about("missing") if few else []))

    def about(self, *kinds: FindingKind) -> list[Finding]:
        """The findings of these kinds.

        >>> import causal_zigzag as cz
        >>> [finding.columns for finding in cz.audit(cz.datasets.load("galton")).about("kinds")]
        [('Gender',)]
        """
        return [finding for finding in self.findings if finding.kind in kinds]

    @property
    def proposal(self) -> dict[str, Any]:
        """The arguments of ``sample`` that the doubts propose, together with those that the table was read with.

        ``cz.audit`` has tried them on the table. What only the user can judge is not among them.

        >>> import numpy as np
        >>> import causal_zigzag as cz
        >>> a, b = np.random.default_rng(1).normal(size=(2, 200))
        >>> cz.audit({"a": np.exp(2 * a), "b": b}).proposal
        {'transform': {'a': 'log'}}
        """
        if self.proposed is None:
            return combined(read_options(self.reading), self.to_mend, lambda _: True)[0]
        return read_options(self.proposed)

    def command(self, data: str = "data.csv") -> str:
        """The command that samples the table with what the doubts propose.

        >>> import causal_zigzag as cz
        >>> cz.audit(cz.datasets.load("farm")).command("farm")
        'causal-zigzag sample farm'
        """
        return " ".join(["causal-zigzag sample", data, *as_flags(self.proposal)])

    def code(self, data: str = "data") -> str:
        """The call that samples the table with what the doubts propose.

        >>> import causal_zigzag as cz
        >>> cz.audit(cz.datasets.load("farm")).code()
        'cz.sample(data)'
        """
        return sampling_call(data, self.proposal)

    def __str__(self) -> str:
        return self.page(shell=False)

    def page(self, shell: bool, data: str = "data") -> str:
        """The audit as a page of text; for the shell, options are those of the command line."""
        complete = "all complete" if self.complete_rows == self.rows else f"{self.complete_rows:,} rows complete"
        sections = [f"{count(self.rows, 'row')}, {count(self.columns, 'column')}, {complete}."]
        sections += [_section("Columns", list(self._kind_lines()))]
        missing = [f"{count(rows, 'row')} without {listed(names)}" for names, rows in self.patterns]
        sections += [_section("Missing cells", missing)]
        for title, found in (("Prepared when it was read", self.notes), ("Doubts, the worst first", self.doubts)):
            sections.append(_section(title, [line for one in found for line in _finding_lines(one, shell)]))
        if not self.doubts:
            sections.append("Nothing was found against the assumptions of the scores.")
        more = self.proposal != read_options(self.reading)
        ending = "To sample it, with what is proposed above:" if more else "To sample it:"
        sections.append(f"{ending}\n  {self.command(data) if shell else self.code(data)}")
        return "\n\n".join(section for section in sections if section)

    def _kind_lines(self) -> Iterator[str]:
        width = max((len(name) for name, *_ in self.kinds), default=0)
        for name, kind, reason, missing in self.kinds[:MOST_COLUMNS_SHOWN]:
            gaps = f", {percentage(missing)} missing" if missing else ""
            yield f"{name.ljust(min(width, 40))}  {kind.ljust(11)}  {reason}{gaps}"
        if len(self.kinds) > MOST_COLUMNS_SHOWN:
            yield f"and {len(self.kinds) - MOST_COLUMNS_SHOWN:,} more"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(plain(self))}</pre>"


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([title, *(f"  {line}" for line in lines)]) if lines else ""


def _finding_lines(one: Finding, shell: bool) -> Iterator[str]:
    compared = f" [{one.statistic:.3g}; threshold {one.threshold:.3g}]" if one.statistic and one.threshold else ""
    yield f"- {one.words}{compared}"
    yield f"  {one.remedy}"
    option = one.flag if shell else one.option
    if option:
        yield f"  To decide otherwise: {option}"


def audit(data: Any, **reading: Unpack[Reading]) -> Audit:
    """Look at a table without sampling it: kinds of columns, missing cells, what is left out, and doubts.

    ``data`` is a table in any form that ``sample`` takes, and ``reading`` are the arguments of ``read_table``. The
    result prints as one page: every finding with its statistic and threshold, what ``sample`` does about it, and the
    option that decides otherwise, and at the end the call to paste.

    >>> import causal_zigzag as cz
    >>> print(cz.audit({"site": ["A"] * 60, "a": [i * i % 61 for i in range(60)], "b": [i**3 % 59 for i in range(60)]}))
    60 rows, 2 columns, all complete.
    <BLANKLINE>
    Columns
      a  continuous   31 different integers
      b  continuous   59 different integers
    <BLANKLINE>
    Prepared when it was read
      - Column site is constant: every cell is 'A', so it contains no information.
        It is left out.
    <BLANKLINE>
    Nothing was found against the assumptions of the scores.
    <BLANKLINE>
    To sample it:
      cz.sample(data)
    """
    table = read_table(data, **reading)
    found = _audit(table)
    given, old = table.source.given, read_options(table.source.reading)
    options, _ = combined(old, found.to_mend, lambda options: works(given, options))
    return replace(found, proposed=", ".join(as_code(options)))


def audit_table(data: Any) -> Audit | None:
    """The audit of a table; None for anything else, such as a score."""
    return _audit(data) if isinstance(data, Table) else None


def _audit(table: Table) -> Audit:
    checked = CheckedTable(table)
    doubts = [finding for check in CHECKS for finding in check(checked)]
    findings = sorted([*table.notes, *doubts], key=lambda finding: -finding.severity)
    masks = [column.missing for column in table.columns]
    texts = [checked.texts[column.name] for column in table.columns]
    kinds = [
        (text, column.kind, column.reason, float(mask.mean()))
        for text, column, mask in zip(texts, table.columns, masks, strict=True)
    ]
    return Audit(
        table.n_rows,
        len(table.columns),
        tuple(findings),
        table.n_rows - int(incomplete_rows(table.columns).sum()),
        tuple(kinds),
        tuple(_patterns(texts, np.array(masks))),
        table.source.data,
        table.source.reading,
    )


def _patterns(texts: list[str], masks: Any) -> Iterator[tuple[tuple[str, ...], int]]:
    """The commonest sets of columns that are missing together, with their numbers of rows."""
    incomplete = masks[:, masks.any(axis=0)]
    if not incomplete.size:
        return
    found, times = np.unique(incomplete, axis=1, return_counts=True)
    for i in np.argsort(-times, kind="stable")[:MOST_PATTERNS].tolist():
        yield tuple(text for text, gone in zip(texts, found[:, i], strict=True) if gone), int(times[i])
