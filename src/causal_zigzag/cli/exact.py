"""The command `exact`: probabilities of edges by sums over all DAGs, for up to 18 columns."""

from __future__ import annotations

from typing import Any

import click

from causal_zigzag.cli.inputs import load_table
from causal_zigzag.cli.knowledge_options import knowledge_options
from causal_zigzag.cli.options import Count, form_options, least_option, score_options
from causal_zigzag.cli.output import echo_frame
from causal_zigzag.cli.table_options import table_options


@click.command()
@click.argument("data")
@table_options
@score_options
@knowledge_options
@click.option("--max-parents", type=Count(0), help="Maximum number of parents per variable.  [default: no limit]")
@least_option("that are adjacent with")
@form_options("csv", "json")
def exact(
    data: str,
    reading: dict[str, Any],
    least: float,
    form: str | None,
    **target: Any,
) -> None:
    """Compute the exact probability of every edge between the columns of DATA, at most 18.

    Nothing is sampled: the probabilities are sums over all DAGs, under the uniform prior over DAGs, as with
    `sample --prior dags`. 14 columns take less than a second, 18 about 15 seconds. One line per pair of variables x and
    y: the probability of any edge between them (adjacent), of x -> y (forward) and y -> x (backward), and that x is a
    cause of y (x_causes_y) or y of x (y_causes_x), directly or through others.

    DATA is a CSV, TSV, Excel or Parquet file, - for CSV from standard input, or the name of a bundled table.

    \b
    Examples:
      causal-zigzag exact cells.csv --least 0.5
      causal-zigzag exact cells.csv --tiers "age,sex;..."
      causal-zigzag exact cells.csv --edge-prior none --csv > edges.csv
    """
    import causal_zigzag as cz
    from causal_zigzag.support.wording import probability

    frame = cz.exact_edge_posterior(load_table(data, reading), **target).edge_table()
    shown = dict.fromkeys(frame.columns.drop(["x", "y"]), probability)
    echo_frame(frame[frame["adjacent"] >= least], form, shown, least, "is adjacent")
