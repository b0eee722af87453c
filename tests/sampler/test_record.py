"""RunRecord: the data in words, a seed that repeats the run, and the version."""

from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import causal_zigzag as cz
from causal_zigzag.tables.source import source_of


def test_a_run_without_a_seed_can_be_repeated() -> None:
    first = cz.sample(cz.Uniform(5), jumps=500, chains=2)
    assert first.record is not None
    assert first.record.seed is not None
    again = cz.sample(cz.Uniform(5), jumps=500, chains=2, rng=first.record.seed)
    assert np.array_equal(first.edge_probabilities().directed, again.edge_probabilities().directed)


def test_a_record_has_seed_version_and_time() -> None:
    record = cz.sample(cz.Uniform(3), jumps=100, rng=12).record
    assert record is not None
    assert (record.data, record.seed, record.version) == ("Uniform(3 nodes)", 12, version("causal-zigzag"))
    assert record.started.endswith("Z")
    assert record.seconds > 0


def test_a_generator_leaves_no_seed() -> None:
    record = cz.sample(cz.Uniform(3), jumps=100, rng=np.random.default_rng(1)).record
    assert record is not None
    assert record.seed is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("cells.csv", "cells.csv"),
        (Path("cells.csv"), "cells.csv"),
        (np.zeros((4, 2)), "ndarray, 4 by 2"),
        (pd.DataFrame({"a": [1, 2]}), "DataFrame, 2 by 1"),
        ({"a": [1]}, "dict"),
    ],
)
def test_data_in_words(data: object, words: str) -> None:
    assert source_of(data).data == words


def test_a_frame_may_have_a_name() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    frame.attrs["name"] = "sachs"
    assert (source_of(frame).data, source_of(frame).origin) == ("sachs", "name")
