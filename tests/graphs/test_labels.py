"""Names of nodes that every file and page can hold."""

import pytest

import causal_zigzag as cz


@pytest.mark.parametrize(("name", "fault"), [("x" * 1001, "1,001 characters"), ("\ud800", "surrogate")])
def test_names_that_no_page_or_file_can_hold(name: str, fault: str) -> None:
    with pytest.raises(cz.GraphError, match=fault):
        cz.CPDAG.empty(["a", name])
    with pytest.raises(cz.DataError, match=fault):
        cz.GaussianBIC({"a": [1.0, 2.0, 4.0], name: [1.0, 3.0, 2.0]})
