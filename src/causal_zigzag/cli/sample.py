"""The commands `demo`, `sample`, `resume` and `extend`: a table becomes a posterior, a saved run and a report."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.findings import run_value, show_results
from causal_zigzag.cli.group import INTERRUPTED, NOT_CONVERGED
from causal_zigzag.cli.inputs import file_or_bundled, load_table, read_run, read_start
from causal_zigzag.cli.knowledge_options import knowledge_options
from causal_zigzag.cli.options import (
    Count,
    max_degree_option,
    minutes_option,
    resamples_option,
    score_options,
    seed_option,
    several,
)
from causal_zigzag.cli.output import STDIO, check_outputs, echo_json, write_with
from causal_zigzag.cli.table_options import read_names, table_options

if TYPE_CHECKING:
    from collections.abc import Callable

    import causal_zigzag as cz

DEMO_TABLE = "farm"
DEMO_JUMPS = 200_000
DEMO: dict[str, Any] = {"resamples": 32, "rng": 1}


@click.command()
@click.option("--report", "report_path", default="report.html", show_default=True, help="File of the report.")
@click.option("--jumps", type=Count(1), default=DEMO_JUMPS, show_default=True, help="Number of jumps of each chain.")
def demo(report_path: str, jumps: int) -> None:
    """Sample a bundled table, show its known causal graph next to the result, and write a report.

    The table is simulated: the weather, the soil, the harvest and the price of 800 fields. The seed is
    fixed, so that every run of the demo prints the same.
    """
    import causal_zigzag as cz

    check_outputs(report_path)
    about = cz.datasets.describe(DEMO_TABLE)
    click.echo(f"Sampling: {about.title}, {about.rows} rows and {len(about.columns)} columns, 4 chains.", err=True)
    posterior = cz.sample(load_table(DEMO_TABLE, {}), jumps=jumps, **DEMO)
    show_results(posterior)
    write_with(posterior.report, report_path, "Report")
    _end(posterior)


def run_command(command: Callable[..., cz.Posterior]) -> Callable[..., None]:
    """A command that returns a run, with the options for its workers and its output."""

    @functools.wraps(command)
    def run(
        scheduler: str | None, prior: str, out: str | None, report_path: str | None, as_json: bool, **given: Any
    ) -> None:
        from causal_zigzag.sampler.parallel.dask_cluster import cluster

        if given.get("jumps") is not None and given["minutes"] is not None:
            raise click.UsageError("--jumps is a fixed length and --minutes the limit of a run; give one of them")
        taken = [out, report_path].count(STDIO)
        if taken + as_json > 1:
            raise click.UsageError("only one of --out -, --report - and --json can use standard output")
        check_outputs(out, report_path, folder=given.get("checkpoint", given.get("folder")))
        with cluster(scheduler) as executor:
            posterior = command(executor=executor, **given)
        if prior == "dags":
            posterior = posterior.reweight("dags")
        if out is not None:  # first, so that it is safe if the report fails
            write_with(posterior.save, out, "Run", err=taken > 0 or as_json)
        if report_path is not None:
            write_with(posterior.report, report_path, "Report", err=taken > 0 or as_json)
        saved = "" if out in (None, STDIO) else str(out)
        if as_json:
            echo_json(run_value(posterior, saved) | {"run": out, "report": report_path})
        else:
            show_results(posterior, err=taken > 0, saved=saved)
        _end(posterior)

    return several(
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Run the chains on a Dask cluster with this scheduler, such as tcp://...",
        ),
        click.option(
            "--prior",
            type=click.Choice(["classes", "dags"]),
            default="classes",
            show_default=True,
            help="Prior distribution: uniform over classes or uniform over DAGs.",
        ),
        click.option("--out", metavar="RUN", help="Save the run to this file (.czz); - is standard output."),
        click.option(
            "--report", "report_path", metavar="HTML", help="Write an HTML report to this file; - is standard output."
        ),
        click.option("--json", "as_json", is_flag=True, help="Print the results as JSON."),
    )(run)


def _end(posterior: cz.Posterior) -> None:
    """Exit with the code of a run that was interrupted, or that was to converge and has not."""
    if posterior._interrupted:
        raise click.exceptions.Exit(INTERRUPTED)
    if posterior.settings.converge and not posterior.diagnostics().ok:
        raise click.exceptions.Exit(NOT_CONVERGED)


UNTIL = "Stop after this many minutes, even if the run has not converged.  [default: 1]"


@click.command()
@click.argument("data")
@table_options
@score_options
@max_degree_option
@knowledge_options
@click.option(
    "--jumps",
    type=Count(1),
    help="Number of jumps of each chain after the warm-up.  [default: until converged, see --minutes]",
)
@minutes_option(UNTIL)
@click.option(
    "--warmup",
    type=Count(0),
    help="Number of initial jumps of each chain to discard.  [default: until edges and score no longer drift]",
)
@click.option("--chains", type=Count(1), default=4, show_default=True, help="Number of chains.")
@seed_option
@click.option(
    "--momentum",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    metavar="NUMBER",
    help="Persistence of the direction: 1 is the Zig-Zag, 0 a reversible chain.",
)
@click.option(
    "--balance",
    type=click.Choice(["auto", "sqrt", "metropolis", "barker"]),
    default="auto",
    show_default=True,
    help="Balance function, which turns ratios of weights into jump rates.",
)
@click.option(
    "--coldness",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    metavar="NUMBER",
    help="Factor of the log score in the target (inverse temperature); 0 samples the prior.",
)
@click.option(
    "--start",
    default="empty",
    metavar="empty|ges|search|scattered|FILE",
    show_default=True,
    help="Start of the chains: the empty graph, the result of `ges` or `search`, classes far apart, or a graph in a "
    "file.",
)
@click.option(
    "--anneal/--no-anneal",
    default=True,
    show_default=True,
    help="Start each chain at a high temperature and cool it (simulated annealing).",
)
@click.option(
    "--excursions/--no-excursions",
    default=None,
    help="Move chains between modes by order excursions.  [default: yes, unless there are too many columns]",
)
@resamples_option
@click.option(
    "--checkpoint",
    metavar="DIR",
    help="Save the state of the run in this folder regularly; `resume` continues from it.",
)
@run_command
def sample(
    data: str,
    reading: dict[str, Any],
    start: str,
    seed: int | None,
    warmup: int | None,
    anneal: bool,
    excursions: bool | None,
    **given: Any,
) -> cz.Posterior:
    """Sample the posterior over causal structures of the columns of DATA.

    DATA is a CSV, TSV, Excel or Parquet file, - for CSV from standard input, or the name of a bundled table (farm,
    galton, alzheimer, college-plans, ...). The run goes on until it has converged (R-hat at most 1.05, and every
    adjacency known to ± 0.02), for at most one minute or --minutes; --jumps sets a fixed length. Then rows are
    resampled, whole groups of them with --by, to see what holds; with --jumps only if --resamples is given. Ctrl-C
    ends a run early: what was sampled after the warm-up is saved and reported, with exit code 130.

    \b
    Examples:
      causal-zigzag sample cells.csv --report cells.html
      causal-zigzag sample cells.csv --score bge --jumps 1000000 --seed 1 --out cells.czz
      causal-zigzag sample cells.csv --minutes 10 --forbid age,dose --max-degree 5
      causal-zigzag sample cells.csv --tiers "age,sex;bmi;..." --require "dose->bmi"
      causal-zigzag sample pupils.csv --by school
      causal-zigzag sample cells.csv --drop notes --missing drop --decimal , --kinds stage=ordinal
      cat cells.csv | causal-zigzag sample - --json | jq .verdict
    """
    import causal_zigzag as cz

    return cz.sample(
        load_table(data, reading),
        start=read_start(start, "empty", "ges", "search", "scattered"),
        rng=seed,
        settings=cz.Settings(warmup=warmup, anneal=anneal, excursions="auto" if excursions is None else excursions),
        **_limited(given),
    )


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--jumps", type=Count(1), help="New total number of jumps of each chain after the warm-up.")
@minutes_option("Continue for this many minutes, or until converged if the run was started without --jumps.")
@run_command
def resume(folder: str, **settings: Any) -> cz.Posterior:
    """Continue a run of `sample --checkpoint DIR`, for example after Ctrl-C or a crash, or to make it longer.

    \b
    Examples:
      causal-zigzag resume cells.run --out cells.czz
      causal-zigzag resume cells.run --jumps 10000000 --report cells.html
    """
    import causal_zigzag as cz

    return cz.resume(folder, **settings)


@click.command()
@click.argument("run")
@click.option("--jumps", type=Count(1), help="Number of jumps of each new chain.  [default: until converged]")
@minutes_option(UNTIL)
@seed_option
@run_command
def extend(run: str, seed: int | None, **settings: Any) -> cz.Posterior:
    """Make a saved run longer, without a checkpoint: new chains begin where its chains ended.

    RUN is a file written by `sample --out`. By default the extension goes on until the whole run has converged.

    \b
    Examples:
      causal-zigzag extend cells.czz --out longer.czz
      causal-zigzag extend cells.czz --minutes 10 --out longer.czz --report longer.html
    """
    return read_run(run).extend(rng=seed, **_limited(settings))


def _limited(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments; without --minutes the default limit is that of the function."""
    return {word: value for word, value in given.items() if word != "minutes" or value is not None}


@click.command()
@click.argument("run")
@resamples_option
@click.option(
    "--by",
    multiple=True,
    callback=read_names,
    metavar="COLUMN,...",
    help="Columns that say which rows belong together, such as person or school.",
)
@click.option("--data", metavar="DATA", help="The table that was sampled, whose rows the run does not have.")
@minutes_option("Stop after this many minutes.  [default: 1, or until there are --resamples]")
@seed_option
@run_command
def resample(run: str, by: list[str], data: str | None, seed: int | None, **settings: Any) -> cz.Posterior:
    """Test what of a saved run holds when rows are resampled.

    RUN is a file written by `sample --out`. The posteriors of tables drawn from its rows are averaged, until the
    Monte Carlo error of every open edge is at most 0.05. A run of continuous columns does not contain its rows: give
    them with --data.

    \b
    Examples:
      causal-zigzag resample cells.czz --data cells.csv --out again.czz
      causal-zigzag resample pupils.czz --data pupils.csv --by school --report pupils.html
    """
    table = None if data is None else file_or_bundled(data)
    return read_run(run).resample(by=by or None, data=table, rng=seed, **settings)
