"""Files of a Knowledge: JSON, YAML and the knowledge file of Tetrad, as the arguments of Knowledge."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from causal_zigzag.errors import GraphError, KnowledgeError, MissingDependencyError
from causal_zigzag.graphs.formats.node_link import json_label
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.file_bounds import KNOWLEDGE_BYTES, yaml_fault
from causal_zigzag.support.validation import is_path
from causal_zigzag.support.wording import one_line

KEYS = ("tiers", "required", "forbidden", "apart", "conditions", "no_edges_within", "neighboring_tiers_only")


def kind_of(path: str | os.PathLike[str]) -> str:
    """The format of a file, by the ending of its name."""
    if not is_path(path):
        raise KnowledgeError(f"knowledge is in a file with a path, not {path!r}")
    return {".json": "json", ".yaml": "yaml", ".yml": "yaml"}.get(Path(path).suffix.lower(), "tetrad")


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of the Knowledge in a file."""
    kind = kind_of(path)
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            text = file.read(KNOWLEDGE_BYTES + 1)
    except (OSError, ValueError) as error:  # a ValueError if it is not UTF-8, or has a NUL character in its name
        reason = getattr(error, "strerror", None) or error
        raise KnowledgeError(f"cannot read {os.fspath(path)!r}: {reason}") from None
    if len(text) > KNOWLEDGE_BYTES:
        raise KnowledgeError(
            f"{os.fspath(path)!r} is larger than the {KNOWLEDGE_BYTES:,} bytes that knowledge may have"
        )
    try:
        return {"json": from_json, "yaml": from_yaml, "tetrad": from_tetrad}[kind](text)
    except KnowledgeError as error:
        raise KnowledgeError(f"in {os.fspath(path)!r}: {error}", error.nodes) from None


