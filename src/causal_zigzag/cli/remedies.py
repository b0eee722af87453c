"""Advice in terms of command-line options, where the library names Python settings: on tables and on verdicts."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from causal_zigzag.errors import DataError, SettingsError, list_of_faults
from causal_zigzag.support.wording import one_line
from causal_zigzag.tables.names_in_words import quoted

if TYPE_CHECKING:
    from causal_zigzag.errors import Flaw
    from causal_zigzag.posterior.diagnostics.verdict import Advice, AdviceKind

REMEDIES: dict[Flaw, str] = {
    "missing": "leave out these rows with --missing drop, or a column with many missing cells with --drop",
    "infinite": "treat these cells as missing with --na inf --na=-inf, or leave out the column with --drop {name}",
    "constant": "leave out the column with --drop {name}",
    "empty": "leave out the column with --drop {name}",
    "unusable": "leave out the column with --drop {name}",
    "collinear": "leave out one of these columns, for example with --drop {name}",
    "identifier": "leave out the column with --drop {name}, or group its levels",
    "kind": "remove it from --kinds, or replace its levels by numbers in the file",
    "text": "correct the file, or use the cells as categories with --kinds {name}=categorical",
    "unit": "remove them from the file, or use the cells as categories with --kinds {name}=categorical",
    "ending": "if it is a text file, pass - in place of its name and append < {sign} to the command",
    "no number": "use --score mixed-bic, which supports categories, or leave out the column with --drop {name}",
    "fractions": "use --score gaussian-bic or --score mixed-bic, or bin the column into a few levels",
    "markers": "treat these as missing with --na TEXT, or use the cells as categories with --kinds {name}=categorical",
    "comma": "if the comma is decimal, use --decimal , and if it separates thousands, remove it from the file",
    "decimal comma": "use --decimal ,",
    "encoding": "read it with --encoding {sign}",
    "date": "leave out the column with --drop {name}, or replace its dates by numbers, such as days since the first",
    "order": "sort the rows, one for each time; if there are several series, name their column with --by",
    "delimiter": "if {sign} separates columns, use --delimiter {sign}",
}


OPTION = re.compile(r"\b([a-z_]+)=(?:'([^']*)'|\"([^\"]*)\"|(True)\b)")
PYTHON = re.compile(r"\b(?:cz|np|pandas|posterior|data|read_table)\b[.(]|\.\w+\(|\w\(\.\.\.")
"""What only makes sense in Python; a clause of a message with such code is left out."""


def remedied(error: Exception) -> str:
    """The message of an error, with the remedy of the command line if there is one; one line per fault of a table."""
    if isinstance(error, DataError) and len(error.faults) > 1:
        return list_of_faults([remedied(fault) for fault in error.faults])
    if isinstance(error, DataError) and error.flaw in REMEDIES:
        name, sign = shlex.quote(quoted(error.about)), shlex.quote(str(error.about))
        return one_line(f"{error.fault}; {REMEDIES[error.flaw].format(name=name, sign=sign)}")
    words = one_line(error)
    if isinstance(error, SettingsError):  # also about knowledge
        words = words.replace("unknown node ", "unknown column ").replace("the nodes are ", "the columns are ")
    words = OPTION.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2] or found[3] or ''}".rstrip(), words)
    first, *others = words.split("; ")
    return "; ".join([first, *(clause for clause in others if not PYTHON.search(clause))])


ADVICE: dict[AdviceKind, str] = {
    "jumps": "sample more jumps (--jumps)",
    "ges": "start at the result of a greedy search with --start ges",
    "scattered": "--start scattered is a stronger test",
    "by chain": "",  # there are no such options
    "weigh": "",
    "exact": "use the exact probabilities of `causal-zigzag exact`",
    "resample": "`causal-zigzag resample` shows it",
}


def option_advice(advice: Advice) -> str:
    """Advice of a verdict in terms of command-line options."""
    if advice.factor is not None:
        return f"{advice.amount} are needed (--jumps, or `causal-zigzag extend`)"
    return ADVICE[advice.kind]
