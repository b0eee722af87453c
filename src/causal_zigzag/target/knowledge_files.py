"""Files of a Knowledge: JSON, YAML and the knowledge file of Tetrad, as the arguments of Knowledge."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, Literal

from causal_zigzag.errors import GraphError, KnowledgeError, MissingDependencyError
from causal_zigzag.graphs.formats.node_link import json_label
from causal_zigzag.graphs.labels import show
from causal_zigzag.support.file_reading import read_input
from causal_zigzag.support.validation import is_path
from causal_zigzag.support.wording import one_line

KEYS = ("tiers", "required", "forbidden", "conditions", "no_edges_within", "neighboring_tiers_only")
SECTIONS = ("addtemporal", "forbiddirect", "requiredirect")
UNREAD_SECTIONS = ("forbiddengroup", "requiredgroup", "forbidgroup", "requiregroup", "tierstructure")
MOST_BYTES = 2**24  # of a file
TIER = re.compile(r"(\d{1,9})([*-]{0,2})\Z", re.ASCII)


def kind_of(path: str | os.PathLike[str]) -> Literal["json", "yaml", "tetrad"]:
    """The format of a file, by the ending of its name."""
    if not is_path(path):
        raise KnowledgeError(f"knowledge is read from and written to the path of a file, not {path!r}")
    suffix = Path(path).suffix.lower()
    return "json" if suffix == ".json" else "yaml" if suffix in (".yaml", ".yml") else "tetrad"


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of the Knowledge in a file."""
    kind = kind_of(path)
    try:
        content = read_input(path, MOST_BYTES)
    except (OSError, ValueError) as error:  # a ValueError for a NUL character
        reason = getattr(error, "strerror", None) or error
        raise KnowledgeError(f"cannot read {os.fspath(path)!r}: {reason}") from None
    try:
        text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig").read()  # with \n for any end of a line
    except UnicodeDecodeError:
        raise KnowledgeError(f"{os.fspath(path)!r} is not a text file in UTF-8") from None
    try:
        return from_json(text) if kind == "json" else from_yaml(text) if kind == "yaml" else from_tetrad(text)
    except KnowledgeError as error:
        raise KnowledgeError(f"in {os.fspath(path)!r}: {error}", error.nodes) from None


def to_json(fields: dict[str, Any]) -> str:
    """The fields of a Knowledge as JSON."""
    return json.dumps(_plain_fields(fields), ensure_ascii=False, allow_nan=False)


def from_json(text: str) -> dict[str, Any]:
    """The arguments of Knowledge in JSON."""
    _check_text(text)
    try:
        return _arguments(json.loads(text, object_pairs_hook=_unique))
    except KnowledgeError:
        raise
    except (ValueError, RecursionError) as error:
        raise KnowledgeError(f"the text is not valid JSON: {error}") from None


def to_yaml(fields: dict[str, Any]) -> str:
    """The fields of a Knowledge as YAML."""
    yaml = _import_yaml()
    readable = to_json(fields).isprintable()  # PyYAML does not escape all line breaks of Unicode unless told to
    plain = _plain_fields(fields)
    return str(yaml.safe_dump(plain, sort_keys=False, allow_unicode=readable, default_flow_style=None))


def from_yaml(text: str) -> dict[str, Any]:
    """The arguments of Knowledge in YAML."""
    yaml = _import_yaml()
    _check_text(text)
    try:
        top = yaml.compose(text, yaml.SafeLoader)  # safe_load keeps the last of two equal keys without a word
        if isinstance(top, yaml.MappingNode):
            _unique([(key.value if isinstance(key.value, str) else None, None) for key, _ in top.value])
        return _arguments(yaml.safe_load(text) or {})
    except KnowledgeError:
        raise
    except (yaml.YAMLError, RecursionError, ValueError) as error:  # a ValueError for a date such as 2024-99-99
        raise KnowledgeError(f"the text is not valid YAML: {one_line(error)}") from None


def _import_yaml() -> Any:
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
        plain: dict[str, Any] = {}
        for name, value in fields.items():
            if name == "tiers":
                plain[name] = [tier if isinstance(tier, str) else [json_label(v) for v in tier] for tier in value]
            elif name in ("required", "forbidden"):
                plain[name] = [[json_label(x), json_label(y)] for x, y in value]
            elif name == "conditions":
                plain[name] = [json_label(v) for v in value]
            else:
                plain[name] = list(value) if isinstance(value, tuple) else value
        return plain
    except GraphError as error:
        raise KnowledgeError(str(error)) from None


def _check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise KnowledgeError(f"knowledge is read from text, not {text!r}; use Knowledge.load for a file")


