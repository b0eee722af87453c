"""Advice in terms of command-line options, where the library names Python settings: on tables and on verdicts."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from causal_zigzag.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from causal_zigzag.errors import Flaw
    from causal_zigzag.posterior.diagnostics.verdict import Advice, AdviceKind

REMEDIES: dict[Flaw, str] = {
    "missing": "leave such rows out with --drop-missing, or a column that has many with --drop",
    "infinite": "leave such rows out with --missing inf --missing=-inf --drop-missing, or the column "
    "with --drop {name}",
    "no use": "leave the column out with --drop {name}",
    "collinear": "leave one of them out, as with --drop {name}: no score can tell them apart",
    "identifier": "leave it out with --drop {name}, or group its levels",
    "kind": "leave its kind out of --kinds, or number its levels in the file",
    "text": "correct the file, or take all cells for categories with --kinds {name}=categorical",
    "unit": "remove these in the file, or take all cells for categories with --kinds {name}=categorical",
    "ending": "if it is text, pipe it in, with - for its name and < {sign} behind the command",
    "no number": "use --score mixed-bic, which takes categories as they are, or leave it out with --drop {name}",
    "fractions": "use --score gaussian-bic or --score mixed-bic, or cut it into a few levels",
    "marks": "take these for missing with --missing TEXT and --drop-missing, or all cells for categories with "
    "--kinds {name}=categorical",
    "comma": "if decimal, read it with --decimal , and if not, remove it in the file",
    "decimal comma": "read it with --decimal ,",
    "delimiter": "if {sign} separates columns, read it with --delimiter {sign}",
}


def remedied(error: Exception) -> str:
    """The message of an error, with the remedy of the command line where there is one."""
    if not isinstance(error, DataError) or error.flaw not in REMEDIES:
        return str(error)
    name, sign = column_argument(error.about), shlex.quote(str(error.about))
    return f"{error.fault}; {REMEDIES[error.flaw].format(name=name, sign=sign)}"


ADVICE: dict[AdviceKind, str] = {
    "jumps": "sample more jumps (--jumps)",
    "ges": "start at the result of a greedy search with --start ges",
    "scattered": "--start scattered is a stronger test",
    "tempering": "use tempering (--tempering)",
    "temperatures": "use more temperatures (--tempering)",
    "by chain": "",  # there is no such option
}


def option_advice(advice: Advice) -> str:
    """Advice of a verdict in terms of command-line options."""
    if advice.factor is not None:
        return f"sample {advice.factor:,} times as many jumps (--jumps)"
    return ADVICE[advice.kind]


def column_argument(name: Hashable) -> str:
    """The name of a column as it is typed after an option that takes several with commas between."""
    text = str(name)
    if "," in text or '"' in text:
        text = '"' + text.replace('"', '""') + '"'
    return shlex.quote(text)
