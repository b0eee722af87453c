"""A class in the formats of others: GraphML, node-link JSON, dagitty, causal-learn and pgmpy; tables as files."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import GraphError, MissingDependencyError, OutputError
from causal_zigzag.graphs.labels import distinct_texts
from causal_zigzag.support.atomic_write import write_bytes, write_text

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable, Iterator

    import pandas as pd

    from causal_zigzag.graphs.cpdag import CPDAG

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NOT_IN_DAGITTY = re.compile(r'[\x00-\x1f\x7f]|\\"|\\$')  # its strings know \" alone, and end at a quote


def graphml(g: CPDAG) -> str:
    """See ``CPDAG.to_graphml``."""
    from xml.sax.saxutils import quoteattr

    texts = distinct_texts(g.nodes)
    for text in texts:
        if NOT_IN_XML.search(text):
            raise GraphError(f"GraphML has no way to write the label {text!r}, for its control characters; rename it")
    ids = [quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}) for text in texts]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="kind" for="edge" attr.name="kind" attr.type="string"/>',
        '  <graph edgedefault="directed">',
        *(f"    <node id={name}/>" for name in ids),
        *(
            f'    <edge source={ids[x]} target={ids[y]}><data key="kind">{kind}</data></edge>'
            for x, y, kind in _arcs(g)
        ),
        "  </graph>",
        "</graphml>",
    ]
    return "\n".join(lines) + "\n"


def node_link(g: CPDAG) -> str:
    """See ``CPDAG.to_json``."""
    names = [_json_label(label) for label in g.nodes]
    content = {
        "directed": True,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": name} for name in names],
        "edges": [{"source": names[x], "target": names[y], "kind": kind} for x, y, kind in _arcs(g)],
    }
    return json.dumps(content, allow_nan=False)


def from_node_link(text: Any) -> CPDAG:
    """See ``CPDAG.from_json``."""
    from causal_zigzag.graphs.cpdag import CPDAG

    try:
        content = json.loads(text)
        labels = [_plain_label(node["id"]) for node in content["nodes"]]
        edges = content["edges"] if "edges" in content else content["links"]
        arcs = {(_plain_label(edge["source"]), _plain_label(edge["target"])) for edge in edges}
        number = {label: i for i, label in enumerate(labels)}
        both_ways = not content.get("directed", True)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise GraphError(
            f"this is no graph in node-link JSON ({type(error).__name__}: {error}); "
            "CPDAG.to_json and networkx.node_link_data write it"
        ) from None
    arcs |= {(y, x) for x, y in arcs} if both_ways else set()
    directed = [(x, y) for x, y in arcs if (y, x) not in arcs]
    lines = [(x, y) for x, y in arcs if (y, x) in arcs and number.get(x, 0) <= number.get(y, 0)]
    return CPDAG.from_edges(labels, directed, lines)


def dagitty(g: CPDAG) -> str:
    """See ``CPDAG.to_dagitty``."""
    texts = distinct_texts(g.nodes)
    for text in texts:
        if NOT_IN_DAGITTY.search(text) or not text:
            raise GraphError(
                f"dagitty has no way to write the label {text!r}: no control characters, no backslash at its end or "
                f"before a quote, and not nothing at all; rename it"
            )
    ids = ['"' + text.replace('"', '\\"') + '"' for text in texts]
    lines = [f"  {name}" for name in ids]
    lines += [f"  {ids[x]} -> {ids[y]}" for x, y in g.core.directed_edges()]
    lines += [f"  {ids[x]} -- {ids[y]}" for x, y in g.core.undirected_edges()]
    return "\n".join(["pdag {", *lines, "}"])


def causallearn(g: CPDAG) -> Any:
    """See ``CPDAG.to_causallearn``."""
    try:
        from causallearn.graph.Edge import Edge
        from causallearn.graph.Endpoint import Endpoint
        from causallearn.graph.GeneralGraph import GeneralGraph
        from causallearn.graph.GraphNode import GraphNode
    except ImportError:
        raise MissingDependencyError(
            "to_causallearn needs causal-learn; install it with: pip install causal-learn", name="causallearn"
        ) from None
    nodes = [GraphNode(text) for text in distinct_texts(g.nodes)]
    graph = GeneralGraph(nodes)
    for x, y in g.core.directed_edges():
        graph.add_edge(Edge(nodes[x], nodes[y], Endpoint.TAIL, Endpoint.ARROW))
    for x, y in g.core.undirected_edges():
        graph.add_edge(Edge(nodes[x], nodes[y], Endpoint.TAIL, Endpoint.TAIL))
    return graph


def pgmpy(g: CPDAG) -> Any:
    """See ``CPDAG.to_pgmpy``."""
    try:
        from pgmpy.base import PDAG
    except ImportError:
        raise MissingDependencyError("to_pgmpy needs pgmpy; install it with: pip install pgmpy", name="pgmpy") from None
    graph = PDAG(directed_ebunch=list(g.directed_edges), undirected_ebunch=list(g.undirected_edges))
    graph.add_nodes_from(g.nodes)
    return graph


def write_table(table: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """A table as a file, whose suffix says the format: .csv, .tsv or .parquet. Wholly, or not at all."""
    suffix = Path(path).suffix.lower()
    if suffix in (".csv", ".tsv"):
        write_text(path, table.to_csv(index=False, sep="\t" if suffix == ".tsv" else ",", lineterminator="\n"))
    elif suffix == ".parquet":
        write_bytes(path, _parquet(table))
    else:
        raise OutputError(f"cannot tell the format of {str(path)!r} by its suffix; end it with .csv, .tsv or .parquet")


def _parquet(table: pd.DataFrame) -> bytes:
    import io

    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "Parquet needs pyarrow; install it with: pip install 'causal-zigzag[parquet]'", name="pyarrow"
        ) from None
    columns = {}
    for name in ("x", "y"):  # a column has one type: labels of several are written as text
        labels = [label.item() if isinstance(label, np.generic) else label for label in table[name]]
        one_type = len({type(label) for label in labels}) == 1 and isinstance(labels[0], (str, int, float))
        columns[name] = labels if one_type else [str(label) for label in labels]
    file = io.BytesIO()
    table.assign(**columns).to_parquet(file, index=False, engine="pyarrow")
    return file.getvalue()


def _arcs(g: CPDAG) -> Iterator[tuple[int, int, str]]:
    """The edges of a directed graph; an undirected edge is two of them."""
    for x, y in g.core.directed_edges():
        yield x, y, "directed"
    for x, y in g.core.undirected_edges():
        yield x, y, "undirected"
        yield y, x, "undirected"


def _json_label(label: Hashable) -> Any:
    plain = label.item() if isinstance(label, np.generic) else label
    if type(plain) is tuple:
        return [_json_label(part) for part in plain]
    finite = type(plain) is float and math.isfinite(plain)
    if plain is None or finite or type(plain) in (bool, int, str):
        return plain
    raise GraphError(
        f"JSON has no way to write the label {label!r}: labels must be str, int, finite float, bool, None or tuples of "
        f"these; rename it"
    )


def _plain_label(value: Any) -> Any:
    return tuple(_plain_label(part) for part in value) if isinstance(value, list) else value
