"""The lines of the documentation that pass a drawn DAG to DoWhy, without DoWhy itself."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import causal_zigzag as cz

nx = pytest.importorskip("networkx")

pytestmark = pytest.mark.nosanitize

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "effects.md"


def test_the_documented_lines_give_dowhy_a_graph_that_it_reads() -> None:
    data = dict(zip(["budget", "ads", "sales"], np.random.default_rng(1).normal(size=(3, 50)), strict=True))
    posterior = cz.sample(data, jumps=500, chains=1, rng=1, edge_prior=-2, progress=False)
    (code,) = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    namespace = {
        "nx": nx,
        "posterior": posterior,
        "data": data,
        "dowhy": SimpleNamespace(CausalModel=lambda data, treatment, outcome, graph: graph),
    }
    exec(code, namespace)
    text = namespace["model"]
    assert re.match(r".*graph\s*\[.*\]\s*", text)  # by which DoWhy recognizes GML, in one line
    read = nx.DiGraph(nx.parse_gml(text))
    dag = posterior.sample_dags(1, rng=1)[0]
    assert {*read.edges} == {(posterior.nodes[i], posterior.nodes[j]) for i, j in np.argwhere(dag)}
    assert read.number_of_edges() > 0
    assert [*read.nodes] == [*posterior.nodes]
