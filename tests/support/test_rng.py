"""Seeds under the names of other packages: an error that names rng=, without a change of signatures."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import causal_zigzag as cz


@pytest.mark.parametrize("name", ["seed", "random_state", "random_seed"])
@pytest.mark.parametrize("function", [cz.sample, cz.search, cz.Posterior.extend])
def test_functions_with_random_numbers_name_rng(function: Any, name: str) -> None:
    with pytest.raises(cz.SettingsError, match=f"{name}.*rng=7"):
        function(cz.Uniform(3), **{name: 7})


def test_the_signatures_are_unchanged() -> None:
    parameters = inspect.signature(cz.sample).parameters
    assert list(parameters)[:2] == ["data_or_score", "score"]
    assert parameters["rng"].default is None
    assert list(parameters)[-1] == "reading"
    assert (cz.sample.__name__, cz.sample.__module__) == ("sample", "causal_zigzag.sampling")
    with pytest.raises(cz.SettingsError, match="sample has no argument sede"):
        cz.sample(cz.Uniform(3), sede=1)  # type: ignore[call-arg]
