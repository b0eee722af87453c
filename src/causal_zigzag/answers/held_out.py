"""log_predictive: the density of held-out rows, predicted by DAGs that were drawn from a posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from causal_zigzag.scores.base import Score


def log_predictive(score: Score, dags: NDArray[np.uint8], data: Any) -> NDArray[np.float64]:
    """The log of the mean density of each row over the DAGs, given the rows from which the score was computed.

    Contexts are given, so that the density is that of the other columns.
    """
    prediction = score.prediction(data)
    explained = [y for y, name in enumerate(score.nodes) if name not in score.contexts]
    known: dict[tuple[int, bytes], NDArray[np.float64]] = {}
    logs = np.zeros((len(dags), prediction.n_rows))
    for k, dag in enumerate(dags):
        for y in explained:
            key = (y, dag[:, y].tobytes())
            if key not in known:
                known[key] = prediction.log_density(y, np.flatnonzero(dag[:, y]))
            logs[k] += known[key]
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - np.log(len(dags)))
