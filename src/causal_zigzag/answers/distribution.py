"""Distribution: the questions that exact and sampled posteriors answer alike, each a function of weighted classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from causal_zigzag.answers.acts_on import acts_on, directed_by_conditions
from causal_zigzag.answers.consensus import CONSENSUS_THRESHOLD, consensus
from causal_zigzag.answers.effect_pictures import EffectPictures
from causal_zigzag.answers.effects.queries import (
    ancestors,
    effect,
    effects,
    joint_effect,
    node_list,
    strengths,
    with_strengths,
)
from causal_zigzag.answers.handed_over.methods import Exchange
from causal_zigzag.answers.member_dags import sample_dags
from causal_zigzag.answers.missing_data import ImputedTable, MissingCells, imputed, missing_cells
from causal_zigzag.answers.model_check.model_check import ModelCheck, check_model
from causal_zigzag.answers.over_time import over_time
from causal_zigzag.answers.pair_explanation import PairExplanation, explain_pair
from causal_zigzag.answers.statement_probability import Probability, probability_that, statement_error
from causal_zigzag.answers.top_classes import CredibleSet, TopClasses, class_share, credible_set, top_classes
from causal_zigzag.graphs.labels import Labels
from causal_zigzag.support.arguments import hinted, no_attribute
from causal_zigzag.support.validation import check_flag, check_least

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from causal_zigzag.answers.edge_probabilities import EdgeProbabilities
    from causal_zigzag.answers.effects.effect import Effect
    from causal_zigzag.answers.model_check.stored_check import StoredCheck
    from causal_zigzag.answers.statements import Statement
    from causal_zigzag.answers.weighted_classes import WeightedClasses
    from causal_zigzag.graphs.edge_graph import EdgeGraph
    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.support.rng import Rng
    from causal_zigzag.target.target import Target

JOINT_DRAWS = 4000  # of DAGs and parameters, for joint effects
LEAST_ARROW = 0.01  # probability of an arrow, for its strength to be listed


class Distribution(Exchange, ABC):
    """The methods that ``Posterior``, ``ExactPosterior`` and ``ExactDraws`` share."""

    target: Target
    _checked: StoredCheck | None = None  # the check of the model in the file that this comes from

    @property
    @abstractmethod
    def _classes(self) -> WeightedClasses:
        """The classes with their probabilities, of which every answer is a function."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """An error that names what stands here for an attribute that users of other packages look for."""
            if hasattr(type(self), name):  # a property that raised an AttributeError of its own
                return object.__getattribute__(self, name)
            raise no_attribute(self, name)

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The labels of the nodes, in the order of the arrays.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(["a", "b"]), jumps=1000, rng=1).nodes
        ('a', 'b')
        """
        return self.target.nodes

    @property
    def class_count(self) -> int:
        """The number of classes; of a sampled posterior, of those that are listed.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(4)).class_count
        185
        """
        return len(self._classes)

    def top(self, k: int = 10) -> TopClasses:
        """The k most probable classes with their probabilities and scores, the most probable first.

        The result is a list of ``TopClass``, which notebooks show as cards with pictures.

        >>> import causal_zigzag as cz
        >>> score = cz.GaussianBIC.from_covariance([[1, 0.5], [0.5, 1]], n_samples=100, nodes=["a", "b"])
        >>> graph, probability, score = cz.sample(score, jumps=1000, rng=1).top(1)[0]
        >>> graph
        CPDAG(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return top_classes(self._classes, k)

    def probability(self, g: ClassGraph) -> float:
        """The probability of a class, given as a CPDAG, or as an MPDAG if there is knowledge.

        In a sampled posterior it is the share of the time in this class, and 0 for a class that is not listed; if such
        a class was visited, its time is part of ``unlisted``.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(2), jumps=1000, rng=1)
        >>> round(posterior.probability(cz.CPDAG.complete(2)), 2)
        0.5
        """
        return class_share(self._classes, g)

    def probability_that(self, statement: Statement | Callable[[Any], bool]) -> Probability:
        """The probability that a statement of ``cz.statements``, or your function of a class, is true.

        Statements are fast; a function is called once per listed class. For classes that are not listed, the
        probability is estimated from ``draws()``; for single edges it is known. The result is a float with the
        attributes ``lower`` and ``upper``: its values if the statement were false, or true, in all unlisted classes.
        ``mcse(statement)`` is its Monte Carlo error. For a statement about DAGs, ``cz.ancestor``, a class counts with
        the share of its DAGs for which it is true.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1)
        >>> abs(posterior.probability_that(cz.statements.path("a", "c")) - 1 / 11) < 0.02  # a -> c <- b
        True
        >>> abs(posterior.probability_that(lambda g: g.edge_count <= 1) - 4 / 11) < 0.02
        True
        """
        return probability_that(self._classes, statement)

    def mcse(self, statement: ClassGraph | Statement | Callable[[Any], float]) -> float:
        """The Monte Carlo standard error of the probability of a class, or of the mean of a function of the class.

        It is estimated from the draws at regular times. Probabilities also use the time between draws; the error is
        reduced for this by a factor measured on edges and score, chosen so that the error is too large rather than too
        small. NaN if the values of the draws change fewer than ten times. 0 for an exact posterior.

        >>> import causal_zigzag as cz
        >>> posterior = cz.sample(cz.Uniform(3), jumps=10_000, rng=1)
        >>> abs(posterior.probability(cz.CPDAG.empty(3)) - 1 / 11) < 5 * posterior.mcse(cz.CPDAG.empty(3)) < 0.05
        True
        >>> posterior.mcse(lambda g: g.edge_count == 3) < 0.01
        True
        """
        return statement_error(self._classes, statement)

    def credible_set(self, level: float = 0.95) -> CredibleSet:
        """The smallest set of classes with at least this probability, as a sequence like the list of ``top``.

        Raises a ``SettingsError`` if the listed classes together have less probability.

        >>> import causal_zigzag as cz
        >>> len(cz.sample(cz.Uniform(3), jumps=20_000, rng=1).credible_set(0.5))  # 11 equally probable classes
        6
        """
        return credible_set(self._classes, level)

    def sample_dags(self, k: int, rng: Rng = None) -> NDArray[np.uint8]:
        """Draw k independent DAGs from the posterior, as an array of k matrices like that of ``CPDAG.dag``.

        For each DAG, a listed class is drawn with its probability, then one of the DAGs of that class uniformly, which
        is right for a score-equivalent score; another score raises a ScoreError. Under the prior "dags" (see
        ``reweight``), DAGs of the same score have the same probability. With knowledge, only DAGs that agree are drawn.

        >>> import causal_zigzag as cz
        >>> dags = cz.sample(cz.Uniform(3), jumps=1000, rng=1).sample_dags(100, rng=2)
        >>> dags.shape
        (100, 3, 3)
        """
        return sample_dags(self._classes, k, rng)

    @property
    def missing(self) -> MissingCells | None:
        """The missing cells of the table, and what their places are related to; None if no cell was missing.

        >>> import causal_zigzag as cz
        >>> cz.sample(cz.Uniform(3), jumps=100, rng=1).missing is None
        True
        """
        return missing_cells(self._classes)

    def imputed(self, k: int, rng: Rng = None) -> list[ImputedTable]:
        """Completed tables, each with the graph that its missing cells were drawn with, for use elsewhere.

        These k tables are drawn at random from those that the run has kept, up to 100 per chain, evenly spaced. Rows
        without any observed cell are left out.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=200, rng=1)
        >>> table.loc[:39, "wet"] = None
        >>> completed, graph = cz.sample(table, jumps=2000, rng=1).imputed(5, rng=1)[0]
        >>> bool(completed["wet"].isna().any()), graph.nodes
        (False, ('rain', 'wet', 'sun'))
        """
        return imputed(self._classes, k, rng)

    def edge_probabilities(self) -> EdgeProbabilities:
        """The probability of every edge, in the order of ``nodes``; time in unlisted classes is included.

        >>> import causal_zigzag as cz
        >>> edges = cz.sample(cz.Uniform(2), jumps=1000, rng=1).edge_probabilities()
        >>> edges.adjacent.round(1).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        return self._classes.edges

    @hinted
    def edge_table(self, *, least: float = 0.0, strength: bool = False) -> pd.DataFrame:
        """One row per pair of nodes x and y that are adjacent with at least this probability, the most probable first.

        The columns are x, y, the probability that they are ``adjacent``, and the probabilities of the three kinds of
        edge: ``forward`` (x -> y), ``undirected`` (x - y) and ``backward`` (y -> x). A sampled posterior also has the
        Monte Carlo standard error of ``adjacent``, ``mcse``; it is NaN if the adjacency changed fewer than ten times in
        all chains. If rows were resampled, ``adjacent_again``, ``forward_again``, ``undirected_again`` and
        ``backward_again`` are the same probabilities over resampled rows, and ``mcse_again`` is the largest of their
        Monte Carlo errors.

        With ``strength``, the last columns are about the likelier of the two arrows: its ``cause``, its ``strength``
        given that it is there, the 95 % interval ``strength_lower`` to ``strength_upper``, and ``strength_positive``,
        the probability that its sign is positive; see ``strengths``, which also has units and levels.

        >>> import causal_zigzag as cz
        >>> table = cz.sample(cz.Uniform(["a", "b", "c"]), jumps=20_000, rng=1).edge_table()
        >>> list(table.columns)
        ['x', 'y', 'adjacent', 'forward', 'undirected', 'backward', 'mcse']
        >>> bool((abs(table["adjacent"] - 6 / 11) < 5 * table["mcse"]).all())
        True
        >>> cz.exact_posterior(cz.Uniform(["a", "b"])).edge_table()
           x  y  adjacent  forward  undirected  backward
        0  a  b       0.5      0.0         0.5       0.0
        """
        check_flag("strength", strength)
        check_least(least)
        errors = None if self._classes.is_exact else self._classes.edge_errors[:, :, 0]
        again = self._classes.resampled
        table = self._classes.edges.table(errors, None if again is None else again.edge_errors.max(axis=-1))
        table = table[table["adjacent"] >= least] if least > 0 else table
        return with_strengths(table, self._classes) if strength else table

    def acts_on(self) -> pd.DataFrame:
        """Which variables each experimental condition acts on: one row per condition and variable.

        The columns are the ``condition``, the ``variable`` and the ``probability`` that the condition acts on it
        directly, not only through other variables; the most probable one is first.

        >>> import numpy as np
        >>> import causal_zigzag as cz
        >>> rng = np.random.default_rng(1)
        >>> drug = np.repeat([0, 1], 100)
        >>> dose = rng.normal(size=200) + drug
        >>> table = cz.read_table({"drug": drug, "dose": dose, "effect": dose + rng.normal(size=200)}, contexts="drug")
        >>> cz.exact_posterior(table).acts_on().round(2)
          condition variable  probability
        0      drug     dose          1.0
        1      drug   effect          0.0
        """
        return acts_on(self._classes)

    def directed_by_conditions(self) -> pd.DataFrame:
        """The arrows between variables that experimental conditions direct, the most probable first.

        The ``probability`` of the arrow is compared with that ``without_conditions``: in the same graphs, how probable
        it is that the direction would be known from observations of the variables alone. Both are those of the most
        probable 1000 classes.

        >>> import numpy as np
        >>> import causal_zigzag as cz
        >>> rng = np.random.default_rng(1)
        >>> drug = np.repeat([0, 1], 100)
        >>> dose = rng.normal(size=200) + drug
        >>> table = cz.read_table({"drug": drug, "dose": dose, "effect": dose + rng.normal(size=200)}, contexts="drug")
        >>> cz.exact_posterior(table).directed_by_conditions().round(2).head(1)
          cause outcome  probability  without_conditions
        0  dose  effect          1.0                 0.0
        """
        return directed_by_conditions(self._classes)

    def over_time(self) -> pd.DataFrame:
        """For a table of ``cz.lagged``: which series causes which, one row per cause, lag and outcome.

        The columns are the ``cause``, the ``lag`` in steps (0 within a time), the ``outcome``, the ``probability`` of
        the arrow, that of an edge whose direction is ``open`` (only within a time), and the probability of an arrow
        from this cause to this outcome at ``any_lag``. The most probable cause is first.

        >>> import numpy as np
        >>> import causal_zigzag as cz
        >>> x, y = np.random.default_rng(1).normal(size=(2, 200))
        >>> y[1:] += 0.9 * x[:-1]
        >>> cz.exact_posterior(cz.lagged({"x": x, "y": y}, lags=1)).over_time().round(2).head(2)
          cause  lag outcome  probability  open  any_lag
        0     x    1       y         1.00   0.0      1.0
        1     x    0       y         0.02   0.0      1.0
        """
        return over_time(self._classes)

    def consensus(self, threshold: float = CONSENSUS_THRESHOLD) -> EdgeGraph:
        """A summary of edges: the pairs that are adjacent with at least this probability. Reports and plots show it.

        A pair has an arrow x -> y only if this arrow itself has more than half of all probability, also when rows are
        resampled if they were, and a line otherwise. Where such arrows form a cycle, the least probable arrow of it
        becomes a line. The result is an ``EdgeGraph``, which need not be a class; ``top(1)`` has the most probable
        class.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(["a", "b"]), edge_prior=-3).consensus()
        EdgeGraph(2 nodes, 0 directed and 1 undirected edges: a - b)
        """
        return consensus(self._classes.edges, threshold)

    def check_model(self, data: Any = None, classes: int = 3) -> ModelCheck:
        """Whether the most probable classes, and the form of relations that the score assumes, fit the rows.

        One DAG of each of the most probable ``classes`` is tested, except for classes with less than a tenth of the
        probability of the first one: each node should be independent of the nodes before it, given its parents. For a
        linear model these are tests of partial correlations, and of the residuals: whether they are curved, their
        spread changes, or cells are outlying. The p-value of all
        tests together is calibrated for linear models: a table for which the model holds is rejected in 5 % of cases.
        For categorical columns they are G tests. These also see weak dependences that the score leaves out, so that
        they reject more often, and reports do not show them.

        The rows are those of the table of the score, or those of ``data``. They are not saved, but the result is, so a
        posterior from a file needs no data for the same number of classes. At most 2000 complete rows are tested.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("a", "b"), ("b", "c")], rows=300, rng=1)
        >>> print(str(cz.sample(table, jumps=1000, rng=1).check_model()).splitlines()[0])
        The model fits as far as these tests can see: p = 0.14.
        """
        return check_model(self._classes, data, classes, self._checked)

    def explain(self, x: Hashable, y: Hashable) -> PairExplanation:
        """What is known of one pair of nodes, in words and numbers.

        That is the probability that they are joined, with its error and by chain; of the three kinds of edge, and what
        holds of this when rows are resampled; which variables are joined to both; which of the most probable classes
        disagree; and the effects of each on the other.

        >>> import causal_zigzag as cz
        >>> print(cz.exact_posterior(cz.Uniform(["a", "b"])).explain("a", "b"))
        a and b are joined with probability 0.500: a -> b 0, b -> a 0, open 0.500.
        No arrow has more than half of all probability.
        Joined to both: no variable.
        The most probable class (0.500) has no edge; of the 2 most probable, these disagree: class 2 (0.500): a - b.
        """
        return explain_pair(self._classes, x, y)

    def effect(
        self, x: Hashable, y: Hashable, *, jointly_with: Sequence[Any] = (), draws: int = JOINT_DRAWS, rng: Rng = None
    ) -> Effect:
        """The total effect of x on y: what happens to y if x is set by an intervention, do(x).

        It is averaged over all graphs and their parameters. In each class, every possible set of parents of x has the
        share of the DAGs that have it, by exact counting. A condition or a column of the past has no parents, and is
        adjusted for those others that are ancestors of y.

        The result is an ``Effect`` for every score: the change of the mean of y, or of the probability of one of its
        levels, if x is raised by 1 or set to another level. Of several levels it is the largest change from the first
        level of x; ``contrast`` has the others, ``levels`` and ``curve()`` have E[y | do(x = a)]. Under
        ``AdditiveGP`` the change per unit is the mean slope of a curve.

        If other nodes are set together with x, ``jointly_with``, it is the change of y per unit of x with the others
        held, and ``joint`` has that of each of them. This is for linear scores of numbers, and is computed from about
        ``draws`` DAGs and parameters, drawn with ``rng``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> posterior = cz.sample(table, jumps=2000, rng=1)
        >>> posterior.effect("wet", "rain").probability_nonzero < 0.1
        True
        >>> posterior.effect("rain", "wet", jointly_with=["sun"], rng=1).probability_nonzero > 0.9
        True
        """
        others = node_list(Labels(self._classes.nodes), jointly_with, "jointly_with")
        return joint_effect(self._classes, [x, *others], y, draws, rng) if others else effect(self._classes, x, y)

    @hinted
    def effects(self, causes: Any = None, outcomes: Any = None, *, standardized: bool = False) -> pd.DataFrame:
        """The effects of all causes on all outcomes: one row per ordered pair, the largest mean effect first.

        Pairs whose 95 % interval is 0 to 0, as an effect is improbable, come last. ``causes`` and ``outcomes`` are a
        node or a list of nodes; all nodes by default. The columns are the same for every score. The row of a pair is
        ``effect(cause, outcome)``: the change of the mean of the outcome, or of the probability of this ``level``, if
        the cause is set to the level ``to`` instead of its first level ``from``; these three are None for numbers.
        ``lower`` and ``upper`` are the ends of ``interval(0.95)``, ``path_lower`` and ``path_upper`` those of the
        interval given a causal path, whose probability is ``probability_nonzero``. ``robustness`` and
        ``robustness_interval`` are the ``estimate`` and ``interval`` of ``Effect.robustness``, NaN where there is none.
        ``mcse`` is the Monte Carlo standard error of ``mean``, and ``note`` says where an effect needs care. If
        ``standardized``, effects are in standard deviations of the outcome per standard deviation of the cause, so that
        causes in different units can be compared; probabilities have no units.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> effects = cz.sample(table, jumps=2000, rng=1).effects(outcomes="wet")
        >>> sorted(effects["cause"])
        ['rain', 'sun']
        >>> list(effects.columns[:9])
        ['cause', 'outcome', 'level', 'from', 'to', 'mean', 'sd', 'lower', 'upper']
        """
        check_flag("standardized", standardized)
        return effects(self._classes, causes, outcomes, standardized)

    def strengths(self, *, standardized: bool = False, least: float = LEAST_ARROW) -> pd.DataFrame:
        """Sign and size of direct edges: one row per arrow with at least this probability, the most probable first.

        ``probability`` is the share of the DAGs that have the arrow. The other numbers are about these DAGs only: the
        posterior of the coefficient of the cause in the regression of the outcome on all its parents, with its
        ``mean``, ``sd``, 95 % interval ``lower`` to ``upper``, and ``probability_positive``, that its sign is positive.
        For curves it is the mean slope; between levels, the largest change of a mean or of the probability of a
        ``level``, as in ``effects``. If ``standardized``, numbers are in standard deviations.

        >>> import causal_zigzag as cz
        >>> known = cz.Knowledge(required=[("rain", "wet"), ("wet", "ice")], forbidden=[("rain", "ice")])
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("wet", "ice")], rows=500, rng=1)
        >>> strengths = cz.exact_posterior(cz.GaussianBIC(table), knowledge=known).strengths()
        >>> sorted(zip(strengths["cause"], strengths["outcome"], strengths["probability"]))
        [('rain', 'wet', 1.0), ('wet', 'ice', 1.0)]
        """
        check_flag("standardized", standardized)
        check_least(least)
        return strengths(self._classes, standardized, least)

    @property
    def plot(self) -> EffectPictures:
        """Pictures, as methods: ``plot.effects(outcome)``; a sampled posterior has more, see ``Plots``.

        >>> import causal_zigzag as cz
        >>> table = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> cz.exact_posterior(table).plot.effects("wet").get_title(loc="left")
        'What changes wet'
        """
        return EffectPictures(self)

    def ancestors(self) -> pd.DataFrame:
        """The probability that the node of the row is an ancestor of the node of the column, for any score.

        Within a class, it is the share of its DAGs in which it is one. ``cz.ancestor`` is the
        same as a statement, and ``cz.statements.certain_ancestor`` is about all DAGs of a class.

        >>> import causal_zigzag as cz
        >>> cz.exact_posterior(cz.Uniform(["a", "b"])).ancestors()  # a - b has half of the probability
              a     b
        a  0.00  0.25
        b  0.25  0.00
        """
        return ancestors(self._classes)
