"""The command `audit`: one page about a table, before anything is sampled."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Any

import click

from causal_zigzag.cli.inputs import load_table
from causal_zigzag.cli.options import form_options
from causal_zigzag.cli.output import echo_json, echo_text
from causal_zigzag.cli.table_options import table_options


@click.command()
@click.argument("data")
@table_options
@form_options("json")
def audit(data: str, reading: dict[str, Any], form: str | None) -> None:
    """Look at the table DATA without sampling it, and print one page.

    The page has the kinds of the columns and why, missing cells, what is left out or changed, and doubts about the
    assumptions, the worst first: near-duplicates, functions of other columns, groups and repeated measures, order in
    time, curves, skewness, zeros and outliers. Every finding has its statistic and its threshold, what `sample` does
    about it, and the option that decides otherwise. The last line is the command to paste.

    DATA is a CSV, TSV, Excel or Parquet file, - for CSV from standard input, or the name of a bundled table.

    \b
    Examples:
      causal-zigzag audit cells.csv
      causal-zigzag audit counts.csv --weights Freq
    """
    import causal_zigzag as cz

    found = cz.audit(load_table(data, reading, notes=False))
    if form == "json":
        echo_json(asdict(found) | {"command": found.command(shlex.quote(data))})
    else:
        echo_text(found.page(shell=True, data=shlex.quote(data)))
