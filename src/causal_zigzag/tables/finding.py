"""Finding: one thing that is unusual about a table, what is done about it, and the option that decides otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from causal_zigzag.tables.names_in_words import as_flags, read_options, sampling_call

Preparation = Literal[
    "constant", "empty", "identifier", "text", "date", "unusable", "dependent", "markers", "numbers as text", "kinds",
    "missing", "weights", "transform", "lags", "trend",
]  # fmt: skip
"""Findings that reading a table acts on."""

Doubt = Literal[
    "skew", "zeros", "outliers", "spikes", "duplicates", "collinear", "function", "curve", "few rows", "order",
    "groups", "counts", "sparse levels", "design", "drift", "codes", "scale",
]  # fmt: skip
"""Findings that speak against an assumption of the scores."""

FindingKind = Preparation | Doubt

READ, CHANGED, DOUBTFUL, SERIOUS = range(4)
"""Severity: how columns are read; what was left out or changed; a doubt; a doubt that may make edges wrong."""


@dataclass(frozen=True)
class Finding:
    """What was found in some columns of a table, what is done about it, and how to decide otherwise.

    ``words`` say what was found and ``remedy`` what reading or sampling does about it. ``statistic`` was compared with
    ``threshold``. ``option`` is the keyword of ``sample`` and ``read_table`` that decides otherwise, ``flag`` the same
    on the command line; both are empty if there is none. ``severity`` is 0 to 3, the worst 3.

    >>> import causal_zigzag as cz
    >>> finding = Finding("constant", ("site",), "site is constant: every cell is 'A'.", "It is left out.")
    >>> print(finding)
    site is constant: every cell is 'A'. It is left out.
    """

    kind: FindingKind
    columns: tuple[str, ...]
    words: str
    remedy: str
    statistic: float | None = None
    threshold: float | None = None
    option: str = ""
    severity: int = DOUBTFUL

    @property
    def prepared(self) -> bool:
        """Whether reading the table acted on this; otherwise it is a doubt about an assumption.

        >>> Finding("skew", ("a",), "a is skewed.", "It is used as it is.").prepared
        False
        """
        return self.kind in get_args(Preparation)

    @property
    def code(self) -> str:
        """The call of ``sample`` that decides otherwise; empty if there is none.

        >>> Finding("skew", ("a",), "a is skewed.", "It is used as it is.", option="transform={'a': 'log'}").code
        "cz.sample(data, transform={'a': 'log'})"
        """
        return sampling_call("data", read_options(self.option)) if self.option else ""

    @property
    def flag(self) -> str:
        """The option of the command line that decides otherwise; empty if there is none.

        >>> Finding("identifier", ("id",), "id differs in every row.", "It is left out.", option="keep=['id']").flag
        '--keep id'
        """
        return " ".join(as_flags(read_options(self.option)))

    def __str__(self) -> str:
        return f"{self.words} {self.remedy}"
