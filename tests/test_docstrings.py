"""Every example in a docstring of the installed package prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import causal_zigzag

pytestmark = pytest.mark.nosanitize

MODULES = ["causal_zigzag", *(found.name for found in pkgutil.walk_packages(causal_zigzag.__path__, "causal_zigzag."))]


def test_the_modules_are_found() -> None:
    assert {"causal_zigzag.sampling", "causal_zigzag.graphs.cpdag", "causal_zigzag.cli"} <= {*MODULES}
    assert doctest.DocTestFinder().find(causal_zigzag.sample)[0].examples


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except causal_zigzag.MissingDependencyError as error:
        pytest.skip(str(error))
    outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0