def _unique(items: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """The items of an object; a KnowledgeError if a key is given twice."""
    found = dict(items)
    if len(found) < len(items):
        twice = Counter(key for key, _ in items).most_common(1)[0][0]
        raise KnowledgeError(f"the key {twice!r} is given twice; write all its items in one list")
    return found


def _arguments(value: Any) -> dict[str, Any]:
    """The arguments of Knowledge from lists; a list in place of a label is a tuple."""
    if not isinstance(value, dict):
        raise KnowledgeError(f"knowledge is written as an object with the keys {', '.join(KEYS)}, not {value!r}")
    for key in value:
        if key not in KEYS:
            raise KnowledgeError(f"unknown key {key!r}; the keys are {', '.join(KEYS)}")
    found = dict(value)
    for key in ("required", "forbidden", "tiers"):
        if isinstance(found.get(key), list):
            found[key] = [[_label(v) for v in one] if isinstance(one, list) else one for one in found[key]]
    if isinstance(found.get("conditions"), list):
        found["conditions"] = [_label(v) for v in found["conditions"]]
    return found


def _label(value: Any) -> Any:
    return tuple(_label(part) for part in value) if isinstance(value, list) else value


def to_tetrad(fields: dict[str, Any]) -> str:
    """The fields of a Knowledge, in which all nodes are named, as a file of Tetrad."""
    tiers, within = fields.get("tiers", ()), fields.get("no_edges_within", ())
    arrows = {"forbiddirect": fields.get("forbidden", ()), "requiredirect": fields.get("required", ())}
    names = [str(v) for group in (*tiers, *arrows["forbiddirect"], *arrows["requiredirect"]) for v in group]
    commas = any(re.search(r"[\s,\"]", name) for name in names)
    for name in names:
        if not name or "*" in name or "?" in name or "\n" in name or name.startswith(("/", "#")):
            raise KnowledgeError(f"Tetrad cannot read the node {show(name)}; rename it, or write JSON", [name])
    if len({*names}) < len({v for group in (*tiers, *arrows["forbiddirect"], *arrows["requiredirect"]) for v in group}):
        raise KnowledgeError("several nodes have the same text, which a file of Tetrad cannot distinguish; write JSON")

    def line(items: Iterable[Hashable]) -> str:
        texts = [str(item) for item in items]
        if not commas:
            return " ".join(texts)
        out = io.StringIO()
        csv.writer(out, lineterminator="").writerow(texts)
        return out.getvalue()

    only_next = "-" if fields.get("neighboring_tiers_only") else ""
    lines = ["/knowledge comma" if commas else "/knowledge", "addtemporal"]
    for number, tier in enumerate(tiers):
        lines.append(line([f"{number + 1}{'*' if number in within else ''}{only_next}", *tier]))
    for section, pairs in arrows.items():
        lines += ["", section, *(line(pair) for pair in pairs)]
    return "\n".join(lines) + "\n"


def from_tetrad(text: str) -> dict[str, Any]:
    """The arguments of Knowledge in a file of Tetrad; tiers are numbered from 0 or from 1.

    A number followed by * is a tier without edges within, one followed by - a tier that causes only the next one.
    """
    _check_text(text)
    tiers: dict[int, list[str]] = {}
    within: set[int] = set()
    only_next: set[int] = set()
    arrows: dict[str, list[tuple[str, str]]] = {"forbiddirect": [], "requiredirect": []}
    section, commas = "", False
    for number, raw in enumerate(text.splitlines(), start=1):
        content = raw.split("//")[0].strip()
        if not content or content.startswith("#"):
            continue
        word, *rest = content.lower().split()
        if word == "/knowledge":
            commas = rest == ["comma"]
        elif content.lower() in SECTIONS:
            section = content.lower()
        elif word in UNREAD_SECTIONS:
            raise KnowledgeError(f"line {number}: the section {word} of Tetrad is not supported; write single arrows")
        elif not section:
            raise KnowledgeError(
                f"line {number} of the knowledge file of Tetrad is {content!r}, but the sections are "
                f"{', '.join(SECTIONS)}; a file that is not Tetrad's ends in .json or .yaml"
            )
        else:
            items = _cells(content, number) if commas else content.replace(",", " ").split()
            if section == "addtemporal":
                _read_tier(items, number, tiers, within, only_next)
            elif len(items) != 2:
                raise KnowledgeError(f"line {number}: {section} has two nodes per line, not {content!r}")
            else:
                arrows[section].append((items[0], items[1]))
    return _tetrad_arguments(tiers, within, only_next, arrows)


def _cells(content: str, number: int) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([content], skipinitialspace=True))]
    except csv.Error as error:  # such as a name beyond the limit of csv, after a quote that is not closed
        raise KnowledgeError(f"line {number} cannot be read: {error}; check whether each quote is closed") from None


def _read_tier(
    items: list[str], number: int, tiers: dict[int, list[str]], within: set[int], only_next: set[int]
) -> None:
    found = TIER.match(items[0]) if items else None
    if found is None:
        given = items[0] if items else ""
        raise KnowledgeError(f"line {number}: a tier begins with its number, such as 1 or 1*, not {given!r}")
    tier = int(found[1])
    for name in items[1:]:
        if "*" in name or "?" in name:
            raise KnowledgeError(f"line {number}: patterns of names such as {name} are not supported; list the nodes")
    tiers.setdefault(tier, []).extend(items[1:])
    if "*" in found[2]:
        within.add(tier)
    if "-" in found[2]:
        only_next.add(tier)


def _tetrad_arguments(
    tiers: dict[int, list[str]], within: set[int], only_next: set[int], arrows: dict[str, list[tuple[str, str]]]
) -> dict[str, Any]:
    # Empty tiers are left out. A tier that causes only the next one, as numbered in the file, forbids single arrows
    # unless this holds for all tiers and none is empty.
    kept = [tier for tier in sorted(tiers) if tiers[tier]]
    complete = kept == [*range(kept[0], kept[0] + len(kept))] if kept else True
    every = complete and len(kept) > 2 and only_next.issuperset(kept[:-2])
    forbidden = arrows["forbiddirect"]
    if not every:
        forbidden += [
            (x, y) for a in kept if a in only_next for b in kept if b > a + 1 for x in tiers[a] for y in tiers[b]
        ]
    if len(kept) == 1 and kept[0] not in within:
        kept = []  # a single tier says nothing
    return {
        "tiers": [tiers[tier] for tier in kept],
        "required": arrows["requiredirect"],
        "forbidden": forbidden,
        "no_edges_within": [place for place, tier in enumerate(kept) if tier in within],
        "neighboring_tiers_only": every,
    }