def to_json(fields: dict[str, Any]) -> str:
    """The fields of a Knowledge as JSON."""
    return json.dumps(_plain_fields(fields), ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> dict[str, Any]:
    """The arguments of Knowledge in JSON."""
    _check_text(text)
    try:
        return _arguments(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise KnowledgeError(f"the text is not valid JSON: {error}") from None


def to_yaml(fields: dict[str, Any]) -> str:
    """The fields of a Knowledge as YAML."""
    plain = _plain_fields(fields)
    readable = to_json(fields).isprintable()  # PyYAML does not escape all line breaks of Unicode unless told to
    return str(_yaml().safe_dump(plain, sort_keys=False, allow_unicode=readable, default_flow_style=None))


def from_yaml(text: str) -> dict[str, Any]:
    """The arguments of Knowledge in YAML."""
    _check_text(text)
    yaml = _yaml()
    try:
        fault = yaml_fault(yaml, text)
        if not fault:
            return _arguments(yaml.safe_load(text) or {})
    except (yaml.YAMLError, RecursionError, ValueError) as error:  # a ValueError for a date such as 2024-99-99
        raise KnowledgeError(f"the text is not valid YAML: {one_line(error)}") from None
    raise KnowledgeError(f"the text is not read as YAML: {fault}")


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise KnowledgeError(f"the knowledge must be text, not {text!r}; Knowledge.load reads a file")


def _yaml() -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingDependencyError(
            "knowledge in YAML needs PyYAML; install it with: pip install 'causal-zigzag[yaml]', or use JSON",
            name="yaml",
        ) from None
    return yaml


def _plain_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields as lists, labels and numbers."""
    try:
        return {name: json_label(value) for name, value in fields.items()}
    except GraphError as error:
        raise KnowledgeError(str(error)) from None


def _arguments(value: Any) -> dict[str, Any]:
    """The arguments of Knowledge, with tuples in place of lists, so that a list may stand for a label."""
    if not isinstance(value, dict) or not {*value} <= {*KEYS}:
        raise KnowledgeError(f"knowledge is written as an object with the keys {', '.join(KEYS)}, not {value!r}")
    return {key: _tuples(one) for key, one in value.items()}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def to_tetrad(fields: dict[str, Any]) -> str:
    """The fields of a Knowledge, in which all nodes are named, as a file of Tetrad."""
    tiers, within = fields.get("tiers", ()), fields.get("no_edges_within", ())
    never = (*fields.get("forbidden", ()), *(arrow for x, y in fields.get("apart", ()) for arrow in ((x, y), (y, x))))
    arrows = {"forbiddirect": tuple(dict.fromkeys(never)), "requiredirect": fields.get("required", ())}
    nodes = {v for group in (*tiers, *arrows["forbiddirect"], *arrows["requiredirect"]) for v in group}
    for name in nodes:
        if not str(name) or re.search(r"[\s,*?]|^[/#]", str(name)):
            raise KnowledgeError(f"Tetrad cannot read the node {show(name)}; rename it, or write JSON", [name])
    if len({*map(str, nodes)}) < len(nodes):
        raise KnowledgeError("several nodes have the same text, which a file of Tetrad cannot distinguish; write JSON")
    only_next = "-" if fields.get("neighboring_tiers_only") else ""
    lines = ["/knowledge", "addtemporal"]
    for number, tier in enumerate(tiers):
        lines.append(" ".join([f"{number + 1}{'*' if number in within else ''}{only_next}", *map(str, tier)]))
    for section, pairs in arrows.items():
        lines += ["", section, *(f"{x} {y}" for x, y in pairs)]
    return "\n".join(lines) + "\n"


def from_tetrad(text: str) -> dict[str, Any]:
    """The arguments of Knowledge in a file of Tetrad; tiers are numbered from 0 or from 1.

    Pairs of which both arrows are forbidden are apart. A number followed by * is a tier without edges within. Numbers
    followed by - are tiers that cause only the next one.
    """
    _check_text(text)
    arrows: dict[str, list[tuple[str, ...]]] = {"forbiddirect": [], "requiredirect": []}
    tiers: dict[int, list[str]] = {}
    marks: dict[int, str] = {}
    section = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        first, *names = raw.split("//")[0].replace(",", " ").split() or ["#"]
        tier = re.fullmatch(r"(\d{1,9})([*-]{0,2})", first, re.ASCII) if section == "addtemporal" else None
        if first.startswith("#") or first == "/knowledge":
            continue
        if first.lower() in ("addtemporal", *arrows):
            section = first.lower()
        elif tier is not None and not any("*" in name for name in names):
            tiers.setdefault(int(tier[1]), []).extend(names)
            marks[int(tier[1])] = marks.get(int(tier[1]), "") + tier[2]
        elif section in arrows and len(names) == 1:
            arrows[section].append((first, *names))
        else:
            raise KnowledgeError(
                f"line {number} of the knowledge file of Tetrad is {raw.strip()!r}; read are the sections addtemporal "
                f"(lines such as 1* a b, without patterns of names), {' and '.join(arrows)} (two nodes per line)"
            )
    kept = [tier for tier in sorted(tiers) if tiers[tier]]  # empty tiers are left out
    only_next = [tier for tier in sorted(tiers) if "-" in marks[tier]]
    if only_next and (len(kept) < len(tiers) or not {*only_next} >= {*kept[:-2]}):
        raise KnowledgeError("tiers that cause only the next one (-) are supported if all tiers do, and none is empty")
    if len(kept) == 1 and "*" not in marks[kept[0]]:
        kept = []  # a single tier says nothing
    forbidden = arrows["forbiddirect"]
    apart = {(x, y) for x, y in forbidden if x < y} & {(y, x) for x, y in forbidden}
    return {
        "tiers": [tiers[tier] for tier in kept],
        "required": arrows["requiredirect"],
        "forbidden": [(x, y) for x, y in forbidden if (min(x, y), max(x, y)) not in apart],
        "apart": sorted(apart),
        "no_edges_within": [place for place, tier in enumerate(kept) if "*" in marks[tier]],
        "neighboring_tiers_only": bool(only_next) and len(kept) > 2,
    }
