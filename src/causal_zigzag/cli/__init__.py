"""The command `causal-zigzag`. Commands import what they need when they run, so that `--help` is fast."""

from __future__ import annotations

import click

from causal_zigzag.cli.audit import audit
from causal_zigzag.cli.classes import count, operators, uniform
from causal_zigzag.cli.compare import compare
from causal_zigzag.cli.effects import effects
from causal_zigzag.cli.exact import exact
from causal_zigzag.cli.explain import explain
from causal_zigzag.cli.group import CausalZigzagGroup
from causal_zigzag.cli.hidden import hidden
from causal_zigzag.cli.judge import judge
from causal_zigzag.cli.runs import edges, graphs, report
from causal_zigzag.cli.sample import demo, extend, resample, resume, sample
from causal_zigzag.cli.search import ges, search

__all__ = ["main"]


@click.group(cls=CausalZigzagGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="causal-zigzag", prog_name="causal-zigzag", message="%(prog)s %(version)s")
def main() -> None:
    """Find causal graphs that fit a table of data, and the probability of each.

    Observations determine a causal graph at best up to its Markov equivalence class.
    This program samples such classes in proportion to their probability given the data.

    \b
    Examples:
      causal-zigzag demo
      causal-zigzag audit cells.csv
      causal-zigzag sample cells.csv --out cells.czz --report cells.html
      causal-zigzag edges cells.czz --csv > edges.csv
      causal-zigzag effects cells.czz --outcome Akt
      causal-zigzag judge cells.czz my.dot
      causal-zigzag search cells.csv
      echo "a -> c, b -> c" | causal-zigzag count -

    Exit codes: 0 success, 1 error, 2 wrong usage, 3 a run until convergence that has not converged when its minutes are
    over (its results are printed and saved), 130 ended by Ctrl-C (what was sampled so far is saved).
    """


SAMPLING = (demo, audit, sample, resume, extend, resample)
WORKFLOW = (*SAMPLING, ges, search, exact, report, edges, effects, graphs, hidden, explain, judge, compare)
for command in (*WORKFLOW, uniform, count, operators):
    main.add_command(command)
