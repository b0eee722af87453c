"""Names of columns that nothing else in a table usually causes: they raise a question, and decide between equals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

EARLY = {
    *("age", "sex", "gender", "male", "female", "race", "ethnicity", "ethnic", "birth", "born", "birthyear"),
    *("birthplace", "country", "nationality", "religion", "genotype", "gene", "snp", "allele", "parent", "parents"),
    *("father", "mother", "sibling", "siblings", "year", "month", "season"),
}


def may_be_early(column: Hashable) -> bool:
    """Whether a word in the name of a column is one of EARLY.

    >>> [may_be_early(name) for name in ("AgeAtDiagnosis", "family_income", "birth.year", "stage")]
    [True, False, True, False]
    """
    return bool({*words_of(column)} & EARLY)


def words_of(column: Hashable) -> list[str]:
    """The words in the name of a column, in lower case.

    >>> words_of("AgeAtDiagnosis"), words_of("side_effect2")
    (['age', 'at', 'diagnosis'], ['side', 'effect'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", str(column))]
