"""Types of the compiled core. Nodes are 0..n-1 here; labels, and all validation of input, are in Python."""

from collections.abc import Callable, Hashable
from enum import Enum
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

Flaw = tuple[str, list[int]]
"""Why a matrix is not what it should be: a kind, and the nodes that show it.

"self_loop" [v]; "undirected" [a, b], a line in a matrix that should be a DAG; "cycle" [a, b, ..., z], a directed cycle
in order; "chordless" [a, b, ..., z], an undirected cycle of at least four nodes without a chord; "parents" [p, u, v],
p -> u and u - v but not p -> v; "not_compelled" [x, y], an arrow x -> y that some member DAG of the class reverses;
"no_extension" [], a PDAG that no DAG extends.
"""

Fault = tuple[str, list[int]]
"""Why an operator is not valid: a kind, and the nodes that show it.

"same_node" [x]; "adjacent" [x, y] (Insert); "not_adjacent" [x, y] (Delete: y is neither child nor neighbor of x);
"not_tails" [t, ...], members of T outside Ne(y) \\ Adj(x); "not_heads" [h, ...], members of H outside Ne(y) & Adj(x);
"not_clique" [a, b], two non-adjacent members of the set that must be a clique; "open_path" [y, ..., x], a
semi-directed path that avoids the clique.
"""

Operator = tuple[bool, int, int, list[int]]
"""(is an insert, x, y, T or H)."""

NamedEdge = tuple[Hashable, Hashable]

