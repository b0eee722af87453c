"""CausalZigZag: the sampler as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from causal_zigzag.answers.held_out import log_predictive
from causal_zigzag.errors import DataError, MissingDependencyError
from causal_zigzag.sampling import sample
from causal_zigzag.support.rng import Rng
from causal_zigzag.tables.read_table import read_table

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingDependencyError(
        "CausalZigZag needs scikit-learn 1.6 or later; install it with: pip install 'causal-zigzag[sklearn]'",
        name="sklearn",
    ) from None

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from causal_zigzag.graphs.mpdag import ClassGraph
    from causal_zigzag.posterior.posterior import Posterior
    from causal_zigzag.sampler.settings import Balance, Settings
    from causal_zigzag.scores.base import Score
    from causal_zigzag.target.edge_prior import EdgePriorInput
    from causal_zigzag.target.knowledge import Knowledge


class CausalZigZag(BaseEstimator):
    """Causal discovery as a scikit-learn estimator: ``fit(X)`` samples classes as ``sample`` does.

    The parameters are those of ``sample``, except for two names to which scikit-learn gives another meaning:
    ``criterion`` is its ``score``, and ``random_state`` its ``rng``, which may also be a ``numpy.random.RandomState``.
    ``reading`` are arguments of ``read_table`` as a dict, such as ``{"kinds": "categorical"}``; no column is left out
    unless they say so. With ``checkpoint``, every ``fit`` needs a folder of its own, so it cannot be used within
    ``GridSearchCV``.

    After ``fit``:

    - ``adjacency_probabilities_``: n by n, the probability of an edge between any two columns;
    - ``causal_graph_``: the most probable class, a CPDAG (with ``knowledge`` an MPDAG), whose own probability may be
      small;
    - ``posterior_``: the ``Posterior``;
    - ``n_features_in_`` and, if the columns have names, ``feature_names_in_``.

    >>> import causal_zigzag as cz
    >>> X = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
    >>> model = cz.CausalZigZag(jumps=2000, random_state=1).fit(X)
    >>> model.causal_graph_
    CPDAG(3 nodes, 2 directed and 0 undirected edges: rain -> wet, sun -> wet)
    >>> bool(model.adjacency_probabilities_[0, 1] > 0.99)
    True
    """

    adjacency_probabilities_: NDArray[np.float64]
    causal_graph_: ClassGraph
    posterior_: Posterior
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        criterion: str | type[Score] = "auto",
        *,
        knowledge: Knowledge | None = None,
        edge_prior: EdgePriorInput = "auto",
        max_degree: int | None = None,
        momentum: float = 1.0,
        balance: Balance = "auto",
        coldness: float = 1.0,
        minutes: float | None = 1,
        jumps: int | None = None,
        chains: int = 4,
        resamples: int | Literal["auto"] = "auto",
        start: ClassGraph | str | Sequence[ClassGraph | str | None] | None = None,
        random_state: Rng | np.random.RandomState = None,
        executor: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: bool | None = False,
        settings: Settings | None = None,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        self.criterion = criterion
        self.knowledge = knowledge
        self.edge_prior = edge_prior
        self.max_degree = max_degree
        self.momentum = momentum
        self.balance = balance
        self.coldness = coldness
        self.minutes = minutes
        self.jumps = jumps
        self.chains = chains
        self.resamples = resamples
        self.start = start
        self.random_state = random_state
        self.executor = executor
        self.checkpoint = checkpoint
        self.progress = progress
        self.settings = settings
        self.reading = reading

    def fit(self, X: Any, y: object = None) -> CausalZigZag:  # noqa: ARG002, since pipelines pass a y
        """Sample the posterior given a table of observations, one column per variable; ``y`` is ignored.

        >>> import causal_zigzag as cz
        >>> model = cz.CausalZigZag(jumps=1000, random_state=1).fit([[0.1, 0.2], [0.5, 0.7], [0.9, 0.8]])
        >>> model.n_features_in_
        2
        """
        options = {name: value for name, value in self.get_params(deep=False).items() if name not in RENAMED}
        rng = self.random_state
        if isinstance(rng, np.random.RandomState):
            rng = np.random.default_rng(rng.randint(0, 2**32, size=4, dtype=np.uint32))
        table = self._table(X)
        posterior = sample(table, score=self.criterion, rng=rng, **options)
        self.posterior_ = posterior
        self.adjacency_probabilities_ = posterior.edge_probabilities().adjacent.copy()
        self.causal_graph_ = posterior.top(1)[0].graph
        return self

    def score(self, X: Any, y: object = None) -> float:  # noqa: ARG002, since pipelines pass a y
        """The mean log predictive density of held-out rows, averaged over DAGs drawn from the posterior.

        A DAG predicts each column given its parents: for continuous columns by a Student t distribution, the posterior
        predictive of a linear regression, and for categorical ones by the Dirichlet posterior of ``BDeu`` (with an
        equivalent sample size of 1 for ``DiscreteBIC``). With ``MixedBIC`` and ``MixedBGe`` the probability of a level
        is its share times the density of the parents given the level, which adds up to 1 over the levels. The
        densities of up to 200 DAGs are averaged. Larger is better, so ``GridSearchCV`` can choose parameters by it. A
        score without such a density raises a ``SettingsError``.

        >>> import causal_zigzag as cz
        >>> X = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> model = cz.CausalZigZag(jumps=2000, random_state=1).fit(X[:400])
        >>> empty = cz.CausalZigZag(jumps=2000, edge_prior=300, random_state=1).fit(X[:400])
        >>> model.score(X[400:]) > empty.score(X[400:])
        True
        """
        check_is_fitted(self, "posterior_")
        if hasattr(X, "columns"):
            validate_data(self, X, skip_check_array=True, reset=False)
        else:
            X = validate_data(self, X, dtype="numeric", reset=False)
        dags = self.posterior_.sample_dags(DRAWN_DAGS, rng=0)
        return float(log_predictive(self.posterior_.score, dags, X).mean())

    def edge_table(self) -> Any:
        """The table of edges of the posterior, as ``Posterior.edge_table``.

        >>> import causal_zigzag as cz
        >>> X = cz.datasets.linear_gaussian([("rain", "wet"), ("sun", "wet")], rows=500, rng=1)
        >>> cz.CausalZigZag(jumps=2000, random_state=1).fit(X).edge_table().columns[:3].tolist()
        ['x', 'y', 'adjacent']
        """
        check_is_fitted(self, "posterior_")
        return self.posterior_.edge_table()

    def _table(self, X: Any) -> Any:
        """The validated observations; also sets ``n_features_in_`` and ``feature_names_in_``.

        DataFrames may contain text and categories, which ``read_table`` validates; other data must be numeric arrays.
        """
        reads = hasattr(X, "columns") or self.reading is not None
        table = read_table(X, **{"strict": True, **(self.reading or {})}) if reads else None
        try:
            if table is not None:
                validate_data(self, X, skip_check_array=True)
                return table
            return validate_data(self, X, dtype="numeric", ensure_min_samples=2, ensure_min_features=2)
        except ValueError as error:  # from scikit-learn, which requires that its TypeErrors are not converted
            raise DataError(str(error)) from None


DRAWN_DAGS = 200
"""The number of DAGs over which predictions are averaged."""

RENAMED = ("criterion", "random_state", "reading")
