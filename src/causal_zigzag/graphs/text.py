"""Graphs as text: edge lists such as `a -> b, b - c`, DOT, JSON and matrices as CSV; edge lists are written too."""

from __future__ import annotations

import csv
import itertools
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_zigzag.errors import GraphError
from causal_zigzag.graphs.cpdag import CPDAG
from causal_zigzag.graphs.labels import distinct_texts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

Arrow = tuple["Hashable", "Hashable", bool]
"""Two nodes, and whether the edge is directed from the first to the second."""

BITS = ("0", "1", "0.0", "1.0")

FORMS = (
    "an edge list (a -> b, b - c), DOT (digraph { a -> b }), JSON with nodes and edges, or a matrix of 0 and 1 as CSV"
)

# A bare name may hold hyphens (IL-6), so a line between names needs spaces; arrows do not.
_EDGE_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(->|<-|→|←|—|--?(?=\s))|([,;\n])|((?:(?!->|<-)[^\s,;"→←—])+)|(.))')
_DOT_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(->|--)|([{}\[\];,=:])|((?:(?!->|--)[^\s{}\[\];,=:"])+)|(.))')
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE)


def parse_graph(text: str) -> tuple[CPDAG, bool]:
    """The class of the DAGs that extend the graph in the text, and whether the graph differed from its CPDAG.

    >>> parse_graph("a -> c <- b, d")
    (CPDAG(4 nodes, 2 directed and 0 undirected edges: a -> c, b -> c), False)
    >>> parse_graph("digraph { a -> b; b -> c }")
    (CPDAG(3 nodes, 0 directed and 2 undirected edges: a - b, b - c), True)
    """
    text = text.removeprefix("\ufeff")
    content = text.strip()
    bare = _COMMENT.sub(lambda found: found[1] or " ", text).strip()
    if not content:
        raise GraphError(f"the graph is empty text; write {FORMS}")
    if content[0] in "{[":
        nodes, matrix = _from_json(content)
    elif re.match(r"(strict\s+)?(di)?graph\b[^,>]*\{", bare, re.IGNORECASE):
        nodes, matrix = _matrix(*_from_dot(bare))
    elif _is_matrix(content):
        nodes, matrix = _from_csv(content)
    else:
        nodes, matrix = _matrix(*_from_edges(bare))
    graph = CPDAG.from_pdag(matrix, nodes)
    return graph, not np.array_equal(graph.matrix(), matrix)


def edge_text(graph: CPDAG) -> str:
    """The graph as an edge list on one line, nodes without edges at its end.

    >>> edge_text(CPDAG.from_edges("a b c d".split(), directed=[("a", "c"), ("b", "c")]))
    'a -> c, b -> c, d'
    """
    names = dict(zip(graph.nodes, map(_quoted, distinct_texts(graph.nodes)), strict=True))
    edges = [f"{names[x]} -> {names[y]}" for x, y in graph.directed_edges]
    edges += [f"{names[x]} - {names[y]}" for x, y in graph.undirected_edges]
    alone = [names[v] for v in graph.nodes if not graph.adjacent(v)]
    return ", ".join([*edges, *alone])


def _quoted(name: str) -> str:
    found = _EDGE_TOKEN.fullmatch(name)
    if found and found[4] == name and name[0] != "#" and "-" not in name:
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text, flags=re.DOTALL)


def _matrix(nodes: Iterable[Hashable], edges: list[Arrow]) -> tuple[list[Hashable], Any]:
    """The nodes in order of appearance and the 0/1 matrix; two opposite arrows are one undirected edge."""
    number = {v: i for i, v in enumerate(dict.fromkeys([*nodes, *(v for x, y, _ in edges for v in (x, y))]))}
    matrix = np.zeros((len(number), len(number)), dtype=np.uint8)
    for x, y, directed in edges:
        if x == y:
            raise GraphError(f"{x} is joined with itself; leave that edge out")
        matrix[number[x], number[y]] = 1
        if not directed:
            matrix[number[y], number[x]] = 1
    return list(number), matrix


def _from_edges(text: str) -> tuple[list[Hashable], list[Arrow]]:
    """Names and marks in turn: `a -> b - c` is two edges; a comma, a semicolon or a line's end begins anew."""
    nodes: list[Hashable] = []
    edges: list[Arrow] = []
    hyphenated = ""
    last: str | None = None
    mark: str | None = None
    for quoted, found_mark, end, bare, wrong in _EDGE_TOKEN.findall(re.sub(r"[ \t\r\f\v]*\n\s*", " ; ", text) + " "):
        if wrong:
            if wrong.isspace():
                continue
            raise GraphError(f'unexpected {wrong!r} in the edge list; quote names with special characters: "a b" -> c')
        if end or found_mark:
            if (mark is not None) or (found_mark and last is None):
                raise GraphError(
                    f"{mark or found_mark!r} in the edge list lacks a node beside it; write a -> b or a - b"
                )
            mark, last = (found_mark, last) if found_mark else (None, None)
            continue
        name = bare or _unescaped(quoted)
        hyphenated = hyphenated or (bare if "-" in bare else "")
        if last is not None and mark is None:
            raise GraphError(
                f"{last!r} and {name!r} in the edge list have neither an edge nor a comma between them; write "
                f"{last} -> {name}, {last} - {name} (with spaces) or {last}, {name}; quote names that have spaces"
            )
        if mark is not None:
            ends = (name, last) if mark in ("<-", "←") else (last, name)
            edges.append((*ends, mark in ("->", "<-", "→", "←")))
        nodes.append(name)
        last, mark = name, None
    if mark is not None:
        raise GraphError(f"the edge list ends with {mark!r}; a node must follow")
    if hyphenated and not edges:
        raise GraphError(f"{hyphenated!r} is read as one node; a line between nodes has spaces around it: a - b")
    return nodes, edges


def _from_dot(text: str) -> tuple[list[Hashable], list[Arrow]]:
    """The subset of DOT that graphs of this kind need: nodes, edges and their dir, no subgraphs or ports."""
    tokens = _dot_tokens(text)
    kind = next(tokens).lower()
    if kind == "strict":
        kind = next(tokens).lower()
    for token in tokens:
        if token == "{":
            break
    nodes: list[Hashable] = []
    edges: list[Arrow] = []
    statement: list[str] = []
    attributes: dict[str, str] = {}
    for token in tokens:
        if token == "[":
            attributes |= _dot_attributes(tokens)
        elif token in (";", ",", "}", "\n"):
            _dot_statement(statement, attributes, kind, nodes, edges)
            statement, attributes = [], {}
            if token == "}":
                if any(token not in (";", "\n") for token in tokens):
                    raise GraphError("the DOT text goes on after its closing }; give one graph")
                return nodes, edges
        elif token in ("{", ":") or token.lower() == "subgraph":
            raise GraphError("subgraphs and ports of DOT are not read; write every edge by itself")
        else:
            statement.append(token)
    raise GraphError("the DOT text ends before its closing }")


def _dot_tokens(text: str) -> Iterator[str]:
    """The tokens; those of names begin with a quote, and line ends count where a statement may end."""
    line = re.sub(r"(?<=[^\s>\-={\[,;])[ \t\r]*\n(?!\s*(?:->|--|\[|\{))", " ;\n", text)
    for quoted, mark, sign, bare, wrong in _DOT_TOKEN.findall(line):
        if wrong and not wrong.isspace():
            raise GraphError(f"unexpected {wrong!r} in the DOT text")
        if mark or sign:
            yield mark or sign
        elif bare:
            yield bare
        elif not wrong:
            yield '"' + _unescaped(quoted)


def _dot_name(token: str) -> str:
    return token.removeprefix('"')


def _dot_attributes(tokens: Iterator[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    key = ""
    for token in tokens:
        if token == "]":
            return found
        if token in (",", ";", "="):
            continue
        if key:
            found[key], key = _dot_name(token).lower(), ""
        else:
            key = _dot_name(token).lower()
    raise GraphError("the DOT text ends inside [...]")


def _dot_statement(
    statement: list[str], attributes: dict[str, str], kind: str, nodes: list[Hashable], edges: list[Arrow]
) -> None:
    if not statement or "=" in statement or statement[0].lower() in ("graph", "node", "edge"):
        return
    names, marks = statement[::2], statement[1::2]
    arrow = "--" if kind == "graph" else "->"
    if len(names) != len(marks) + 1 or any(mark != arrow for mark in marks) or {"->", "--"} & {*names}:
        shown = " ".join(map(_dot_name, statement))
        raise GraphError(f"the DOT statement {shown!r} is not understood; in a {kind} write a {arrow} b")
    labels = [_dot_name(token) for token in names]
    nodes += labels
    direction = attributes.get("dir", "none" if attributes.get("arrowhead") == "none" else "forward")
    for x, y in itertools.pairwise(labels):
        ends = (y, x) if direction == "back" else (x, y)
        edges.append((*ends, kind == "digraph" and direction in ("forward", "back")))


def _from_json(text: str) -> tuple[list[Hashable], Any]:
    """Nodes and edges (or links) with source and target; or nodes with lists of directed and undirected pairs."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise GraphError(f"the graph is not valid JSON: {error}") from None
    if isinstance(value, list):
        return _json_matrix(value)
    if "nodes" not in value or not isinstance(value["nodes"], list):
        raise GraphError('the JSON of a graph needs "nodes", a list of names')
    nodes = [_json_name(v.get("id", v.get("name")) if isinstance(v, dict) else v) for v in value["nodes"]]
    edges: list[Arrow] = []
    is_directed = value.get("directed", True)
    if isinstance(is_directed, list) or isinstance(value.get("undirected"), list):
        for key in ("directed", "undirected"):
            edges += [(*_json_pair(pair), key == "directed") for pair in value.get(key) or []]
    else:
        for edge in value.get("edges", value.get("links")) or []:
            edges.append(_json_edge(edge, bool(is_directed)))
    known = {*nodes}
    stranger = next((v for x, y, _ in edges for v in (x, y) if v not in known), None)
    if stranger is not None:
        raise GraphError(f'the JSON of the graph has an edge with {stranger!r}, which is not among its "nodes"')
    if len(known) < len(nodes):
        raise GraphError('the JSON of the graph has a name twice among its "nodes"')
    return _matrix(nodes, edges)


def _json_matrix(rows: list[Any]) -> tuple[list[Hashable], Any]:
    graph_rows = [row if isinstance(row, list) else [row] for row in rows]
    n = len(graph_rows)
    if any(len(row) != n or any(entry not in (0, 1) for entry in row) for row in graph_rows):
        raise GraphError("a JSON list must be a square matrix of 0 and 1: one list a node")
    return list(range(n)), np.array(graph_rows, dtype=np.uint8)


def _json_edge(edge: Any, is_directed: bool) -> Arrow:
    if not isinstance(edge, dict):
        return (*_json_pair(edge), is_directed)
    if "source" not in edge or "target" not in edge:
        raise GraphError(f'an edge of the JSON of a graph needs "source" and "target", unlike {edge!r}')
    kind = edge.get("directed", edge.get("kind", edge.get("type", is_directed)))
    return _json_name(edge["source"]), _json_name(edge["target"]), kind not in (False, "undirected", "-", "--")


def _json_pair(pair: Any) -> tuple[Hashable, Hashable]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise GraphError(f"an edge of the JSON of a graph must be a pair of nodes, not {pair!r}")
    return _json_name(pair[0]), _json_name(pair[1])


def _json_name(value: Any) -> Hashable:
    if not isinstance(value, (str, int, float)):
        raise GraphError(f"a node of the JSON of a graph must be a text or a number, not {value!r}")
    return value


def _is_matrix(text: str) -> bool:
    """Whether there are several lines, the last of them cells of 0 and 1 after a name at most, and no edges."""
    *above, last = text.splitlines()
    row = re.split(r"[,;\t]", last)
    binary = len(row) > 1 and all(cell.strip() in BITS for cell in row[1:])
    return bool(above) and binary and re.search(r"->|<-|\s--?\s", text) is None


def _from_csv(text: str) -> tuple[list[Hashable], Any]:
    """A 0/1 matrix with or without a line of names above it and a column of the same names before it."""
    mark = next(sign for sign in "\t;," if sign in text)
    rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines(), delimiter=mark) if row]
    width = len(rows[-1])
    named = width > 1 and (rows[-1][0] not in ("0", "1") or (rows[0][0] == "" and len(rows) == width))
    cells = [row[1:] if named else row for row in rows]
    header = len(rows) == width if named else len(rows) == width + 1
    names: list[Hashable] = list(range(len(cells[-1])))
    if header:
        names = list(rows[0][len(rows[0]) - len(cells[-1]) :])
        rows, cells = rows[1:], cells[1:]
    elif named:
        names = [row[0] for row in rows]
    if named and header and names != [row[0] for row in rows]:
        raise GraphError("the names above and before the matrix must be the same in the same order")
    for i, row in enumerate(cells):
        if len(row) != len(cells):
            raise GraphError(
                f"the matrix must be square, but row {i} has {len(row)} cells and there are {len(cells)} rows"
            )
        for j, cell in enumerate(row):
            if cell not in BITS:
                raise GraphError(f"the entries of the matrix must be 0 or 1, but m[{i}, {j}] is {cell!r}")
    return names, np.array([[int(float(cell)) for cell in row] for row in cells], dtype=np.uint8)
