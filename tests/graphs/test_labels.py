"""Names of nodes that every file and page can hold."""

from collections.abc import Hashable

import pytest

import causal_zigzag as cz


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("x" * 1001, "1,001 characters"),
        (("x" * 1001, "y"), "1,010 characters"),  # as columns of two levels have in pandas
        (10**1001, "1,002 characters"),
        (10**5000, "too many digits"),
        ("\ud800", "surrogate"),
        ("a\udfff", "surrogate"),
    ],
    ids=["long", "long tuple", "long number", "number without text", "first half", "second half"],
)
def test_names_that_no_page_or_file_can_hold(name: Hashable, fault: str) -> None:
    with pytest.raises(cz.GraphError, match=fault):
        cz.CPDAG.empty(["a", name])
    with pytest.raises(cz.DataError, match=fault):
        cz.GaussianBIC({"a": [1.0, 2.0, 4.0], name: [1.0, 3.0, 2.0]})
