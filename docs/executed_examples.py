"""Extension of Sphinx: runs the ``python`` blocks of every page when the site is built, and shows what they print.

The blocks of a page share one namespace, as in a notebook, and run in a temporary directory. Blocks marked ``py`` are
shown only. An example that fails is a warning, which ends a build with ``-W``. A notebook extension would do the same
with a kernel per page and its own kind of block, which other readers of the pages do not highlight.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
LONGEST = 40  # lines of output; the rest is left out


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("source-read", show_outputs)
    return {"parallel_read_safe": True}


def show_outputs(app: Sphinx, page: str, source: list[str]) -> None:  # noqa: ARG001 - the signature of the event
    """Append to each example of a page what it prints."""
    if not BLOCK.search(source[0]):
        return
    namespace: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, _working_in(folder):
        source[0] = BLOCK.sub(lambda match: match[0] + _output(match["code"], page, namespace), source[0])


@contextlib.contextmanager
def _working_in(folder: str) -> Any:
    before = os.getcwd()  # noqa: PTH109
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _output(code: str, page: str, namespace: dict[str, Any]) -> str:
    from sphinx.util import logging

    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(code, page, "exec"), namespace)
    except Exception as error:  # noqa: BLE001 - of any kind, so that all pages are built
        logging.getLogger(__name__).warning("an example of %s failed: %r", page, error)
    lines = printed.getvalue().rstrip().splitlines()
    if not lines:
        return ""
    shown = [*lines[:LONGEST], "..."] if len(lines) > LONGEST else lines
    return "\n\n```{code-block} text\n:class: output\n\n" + "\n".join(shown) + "\n```"
