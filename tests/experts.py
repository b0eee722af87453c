"""Options of ``sample`` in one dict, as tests vary them: what only experts set goes into ``settings``."""

from dataclasses import fields, replace
from typing import Any

import causal_zigzag as cz

EXPERT = {field.name for field in fields(cz.Settings)}


def options(**given: Any) -> dict[str, Any]:
    """The arguments of ``sample``: ``jumps=10, warmup=5`` is ``jumps=10, settings=cz.Settings(warmup=5)``."""
    own = {name: value for name, value in given.items() if name in EXPERT}
    plain = {name: value for name, value in given.items() if name not in EXPERT}
    return plain | ({"settings": replace(given.get("settings", cz.Settings()), **own)} if own else {})
