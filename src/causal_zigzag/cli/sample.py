"""The commands `demo`, `sample` and `resume`: a table becomes a posterior, a saved run and a report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from causal_zigzag.cli.counts import Count, CountOrAuto
from causal_zigzag.cli.findings import run_value, show_results
from causal_zigzag.cli.group import INTERRUPTED, NOT_CONVERGED
from causal_zigzag.cli.inputs import load_table, read_run
from causal_zigzag.cli.knowledge_options import knowledge_options
from causal_zigzag.cli.options import edge_prior_option, output_options, read_start, scheduler_option, target_options
from causal_zigzag.cli.output import STDIO, echo_json, write_with
from causal_zigzag.cli.overwriting import check_outputs
from causal_zigzag.cli.table_options import table_options

if TYPE_CHECKING:
    import causal_zigzag as cz

DEMO_TABLE = "farm"
DEMO_JUMPS = 200_000
DEMO: dict[str, Any] = {"rng": 1}


@click.command()
@click.option("--report", "report_path", default="report.html", show_default=True, help="File of the report.")
@click.option("--jumps", type=Count(1), default=DEMO_JUMPS, show_default=True, help="Number of jumps of each chain.")
def demo(report_path: str, jumps: int) -> None:
    """Sample a bundled table, show its known causal graph next to the result, and write a report.

    The table is simulated: the weather, the soil, the harvest and the price of 800 fields. The seed is
    fixed, so that every run of the demo prints the same.
    """
    import causal_zigzag as cz

    check_outputs({"--report": report_path})
    about = cz.datasets.describe(DEMO_TABLE)
    click.echo(f"Sampling: {about.title}, {about.rows} rows and {len(about.columns)} columns, 4 chains.", err=True)
    posterior = cz.sample(load_table(DEMO_TABLE, {}), jumps=jumps, **DEMO)
    show_results(posterior)
    _write(posterior, None, report_path, err=False)
    _end(posterior)


@click.command()
@click.argument("data")
@table_options
@target_options
@knowledge_options
@edge_prior_option
@click.option(
    "--jumps",
    type=Count(1),
    help="Number of jumps of each chain after the warm-up.  [default: until converged, see --minutes]",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MINUTES",
    help="Stop after this many minutes, even if the run has not converged.  [default: 1]",
)
@click.option(
    "--warmup",
    type=Count(0),
    help="Number of initial jumps of each chain to discard.  [default: until edges and score no longer drift]",
)
@click.option("--chains", type=Count(1), default=4, show_default=True, help="Number of chains.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="SEED",
    help="Random seed, for a reproducible run; by default it is drawn and shown.",
)
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
    type=click.Choice(["sqrt", "metropolis", "barker"]),
    default="sqrt",
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
    "--tempering",
    type=CountOrAuto(2),
    help="Use parallel tempering with this number of temperatures, for chains that get stuck; auto chooses it.",
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
@click.option(
    "--checkpoint",
    metavar="DIR",
    help="Save the state of the run in this folder regularly; `resume` continues from it.",
)
@scheduler_option
@output_options
def sample(
    data: str,
    reading: dict[str, Any],
    jumps: int | None,
    minutes: float | None,
    scheduler: str | None,
    start: str,
    seed: int | None,
    prior: str,
    bounds: dict[str, Any],
    out: str | None,
    report_path: str | None,
    as_json: bool,
    excursions: bool | None,
    **settings: Any,
) -> None:
    """Sample the posterior over causal structures of the columns of DATA.

    DATA is a CSV, TSV, Excel or Parquet file, - for CSV from standard input, or the name of a bundled table (farm,
    galton, alzheimer, college-plans, ...). The run goes on until it has converged (R-hat at most 1.05, and every
    adjacency known to ± 0.02), for at most one minute or --minutes; --jumps sets a fixed length. Ctrl-C ends a
    run early: what was sampled after the warm-up is saved and reported, with exit code 130.

    \b
    Examples:
      causal-zigzag sample cells.csv --report cells.html
      causal-zigzag sample cells.csv --score bge --jumps 1000000 --seed 1 --out cells.czz
      causal-zigzag sample cells.csv --minutes 10 --forbid age,dose --max-degree 5
      causal-zigzag sample cells.csv --tiers "age,sex;bmi;..." --require "dose->bmi"
      causal-zigzag sample cells.csv --drop notes --missing drop --decimal , --kinds stage=ordinal
      cat cells.csv | causal-zigzag sample - --json | jq .verdict
    """
    import causal_zigzag as cz
    from causal_zigzag.sampler.parallel.dask_cluster import cluster

    if jumps is not None and minutes is not None:
        raise click.UsageError(
            "--jumps is a fixed length and --minutes the limit of a run until converged; give one of them"
        )
    _check_outputs(out, report_path, as_json, settings["checkpoint"])
    if jumps is not None:
        settings["jumps"] = jumps
    with cluster(scheduler) as executor:
        posterior = cz.sample(
            load_table(data, reading),
            **bounds,
            start=read_start(start, ("empty", "ges", "search", "scattered")),
            rng=seed,
            minutes=minutes,
            executor=executor,
            excursions="auto" if excursions is None else excursions,
            **settings,
        )
    _hand_over(posterior, prior, out, report_path, as_json)


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--jumps", type=Count(1), help="New total number of jumps of each chain after the warm-up.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MINUTES",
    help="Continue for this many minutes, or until converged if the run was started without --jumps.",
)
@scheduler_option
@output_options
def resume(
    folder: str,
    scheduler: str | None,
    jumps: int | None,
    minutes: float | None,
    prior: str,
    out: str | None,
    report_path: str | None,
    as_json: bool,
) -> None:
    """Continue a run of `sample --checkpoint DIR`, for example after Ctrl-C or a crash, or to make it longer.

    \b
    Examples:
      causal-zigzag resume cells.run --out cells.czz
      causal-zigzag resume cells.run --jumps 10000000 --report cells.html
    """
    import causal_zigzag as cz
    from causal_zigzag.sampler.parallel.dask_cluster import cluster

    _check_outputs(out, report_path, as_json, folder)
    with cluster(scheduler) as executor:
        posterior = cz.resume(folder, jumps, minutes=minutes, executor=executor)
    _hand_over(posterior, prior, out, report_path, as_json)


@click.command()
@click.argument("run")
@click.option("--jumps", type=Count(1), help="Number of jumps of each new chain.  [default: until converged]")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MINUTES",
    help="Stop after this many minutes, even if the run has not converged.  [default: 1]",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="SEED", help="Random seed; by default it is drawn.")
@scheduler_option
@output_options
def extend(
    run: str,
    scheduler: str | None,
    jumps: int | None,
    minutes: float | None,
    seed: int | None,
    prior: str,
    out: str | None,
    report_path: str | None,
    as_json: bool,
) -> None:
    """Make a saved run longer, without a checkpoint: new chains begin where its chains ended.

    RUN is a file written by `sample --out`. By default the extension goes on until the whole run has converged.

    \b
    Examples:
      causal-zigzag extend cells.czz --out longer.czz
      causal-zigzag extend cells.czz --minutes 10 --out longer.czz --report longer.html
    """
    from causal_zigzag.sampler.parallel.dask_cluster import cluster

    if jumps is not None and minutes is not None:
        raise click.UsageError("--jumps is a fixed length and --minutes a limit; give one of them")
    _check_outputs(out, report_path, as_json)
    earlier = read_run(run)
    with cluster(scheduler) as executor:
        posterior = earlier.extend(jumps, minutes=minutes, rng=seed, executor=executor)
    _hand_over(posterior, prior, out, report_path, as_json)


def _check_outputs(out: str | None, report_path: str | None, as_json: bool, folder: str | None = None) -> None:
    if [out, report_path, STDIO if as_json else None].count(STDIO) > 1:
        raise click.UsageError("only one of --out -, --report - and --json can use standard output")
    check_outputs({"--out": out, "--report": report_path}, folder)


def _hand_over(posterior: cz.Posterior, prior: str, out: str | None, report_path: str | None, as_json: bool) -> None:
    """Write the run and the report, print the results, and exit."""
    if prior == "dags":
        posterior = posterior.reweight("dags")
    taken = STDIO in (out, report_path)
    _write(posterior, out, report_path, err=taken or as_json)
    if as_json:
        echo_json(run_value(posterior) | {"run": out, "report": report_path})
    else:
        show_results(posterior, err=taken)
    _end(posterior)


def _write(posterior: cz.Posterior, out: str | None, report_path: str | None, err: bool) -> None:
    """Save the run first, so that it is safe if the report fails."""
    for path, writer, suffix, word in (
        (out, posterior.save, ".czz", "Run"),
        (report_path, posterior.report, ".html", "Report"),
    ):
        if path is not None:
            write_with(writer, path, suffix)
            if path != STDIO:
                click.echo(f"{word} written to {os.path.abspath(path)}", err=err)  # noqa: PTH100 - shown, not used


def _end(posterior: cz.Posterior) -> None:
    """Exit with the code of a run that was interrupted, or that was to converge and has not."""
    if posterior.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)
    if posterior.settings.converge and not posterior.diagnostics().ok:
        raise click.exceptions.Exit(NOT_CONVERGED)
