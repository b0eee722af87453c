"""The group of commands: errors and warnings as one line on stderr, exit codes, and output that cannot be written."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from typing import Any

import click

from causal_zigzag.cli.output import escape_what_cannot_be_encoded
from causal_zigzag.cli.remedies import remedied
from causal_zigzag.errors import CausalZigzagError, DataWarning, SamplingWarning
from causal_zigzag.support.wording import one_line

INTERRUPTED = 130  # the exit code of shells for a program ended by Ctrl-C
NOT_CONVERGED = 3


class CausalZigzagGroup(click.Group):
    """Reports errors of the package on one line of stderr with exit code 1; click uses 2 for wrong usage."""

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            for category in (DataWarning, SamplingWarning):
                warnings.simplefilter("always", category)
            warnings.showwarning = _show_warning
            try:
                return super().invoke(ctx)
            except CausalZigzagError as error:
                raise click.ClickException(remedied(error)) from error
            except MemoryError:
                raise click.ClickException("there is not enough memory; use fewer columns, rows or chains") from None
            except KeyboardInterrupt as error:
                reason = f": {error}" if error.args else ""
                click.echo(f"Interrupted: nothing was saved{reason}", err=True)
                raise click.exceptions.Exit(INTERRUPTED) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.commands)  # in the order of a typical workflow

    def main(self, *args: Any, **options: Any) -> Any:
        escape_what_cannot_be_encoded()
        try:
            return super().main(*args, **options)
        except OSError as error:  # such as a full disk; here, since --help writes before invoke
            _discard_output()
            what = "the output" if error.filename is None else repr(os.fsdecode(error.filename))
            click.echo(f"Error: {what} cannot be read or written: {error.strerror or error}", err=True)
            sys.exit(1)


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, (DataWarning, SamplingWarning)):
        click.echo(f"Warning: {one_line(message)}", err=True)


def _discard_output() -> None:
    """Discard buffered output, which Python would otherwise try to write at exit and fail again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