@final
class Graph:
    """An immutable CPDAG with one of its DAGs."""

    @staticmethod
    def empty(n: int) -> Graph: ...
    @staticmethod
    def complete(n: int) -> Graph: ...
    @staticmethod
    def from_matrix(matrix: NDArray[np.uint8]) -> Graph | Flaw: ...
    @staticmethod
    def from_dag(matrix: NDArray[np.uint8]) -> Graph | Flaw: ...
    @staticmethod
    def from_pdag(matrix: NDArray[np.uint8]) -> Graph | Flaw: ...
    @property
    def n(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    @property
    def hash(self) -> tuple[int, int]:
        """A 128-bit hash of the class, as two 64-bit halves; results of chains identify classes by it."""
    def matrix(self) -> NDArray[np.uint8]: ...
    def dag(self) -> NDArray[np.uint8]: ...
    def parents(self, v: int) -> list[int]: ...
    def children(self, v: int) -> list[int]: ...
    def neighbors(self, v: int) -> list[int]: ...
    def directed_edges(self) -> list[tuple[int, int]]: ...
    def undirected_edges(self) -> list[tuple[int, int]]: ...
    def named_directed_edges(self, names: tuple[Hashable, ...], known: list[NamedEdge | None]) -> tuple[NamedEdge, ...]:
        """With the names of the nodes. If `known` is not empty, it caches the tuple of the pair (x, y) at x * n + y."""
    def named_undirected_edges(
        self, names: tuple[Hashable, ...], known: list[NamedEdge | None]
    ) -> tuple[NamedEdge, ...]: ...
    def count_operators(self, max_degree: int) -> tuple[list[int], list[int]]:
        """Inserts and deletes as coefficients of powers of two: the count is sum(c << p for p, c in enumerate(...))."""
    def operators(self, max_degree: int) -> Operators: ...
    def random_operator(self, kind: Literal[-1, 0, 1], max_degree: int, seed: NDArray[np.uint64]) -> Operator | None:
        """Uniform among inserts (1), deletes (-1) or both (0); None if there is none. seed: four words."""
    def fault(self, insert: bool, x: int, y: int, tails_or_heads: list[int]) -> Fault | None: ...
    def apply(self, insert: bool, x: int, y: int, tails_or_heads: list[int]) -> Graph:
        """The class after a valid operator."""
    def inverse(self, insert: bool, x: int, y: int, tails_or_heads: list[int]) -> Operator:
        """The operator on the result of apply() that leads back."""
    def __eq__(self, other: object) -> bool: ...

@final
class Operators:
    """A cursor over the valid operators of a graph, each once."""

    def take(self, at_most: int) -> list[Operator]:
        """The next operators; an empty list at the end."""

@final
class Score:
    """A score in the core; made by the functions below."""

    @property
    def n(self) -> int: ...
    def local(self, y: int, parents: list[int]) -> float: ...
    def row(self, y: int, parents: list[int]) -> NDArray[np.float64]:
        """The score differences of toggling each x in the parents of y; the value at y has no meaning."""

def gaussian_score(
    correlation: NDArray[np.float64],
    log_scale: NDArray[np.float64],
    h: NDArray[np.float64],
    c: NDArray[np.float64],
    d: float,
) -> Score:
    """c(k) - h(k) log v - d log det of the k parents, v the variance of y given them; h and c for k = 0..n."""

def block_score(
    begin: list[int],
    correlation: NDArray[np.float64],
    log_scale: NDArray[np.float64],
    h: float,
    slope: float,
    c: NDArray[np.float64],
    penalty: float,
) -> Score:
    """A Gaussian score of blocks: node v has the columns begin[v] .. begin[v + 1] - 1; log_scale sums over them.

    The set function is c[d] - (h + slope d) log det R - penalty d (d + 1) / 2, for d columns with scatter R.
    """

def bge_score(
    begin: list[int],
    correlation: NDArray[np.float64],
    log_scale: NDArray[np.float64],
    rows: float,
    alpha_mu: float,
    alpha_w: float,
    scale: float,
) -> Score:
    """BGe of nodes with the columns begin[v] .. begin[v + 1] - 1. log_scale: by column; prior scatter: scale · I."""

def discrete_score(
    levels: list[int], codes: NDArray[np.uint16], weights: list[float], sample_size: float, penalty: float
) -> Score:
    """codes: one row per node; weights of their columns, or an empty list if all are 1. sample_size 0: BIC, else BDeu.
    penalty: per parameter."""

def python_score(
    n: int,
    local: Callable[[int, list[int]], float],
    row: Callable[[int, list[int]], NDArray[np.float64]],
    own_row: bool,
) -> Score:
    """A score of Python functions, called with the GIL held; own_row: whether rows are cheaper than local scores."""

def python_set_function(n: int, function: Callable[[list[list[int]]], list[float]]) -> Score:
    """The score of a set function, which is called with many sets at once."""

def interventional_bge(
    n: int,
    conditions: list[int],
    sets: list[bool],
    levels: list[int],
    cells: list[list[int]],
    rows: list[float],
    sums: NDArray[np.float64],
    products: NDArray[np.float64],
    alpha_mu: float,
    alpha_w: float,
    prior: float,
) -> Score:
    """The score of numbers under conditions, from the moments of the rows of each combination of levels."""

def interventional_bdeu(
    n: int,
    conditions: list[int],
    sets: list[bool],
    levels: list[int],
    cells: list[list[int]],
    variable_levels: list[int],
    codes: NDArray[np.uint16],
    weights: list[float],
    cell_of: list[int],
    sample_size: float,
) -> Score:
    """The score of categories under conditions; each row is in one of the combinations of levels."""

def additive_gp_score(
    begin: list[int],
    YY: NDArray[np.float64],
    grams: list[tuple[list[int], list[bool], NDArray[np.float64], NDArray[np.float64]]],
    choices: list[tuple[int, float, float]],
    rows: float,
    most: int,
) -> Score:
    """The order-averaged additive Gaussian process score; see core/scores/additive_gp.hpp.

    grams: the first feature of each node, which ones are linear, and products with features and responses; choices: the
    number of the grams, the variances of linear and of other features (0: left out); most: parents of a node.
    """

class Balance(Enum):
    """The function g that turns a ratio of weights into a rate."""

    sqrt = 0
    metropolis = 1
    barker = 2
    auto = 3

@final
class EdgePrior:
    """The log prior weight of m edges: slope * m, or table[m] if that is not empty (minus infinity beyond its end)."""

    def __init__(self, slope: float = 0.0, table: list[float] = []) -> None: ...

@final
class Move:
    """An exact move: a kernel that leaves the target invariant, applied at the times of a Poisson process."""

def python_move(
    log2_rate: float,
    make: Callable[
        [list[list[int]], list[list[int]], NDArray[np.uint64]], tuple[list[list[int]], list[int], float] | None
    ],
) -> Move:
    """A move written in Python, with the binary logarithm of its number per unit of time.

    ``make`` is given the parents and the neighbors of each node of the class (with knowledge, lines that it orients are
    arrows) and a seed. It returns None to stay, or a DAG of the new class, as the parents of each node and a
    topological order, and the difference of the scores."""

@final
class ExcursionSettings:
    """Order excursions, or those within regions; none without either. A run ends after ``most`` of them."""

    tables: OrderTables
    regions: Regions
    steps: int
    window: int
    log2_rate: float
    """The binary logarithm of the number per unit of time."""
    most: int

    def __init__(
        self,
        *,
        tables: OrderTables = ...,
        regions: Regions = ...,
        steps: int = 0,
        window: int = 0,
        log2_rate: float = ...,
        most: int = ...,
    ) -> None: ...

@final
class ChainSettings:
    """What a chain is given.

    score: None for the uniform target. forbidden: pairs that are never joined. extra_slope: an auxiliary log weight per
    edge in addition to the prior. seed: four words. first_score: the score of the start, to which all reported scores
    are relative. With most_classes 0 the chain accumulates nothing but its statistics.

    arrows: the target is restricted to classes that agree, of which the start must be one. The marks in edge_times()
    and batches() are then those of the graphs that orient() returns; classes() and draws() list the classes
    themselves.

    sqrt_weight: c of balance auto, min(1, t) w(t) + c sqrt(t); infinite (the default): sqrt(t). unlikely_below: whether
    an insert of a smaller log ratio is valid is found when it is proposed; if not, the direction is reversed.

    moves: exact moves besides excursions. Another coldness or extra_slope drops them, as they belong to a target.

    table: with missing cells; its score is then the target's, and most_tables completed ones are kept."""

    score: Score | None
    balance: Balance
    sqrt_weight: float
    coldness: float
    prior: EdgePrior
    momentum: float
    unlikely_below: float
    max_degree: int
    forbidden: list[tuple[int, int]]
    arrows: ArrowKnowledge | None
    seed: NDArray[np.uint64]
    direction: int
    first_score: float
    extra_slope: float
    moves: list[Move]
    excursions: ExcursionSettings
    most_classes: int
    most_deltas: int
    trace_points: int
    cache_bytes: int
    table: CompletedTable | None
    most_tables: int

    def __init__(
        self,
        *,
        score: Score | None = None,
        balance: Balance = ...,
        sqrt_weight: float = ...,
        coldness: float = 1.0,
        prior: EdgePrior = ...,
        momentum: float = 1.0,
        unlikely_below: float = ...,
        max_degree: int = ...,
        forbidden: list[tuple[int, int]] = ...,
        arrows: ArrowKnowledge | None = None,
        seed: NDArray[np.uint64] = ...,
        direction: int = 1,
        first_score: float = 0.0,
        extra_slope: float = 0.0,
        moves: list[Move] = ...,
        excursions: ExcursionSettings = ...,
        most_classes: int = 0,
        most_deltas: int = 0,
        trace_points: int = 0,
        cache_bytes: int = 0,
        table: CompletedTable | None = None,
        most_tables: int = 0,
    ) -> None: ...

@final
class Tuning:
    """What may be changed while a chain runs, as ChainSettings and ExcursionSettings name it: a copy of the chain's."""

    coldness: float
    extra_slope: float
    sqrt_weight: float
    steps: int
    window: int
    log2_rate: float
    """Minus infinity: no excursions."""
    most_excursions: int

@final
class Holding:
    """A time in units of 2**unit: its expectation given the path, and as drawn."""

    @property
    def expected(self) -> float: ...
    @property
    def drawn(self) -> float: ...

@final
class ExcursionCounts:
    """What became of excursions: ``changed`` led to another class; ``fixed`` of the ``window_nodes`` kept parents."""

    @property
    def made(self) -> int: ...
    @property
    def accepted(self) -> int: ...
    @property
    def changed(self) -> int: ...
    @property
    def fixed(self) -> int: ...
    @property
    def window_nodes(self) -> int: ...

@final
class ChainStatistics:
    """What a chain has done since its accumulators were last cleared, and whether it can continue."""

    @property
    def jumps(self) -> int: ...
    @property
    def inserts(self) -> int: ...
    @property
    def flips(self) -> int: ...
    @property
    def time(self) -> Holding: ...
    @property
    def metropolis_part(self) -> float:
        """The sum over the jumps of min(1, t) w(t) / g(t), with balance auto."""
    @property
    def sqrt_part(self) -> float:
        """The sum over the jumps of sqrt(t) / g(t), with balance auto."""
    @property
    def unit(self) -> float:
        """The binary logarithm of the unit of all times."""
    @property
    def frozen(self) -> bool: ...
    @property
    def dense_node(self) -> int:
        """The node whose neighbors have too many cliques to be listed, or -1."""
    @property
    def dense_clique(self) -> int: ...
    @property
    def row_lookups(self) -> int:
        """In the cache of rows, like the next two since the chain was made."""
    @property
    def row_misses(self) -> int: ...
    @property
    def row_evictions(self) -> int: ...
    @property
    def unlisted(self) -> float:
        """The time in classes that are not listed."""
    @property
    def excursions(self) -> ExcursionCounts: ...
    @property
    def excursions_spent(self) -> bool:
        """Whether the largest number of excursions has been made."""
    @property
    def score_reference(self) -> float:
        """The scores of batches are relative to it; it is relative to the start."""
    @property
    def direction(self) -> int: ...
    @property
    def edges(self) -> int:
        """Of the present class, as is the score."""
    @property
    def score(self) -> float: ...
    @property
    def refused(self) -> int:
        """The number of proposals of classes that do not agree with the knowledge."""

class Chain:
    """A running chain."""

    def run(self, jumps: int, seconds: float) -> int:
        """Makes `jumps` jumps, or fewer if the time is up; without the GIL. Returns the number of jumps made."""
    @property
    def tuning(self) -> Tuning: ...
    def tune(self, tuning: Tuning) -> None:
        """Keeps the state of the chain; another coldness or extra_slope drops moves and excursions; without the GIL."""
    def set_excursions(self, excursions: ExcursionSettings) -> None:
        """Excursions from now on. Without tables there are none; without a rate only anneal_order uses them."""
    def anneal_order(self, powers: list[float], steps: int, slack: float) -> bool:
        """Move to a class found by a walk among orders: this number of steps at each power of their weights.

        Returns False, and stays, if its log weight is lower by more than ``slack``."""
    def forget(self) -> None:
        """Clear what was accumulated and keep the state, as at the end of a warm-up."""
    def save(self) -> bytes:
        """The whole state, for make_chain; raises ValueError for a chain that cannot continue."""
    def statistics(self) -> ChainStatistics: ...
    @property
    def made(self) -> int:
        """The number of jumps since the accumulators were last cleared."""
    def graph(self) -> Graph: ...
    @property
    def direction(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    @property
    def score(self) -> float:
        """Of the present class; that of the start is first_score."""
    def draw_cells(self) -> None:
        """Draws the missing cells given the present class, and continues with their score; without the GIL."""
    def begin_sweeps(self, jumps: int, trials: int) -> None:
        """Chooses the time of a sweep, of about this number of jumps, and makes sweeps from now on; clears the
        accumulators. Before this call run() keeps the cells."""
    @property
    def sweeps(self) -> int:
        """Since the accumulators were last cleared."""
    @property
    def cells(self) -> NDArray[np.float64] | None:
        """The present missing cells; None if no cell is missing."""
    def kept_tables(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
        """Some completed tables, evenly spaced, with their classes: the adjacent pairs of class i, from begin[i] to
        begin[i + 1], as number of the pair << 2 | mark; and the cells of all tables, flat."""
    def classes(self) -> dict[str, NDArray[np.generic]]:
        """The listed classes: hash (two words each, flat), time, and for decode_class: from, begin, deltas."""
    def trace(self) -> tuple[float, NDArray[np.int32], NDArray[np.float64], NDArray[np.int8]]:
        """The step of the time grid (in units of 2**unit), then edges, score and direction on it."""
    def draws(self) -> tuple[int, NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]:
        """The class at every k-th point of the time grid: k, hash (two words each, flat), begin and deltas.

        Draw i differs from the one before, the first from the graph without edges, by deltas[begin[i]:begin[i + 1]],
        pair << 2 | (mark before ^ mark after)."""
    def batches(self) -> dict[str, NDArray[np.generic]]:
        """The run in batches of equal numbers of jumps; the last may have fewer.

        integrals: jumps, time and the time integrals of edges, edges**2, score and score**2 (the score relative to
        that at the end of the warm-up), six numbers per batch. begin[i]:begin[i + 1] are the pairs that changed in
        batch i, with their marks (before << 2 | after) and held, the times of a -> b, b -> a and a - b."""
    def edge_times(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """Arrows i -> j that were there, as ascending i * n + j, and their times; the same of lines i - j, i < j."""

def return_memory() -> None:
    """Give memory that is no longer used back to the system, where its allocator can."""

def make_chain(start: Graph, settings: ChainSettings, saved: bytes | None = None) -> Chain:
    """A chain at the start, or one that continues from ``saved``, bit for bit: the result of save() of a chain with the
    same settings. Of start only the number of nodes is then used, and seed and direction are not. Raises ValueError if
    the bytes are damaged or the state of another kind of chain."""

@final
class Regions:
    """Sets of a few nodes, within which excursions change parents."""

    def __init__(
        self,
        score: Score,
        nodes: list[list[int]],
        coldness: float,
        slope: float,
        barred: list[list[int]] = [],
        required: list[list[int]] = [],
        weights: list[float] = [],
    ) -> None:
        """Parents have the weights exp(coldness * score + slope * parents). barred: the parents that each node never
        has, required: those that it always has; weights: those of the regions. An empty list: none, or equal ones."""
    def far_shares(self, parents: list[list[int]], draws: int, seed: NDArray[np.uint64], seconds: float) -> list[float]:
        """Of each region: the share of proposals from this DAG in whose class more than one pair of nodes is joined
        that was not, or no longer, or only directions differ. Regions that are not reached in time have 0."""

@final
class OrderTables:
    """The weights of all sets of candidate parents of every node, for order excursions."""

    def __init__(
        self,
        score: Score,
        candidates: list[list[int]],
        most_parents: int,
        coldness: float,
        slope: float,
        required: list[list[int]] = [],
    ) -> None:
        """Weights are exp(coldness * score + slope * parents), 0 for more than most_parents parents.

        required: the parents that each node always has, ascending; they are not candidates. An empty list: none."""
    @property
    def coldness(self) -> float: ...
    @property
    def slope(self) -> float: ...

@final
class CompletedTable:
    """A table whose missing cells hold values that are drawn anew given a class; made by the functions below.

    Holes are rows of (row, column), sorted; each is filled at first with an observed cell of its column."""

    def draw(self, parents: list[list[int]]) -> None:
        """Draws the missing cells given the class of a DAG; without the GIL."""
    def score(self) -> Score:
        """The score of the table as it is completed now."""
    def cells(self) -> NDArray[np.float64]:
        """The values in the holes: numbers, or codes of levels."""
    def set_cells(self, cells: NDArray[np.float64]) -> None: ...
    def save(self) -> bytes: ...
    def load(self, saved: bytes) -> None: ...

def discrete_table(
    levels: list[int],
    codes: NDArray[np.uint16],
    holes: NDArray[np.int64],
    sample_size: float,
    seed: NDArray[np.uint64],
) -> CompletedTable:
    """For BDeu; codes: one row per node."""

def embedded_table(
    begin: list[int],
    values: NDArray[np.float64],
    points: list[list[float]],
    holes: NDArray[np.int64],
    alpha_mu: float,
    alpha_w: float,
    scale: float,
    seed: NDArray[np.uint64],
) -> CompletedTable:
    """For BGe, and for its form for blocks. values: one row per row of the table, of numbers or codes of levels. Node v
    has the columns begin[v] .. begin[v + 1] - 1. points: of a categorical node, the columns of its levels, one level
    after another; of others none.
    The prior of alpha_mu rows, alpha_w degrees of freedom and the scatter scale · I."""

def decode_class(
    n: int, origin: NDArray[np.int64], begin: NDArray[np.uint64], deltas: NDArray[np.uint32], index: int
) -> NDArray[np.uint8]:
    """The matrix of one listed class of a chain."""

def pair_marks(
    origin: NDArray[np.int64], begin: NDArray[np.uint64], deltas: NDArray[np.uint32], pair: int
) -> NDArray[np.uint8]:
    """The mark, in every listed class of a chain, of the pair a < b with the number b * (b - 1) / 2 + a. 0 for no edge,
    1 for a -> b, 2 for b -> a, 3 for a - b."""

def hashes_match(
    n: int,
    origin: NDArray[np.int64],
    begin: NDArray[np.uint64],
    deltas: NDArray[np.uint32],
    hashes: NDArray[np.uint64],
) -> bool:
    """Whether the listed classes of a chain have these hashes, two numbers for each class."""

def are_classes(
    n: int, origin: NDArray[np.int64], begin: NDArray[np.uint64], deltas: NDArray[np.uint32], every: int
) -> bool:
    """Whether the first and each ``every``-th of the listed graphs are CPDAGs."""

def relation(
    n: int,
    origin: NDArray[np.int64],
    begin: NDArray[np.uint64],
    deltas: NDArray[np.uint32],
    kind: Literal[0, 1, 2, 3, 4, 5],
    a: int,
    b: int,
) -> NDArray[np.uint8]:
    """For every listed class: whether a directed path leads from a to b (0), whether a is an ancestor of b in some DAG
    of the class (1), in every one (2), whether a is in the Markov blanket of b (3). For a list of orient_classes:
    whether a is an ancestor of b in some agreeing DAG (4), in every one (5)."""

def separated(
    n: int,
    origin: NDArray[np.int64],
    begin: NDArray[np.uint64],
    deltas: NDArray[np.uint32],
    a: int,
    b: int,
    given: list[int],
) -> NDArray[np.uint8]:
    """For every listed class: whether a and b are d-separated by the given nodes."""

def batch_sums(
    n: int,
    origin: NDArray[np.int64],
    begin: NDArray[np.uint64],
    deltas: NDArray[np.uint32],
    values: NDArray[np.float64],
    batch: NDArray[np.uint32],
    pairs: NDArray[np.int64],
    batches: int,
) -> NDArray[np.float64]:
    """The sums of a value over the listed classes of each batch with a -> b, b -> a and a - b; batches by pairs by 3,
    flat. Each class is stored as its difference from the previous one, and the classes of a batch are consecutive."""

def dag_parents(n: int, graphs: list[Graph]) -> NDArray[np.uint8]:
    """The parents of each node in the DAG of each class: n rows of ceil(n / 8) bytes per class, flat; x is bit x % 8 of
    byte x // 8."""

@final
class ClassCursor:
    """A walk through all listed classes of a chain that returns the selected ones, in the order of the walk."""

    def __init__(
        self,
        n: int,
        origin: NDArray[np.int64],
        begin: NDArray[np.uint64],
        deltas: NDArray[np.uint32],
        wanted: NDArray[np.uint8],
    ) -> None: ...
    def take(self, at_most: int) -> tuple[NDArray[np.int64], list[Graph]]:
        """The numbers and graphs of the next classes; empty at the end."""

@final
class Greedy:
    """A greedy search. Raises OverflowError(node, size of its clique) if a class is too dense."""

    def run(self, phase: int, seconds: float) -> bool:
        """Makes steps of one phase (0 forward, 1 backward, 2 turning; 3 climbing: delete, else reverse, else insert; 4
        retrying without one edge at a time) until none gains; False if the time is up."""
    def steps(self) -> list[tuple[Operator, float]]:
        """All steps so far, with their gains; a turn is two steps."""
    def graph(self) -> Graph: ...

def make_greedy(
    start: Graph,
    score: Score,
    prior: EdgePrior,
    max_degree: int,
    forbidden: list[tuple[int, int]],
    arrows: ArrowKnowledge | None = None,
) -> Greedy:
    """With arrows, all steps lead to classes that agree."""

def all_classes(
    n: int, table: NDArray[np.float64] | None, arrows: ArrowKnowledge | None = None
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64], NDArray[np.uint32]]:
    """Every class of n <= 6 nodes, by number of edges: its code, its size, the log of the mean over its DAGs of the
    exponential of their score, and the code of the graph with the arrows that all its DAGs have. With arrows, only
    classes and DAGs that agree with them count, and the last code has what they orient. The code has two bits per
    pair a < b, at 2 * (b * (b - 1) / 2 + a): 1 for a -> b, 2 for b -> a, 3 for a - b. The table holds the local
    scores, as fill_local_table writes them; None: all are 0."""

def fill_local_table(score: Score, max_parents: int, table: NDArray[np.float64]) -> None:
    """Writes the local scores of y into row y of a table of n by 2**(n-1): the set P of other nodes is at the number
    whose bits are those of P without the bit of y. Minus infinity for more than max_parents."""

def best_dag(table: NDArray[np.float64]) -> list[int]:
    """The parents of each node in a DAG of the highest score, as bits. Overwrites the table."""

def edge_posterior(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The probability of i -> j, and of a directed path from i to j, over all DAGs (n by n, flat), and the largest
    difference from 1 of sums of probabilities that must be 1. Overwrites the table."""

def draw_classes(
    table: NDArray[np.float64], draws: int, seed: NDArray[np.uint64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint32]]:
    """The classes of independent draws of DAGs, for n <= 18: the marks of all pairs of the distinct ones and their
    names, two words each (both flat), and the class of each draw."""

@final
class ArrowKnowledge:
    """Knowledge: arrows (x, y) that are forbidden, and arrows that are required.

    The required ones have no cycle and are not forbidden. What closes a cycle with required arrows is forbidden too. A
    DAG agrees if it has every required arrow and no forbidden one, a class if one of its DAGs does."""

    def __init__(self, n: int, forbidden: list[tuple[int, int]], required: list[tuple[int, int]]) -> None: ...
    @property
    def n(self) -> int: ...

Disagreement = tuple[str, list[int]]
"""Why a class does not agree with knowledge: a kind, and the nodes that show it.

"missing" [x, y], the arrow x -> y is required, but they are not adjacent; "forbidden" [x, y], an arrow of the class;
"joined" [x, y], they are adjacent and both arrows are forbidden; "against" [x, y], the knowledge has x -> y or forbids
y -> x, but the class and the rest of the knowledge compel y -> x.
"""

def orient(graph: Graph, arrows: ArrowKnowledge) -> NDArray[np.uint8] | Disagreement:
    """The matrix of the class with all arrows that its agreeing DAGs have in common; lines have a 1 both ways."""

def orient_classes(
    n: int, origin: NDArray[np.int64], begin: NDArray[np.uint64], deltas: NDArray[np.uint32], arrows: ArrowKnowledge
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint8]]:
    """The same for all listed classes of a chain: begin and deltas of the list of oriented graphs, whose origin is the
    same, and whether each class agrees. One that does not stays as it is."""

def count_dags(graph: Graph, arrows: ArrowKnowledge | None = None) -> bytes:
    """The number of DAGs of the class, as the bytes of an integer, least significant first. With arrows, of the DAGs
    that agree: 0 if the class does not. Raises OverflowError(nodes) if that takes too much work for these nodes."""

def random_dags(
    graph: Graph, seed: NDArray[np.uint64], out: NDArray[np.uint8], arrows: ArrowKnowledge | None = None
) -> None:
    """Fills the k by n by n array of zeros with k independent uniform DAGs of the class. seed: four words. With arrows,
    DAGs that agree; raises ValueError if there are none, and OverflowError(nodes) as count_dags does."""

def log_class_sizes(
    n: int,
    origin: NDArray[np.int64],
    begin: NDArray[np.uint64],
    deltas: NDArray[np.uint32],
    arrows: ArrowKnowledge | None = None,
) -> NDArray[np.float64]:
    """The natural logarithm of the number of DAGs of every listed class of a chain. With arrows, of those that agree:
    minus infinity if there are none; raises OverflowError(nodes) as count_dags does."""

def edge_sums(
    n: int,
    origin: NDArray[np.int64],
    begin: NDArray[np.uint64],
    deltas: NDArray[np.uint32],
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sums of a value over all listed classes of a chain with i -> j, and with i - j for i < j; n by n, flat."""

@final
class ParentSets:
    """Sums over listed classes for every distinct (cause x, parents of x), in one row each; made by parent_sets.

    Raises OverflowError(x, limit) if x has more than ``most_choices`` possible parent sets in one class, and
    OverflowError(-1, limit) if rows times n exceeds ``most_numbers``; the object is then of no further use."""

    def add(
        self,
        origin: NDArray[np.int64],
        begin: NDArray[np.uint64],
        deltas: NDArray[np.uint32],
        values: NDArray[np.float64],
    ) -> None:
        """Adds classes with their values; those with value 0 are skipped."""
    def take(
        self,
    ) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
        """Of every row: its cause, as an index into the causes; begin and members of the set, as in
        members[begin[i]:begin[i + 1]]; the sum of value times the share of the members of a class with these parents;
        and this sum over the classes in which y is below x, for each node y (n numbers per row, flat). The two sums are
        moved out, so the method is called once."""
    def batch_sums(
        self,
        origin: NDArray[np.int64],
        begin: NDArray[np.uint64],
        deltas: NDArray[np.uint32],
        values: NDArray[np.float64],
        batch: NDArray[np.uint32],
        batches: int,
        coefficients: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """For each batch of classes, cause x and node y: the sums of value * m and value * p (batches by causes by n by
        2, flat), where p is the share of members in which y is below x, and m the same with each parent set weighted by
        coefficients[row, y]. Then, by causes, n and 2, how often m and p change between successive classes. Sets
        without a row are left out."""
    def below_shares(
        self, origin: NDArray[np.int64], begin: NDArray[np.uint64], deltas: NDArray[np.uint32], y: int
    ) -> NDArray[np.float64]:
        """For each class the share of its members in which y is below the cause; there must be one cause."""

def parent_sets(
    n: int, causes: list[int], given: list[int], one_row: bool, most_choices: int, most_numbers: int
) -> ParentSets:
    """Causes ascending. With one_row there is one row per cause, for all its parent sets.

    The sets of a cause that is among the ``given`` nodes are those of the other given nodes above each outcome."""

def student_cdf(t: NDArray[np.float64], freedom: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(T <= t) for Student's t with these degrees of freedom, element by element."""

def mixture_quantiles(
    weight: NDArray[np.float64],
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    freedom: NDArray[np.float64],
    rest: NDArray[np.float64],
    levels: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each column of the matrices is a mixture of t distributions, one per row, with ``rest`` as a point mass at 0. The
    weight of the t distributions below 0, and the quantiles at the levels (columns by levels, flat)."""

most_mag_nodes: int

def mags_valid(n: int, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Which mixed graphs are maximal and ancestral. A row has the states of the pairs x < y of a graph, (0, 1) first:
    0 not joined, 1 x -> y, 2 y -> x, 3 x <-> y; the functions below take such rows of MAGs."""

def mag_keys(n: int, states: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Hashes of the Markov equivalence classes."""

def mag_ancestors(n: int, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Flat, n by n per graph: whether the row is an ancestor of the column, or the column itself."""

def pag_marks(n: int, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Flat, n by n per graph: the mark at the column of the edge in the PAG between the row and the column, 0 without
    an edge, 1 a circle, 2 an arrowhead, 3 a tail."""

def pag_ancestry(n: int, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Flat, n by n per graph: 1 if the row is an ancestor of the column in all members of the class, 2 if in none."""

def mag_members(n: int, state: NDArray[np.uint8], most: int) -> NDArray[np.uint8]:
    """Flat: the states of at most this number of members of the class of one MAG."""

def mag_changes(n: int, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Flat: for each graph, pair and new state of this pair, whether the result is a MAG."""

most_connecting_nodes: int

class MagScore:
    """A score of MAGs; not for several threads."""

    @property
    def fits(self) -> int:
        """The number of districts whose value was computed."""
    def totals(self, states: NDArray[np.uint8]) -> NDArray[np.float64]: ...

@final
class DistrictScore(MagScore):
    """The Gaussian BIC of MAGs."""

    def __init__(
        self,
        covariance: NDArray[np.float64],
        rows: float,
        penalty: float,
        offset: float,
        tolerance: float,
        starts: int,
    ) -> None: ...

@final
class ConnectingScore(MagScore):
    """The sum over m-connecting sets of a function of sets, given by its values at all sets as masks."""

    def __init__(self, n: int, values: NDArray[np.float64]) -> None: ...

@final
class MagKnowledge:
    """Pairs of nodes as n by n matrices of 0 and 1: the row is an ancestor of the column, is not, is not joined to it,
    is not joined to it by <->; the last two are symmetric."""

    def __init__(
        self,
        causes: NDArray[np.uint8],
        spares: NDArray[np.uint8],
        apart: NDArray[np.uint8],
        unconfounded: NDArray[np.uint8],
    ) -> None: ...
    def allows(self, n: int, states: NDArray[np.uint8]) -> NDArray[np.uint8]: ...

@final
class MagTarget:
    """A guess at the score refuses most changes before the score is computed."""

    def __init__(
        self, score: MagScore, known: MagKnowledge, edge_cost: float, guess: MagScore | None = None
    ) -> None: ...
    def transitions(self, state: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """The states of the graphs that one step of a chain can jump to from one MAG, and the probabilities."""

@final
class MagChain:
    def __init__(self, target: MagTarget, start: NDArray[np.uint8], seed: NDArray[np.uint64]) -> None: ...
    def anneal(self, steps: int, coldness: float) -> None:
        """Make the next steps at coldnesses from this one up to 1, and then forget what was counted."""
    def run(self, steps: int, seconds: float) -> int:
        """Make up to this number of steps, and return the number made before the time was over."""
    def thin(self, every: int) -> None:
        """From now on keep the graph of every so many steps that count."""
    def forget(self) -> None:
        """Remove what was counted and kept."""
    @property
    def annealing(self) -> bool: ...
    @property
    def steps(self) -> int: ...
    @property
    def jumps(self) -> int: ...
    @property
    def fits(self) -> int: ...
    @property
    def score(self) -> float:
        """Of the present graph."""
    def kept(self) -> NDArray[np.uint8]:
        """Flat: the states of the graphs that were kept."""
    def times(self) -> tuple[int, NDArray[np.uint64], NDArray[np.uint64]]:
        """The number of steps that count; flat, n by n by 4, those in each state of each pair; flat, n by n, those with
        the row an ancestor of the column."""

class testing:  # noqa: N801
    """A submodule for the tests of this package; written as a class because a stub file cannot hold a module."""

    @staticmethod
    def events(chain: Chain) -> list[tuple[int, Operator, float]]:
        """All ways to leave the present state: +1 insert, -1 delete, 0 flip; the operator; the log of its rate. An
        operator that knowledge refuses is a flip with the rate at which it reverses the direction."""
    @staticmethod
    def group_weights(table: CompletedTable, parents: list[list[int]], incomplete_row: int) -> list[list[float]]:
        """The log weights from which the missing levels of a row are drawn: of each group of holes, given the others,
        all combinations of levels, that of the first hole changing fastest."""
    @staticmethod
    def list_operators(chain: Chain) -> None:
        """Make a chain with knowledge list its operators, as it does where nearly all proposals are refused."""
    @staticmethod
    def audit(chain: Chain) -> str:
        """Compares the incremental state with one built from scratch: the first difference, or an empty string."""
    @staticmethod
    def audit_figures(chain: Chain) -> tuple[int, int, str]:
        """The same: the number of comparisons, that of differences, and the first difference."""
    @staticmethod
    def replace(chain: Chain, graph: Graph) -> None:
        """Go to any class to which the target gives a weight."""
    @staticmethod
    def set_score(chain: Chain, score: Score, value: float) -> None:
        """Another score of the same nodes, by which the present class has this value. Class, direction, accumulators
        and the interval are kept, moves and excursions are dropped."""
    @staticmethod
    def set_interval(chain: Chain, log2_interval: float) -> None:
        """Set the length of intervals, as the binary logarithm of a time of the process, and clear the accumulators."""
    @staticmethod
    def finish_interval(chain: Chain, seconds: float) -> bool:
        """Run to the end of the interval and begin the next one. Returns False if the seconds are up before, or the
        graph became too dense. Nothing is cleared. A fixed time of the process leaves the target invariant."""

    @final
    class ExcursionPieces:
        """The pieces of an excursion, from which a test writes down its transition matrix."""

        def __init__(
            self,
            tables: OrderTables,
            prior: EdgePrior,
            max_degree: int,
            knowledge: bool = False,
        ) -> None: ...
        def parts(self, parents: list[list[int]]) -> list[tuple[int, int, list[int]]]:
            """Of each node: the number of its candidates that take part, the mask of its parents, its fixed parents."""
        def place_weights(
            self, parents: list[list[int]], order: list[int], first: int, last: int, at: int
        ) -> list[float]:
            """Relative log weights of the orders in which a node is moved to each place of the window."""
        def parent_log_probabilities(self, parents: list[list[int]], v: int, before: int) -> list[float]:
            """Of each set of candidates, given the mask of those that come before the node."""
        def log_order_probability(self, parents: list[list[int]], order: list[int]) -> float: ...
        def log_target_ratio(self, before: list[list[int]], after: list[list[int]]) -> float: ...
        def log_size(self, arrows: list[list[int]], lines: list[list[int]]) -> float:
            """Of a class, given the parents and the neighbors of each node."""

    @final
    class RegionPieces:
        """The pieces of an excursion within a region; nodes of it have numbers, and sets of them are masks."""

        def __init__(self, regions: Regions, prior: EdgePrior, max_degree: int, knowledge: bool) -> None: ...
        def enter(self, region: int, parents: list[list[int]]) -> None:
            """Set the region, and what stays, for the methods below."""
        def log_order_probability(self, order: list[int]) -> float: ...
        def log_parents_probability(self, i: int, before: int, parents: int) -> float: ...
        def log_extensions(self, parents: list[list[int]]) -> float: ...
        def log_target_ratio(self, before: list[list[int]], after: list[list[int]]) -> float: ...
        def log_size(self, arrows: list[list[int]], lines: list[list[int]]) -> float: ...
