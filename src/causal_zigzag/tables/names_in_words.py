"""Names of columns in sentences, and as values of options in Python and on the command line."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

MOST_NAMED = 6  # columns in a sentence


def listed(texts: Sequence[str], separator: str = ", ") -> str:
    """The first texts, and the number of those that are not shown.

    >>> listed(["a", "b", "c", "d", "e", "f", "g", "h"])
    'a, b, c, d, e, f and 2 more'
    """
    shown = list(texts[:MOST_NAMED])
    more = len(texts) - len(shown)
    return separator.join(shown) + (f" and {more:,} more" if more else "")


def enumerated(texts: Sequence[str]) -> str:
    """The texts, the last one after "and".

    >>> enumerated(["a", "b", "c"]), enumerated(["a"])
    ('a, b and c', 'a')
    """
    if len(texts) > MOST_NAMED or len(texts) < 2:
        return listed(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


TRANSFORMS = {"log": "--log", "normal-scores": "--rank"}
NAMES = {"keep": "--keep", "drop": "--drop", "by": "--by", "contexts": "--contexts"}
WORDS = {"missing", "weights", "delimiter", "decimal", "encoding", "score", "lags", "time", "season"}
OF_SAMPLE = {"score"}  # and not of reading a table


def as_code(options: Mapping[str, Any]) -> Iterator[str]:
    """Options as keyword arguments.

    >>> list(as_code({"keep": ["id"], "strict": True}))
    ["keep=['id']", 'strict=True']
    """
    return (f"{word}={value!r}" for word, value in options.items())


def reading_call(data: str, options: Mapping[str, Any]) -> str:
    """The call that reads a table with these options; without any, the table itself.

    >>> reading_call("data", {"lags": 2}), reading_call("data", {"drop": ["id"]}), reading_call("data", {})
    ('cz.lagged(data, lags=2)', "cz.read_table(data, drop=['id'])", 'data')
    """
    reader = "lagged" if "lags" in options else "read_table"
    return f"cz.{reader}({', '.join([data, *as_code(options)])})" if options else data


def sampling_call(data: str, options: Mapping[str, Any], *more: str) -> str:
    """The call of ``sample`` with these options, and ``more`` as code; those with lags are arguments of ``lagged``.

    >>> sampling_call("data", {"lags": 2, "time": "day", "score": "bge"})
    "cz.sample(cz.lagged(data, lags=2, time='day'), score='bge')"
    """
    if "lags" in options:
        data = reading_call(data, {word: value for word, value in options.items() if word not in OF_SAMPLE})
        options = {word: value for word, value in options.items() if word in OF_SAMPLE}
    return f"cz.sample({', '.join([data, *as_code(options), *more])})"


def with_options(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Old options and new ones; if both name columns, those of both.

    >>> with_options({"drop": ["a"], "score": "bge"}, {"drop": ["b"], "score": "bdeu"})
    {'drop': ['a', 'b'], 'score': 'bge'}
    """
    merged = dict(old)
    for word, value in new.items():
        before = merged.get(word)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[word] = value | before
        elif isinstance(before, list) and isinstance(value, list):
            merged[word] = before + [name for name in value if name not in before]
        else:
            merged.setdefault(word, value)
    return merged


def as_flags(options: Mapping[str, Any]) -> Iterator[str]:
    """The arguments of ``read_table`` as options of the command line.

    >>> print(*as_flags({"drop": ["id", "date, local"], "transform": {"a": "log", "b": "log"}, "strict": True}))
    --drop 'id,"date, local"' --log a,b --strict
    """
    for word, value in options.items():
        if word in NAMES:
            yield _names(NAMES[word], value)
        elif word == "transform" and isinstance(value, str):
            yield f"{TRANSFORMS[value]} all"
        elif word == "transform":
            for transform, flag in TRANSFORMS.items():
                names = [name for name, chosen in value.items() if chosen == transform]
                if names:
                    yield _names(flag, names)
        elif word == "kinds":
            kinds = [value] if isinstance(value, str) else [f"{quoted(name)}={kind}" for name, kind in value.items()]
            yield f"--kinds {shlex.quote(','.join(kinds))}"
        elif word == "targets":
            texts = (f"{condition}={','.join(map(quoted, names))}" for condition, names in value.items())
            yield from (f"--targets {shlex.quote(text)}" for text in texts)
        elif word == "strict":
            yield "--strict"
        elif word == "trend":
            yield "--trend" if value else "--no-trend"
        elif word == "na_values":
            yield from (f"--na={shlex.quote(text)}" for text in value)
        elif word in WORDS:
            yield f"--{word} {shlex.quote(str(value))}"


def read_options(code: str) -> dict[str, Any]:
    """The values of keywords that are written as code.

    >>> read_options("keep=['id'], strict=True")
    {'keep': ['id'], 'strict': True}
    """
    call = ast.parse(f"f({code})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


def _names(flag: str, names: Any) -> str:
    names = names if isinstance(names, (list, tuple)) else [names]
    return f"{flag} {shlex.quote(','.join(map(quoted, names)))}"


def quoted(name: Hashable) -> str:
    """A name within a list that is separated by commas."""
    text = str(name)
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text
