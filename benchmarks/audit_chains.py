"""The audit of chains: every rate, sum, descendant set and cached row compared with one that is computed from scratch.

    python benchmarks/audit_chains.py [--minutes 60] [--first 0] [--blocks 6] [--jumps 300]
        [--replacements 4]

Each number is the seed of a chain of tests/random_chains.py: its score, table, balance, momentum, knowledge, bounds,
excursions and missing cells are drawn at random. A chain makes blocks of jumps, and between some of them goes to random
classes. The audit follows each block and each such class. It prints what was compared, by kind of table, and the first
difference of every audit that finds one; it exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

from common import machine

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from random_chains import AuditFigures, RandomChain

COLUMNS = ("settings", "jumps", "replacements", "comparisons", "differences", "rests")


def main() -> None:
    """Audit chains until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--jumps", type=int, default=300, help="of a block")
    parser.add_argument("--replacements", type=int, default=4, help="after half of the blocks")
    args = parser.parse_args()
    print(f"{machine()}\n\npython benchmarks/audit_chains.py {' '.join(sys.argv[1:])}", flush=True)
    by_kind: dict[str, AuditFigures] = defaultdict(AuditFigures)
    end, seed = time.monotonic() + 60 * args.minutes, args.first
    while time.monotonic() < end:
        chain = RandomChain(seed)
        figures = chain.audit(args.blocks, args.jumps, args.replacements)
        for first in figures.first:
            print(first, flush=True)
        by_kind[chain.kind].add(figures)
        by_kind["all"].add(figures)
        seed += 1
    print(f"{'table':<18}" + "".join(f"{name:>14}" for name in COLUMNS))
    for kind in sorted(by_kind):
        print(f"{kind:<18}" + "".join(f"{getattr(by_kind[kind], name):>14,}" for name in COLUMNS))
    print(f"seeds {args.first} to {seed - 1}, {args.blocks} blocks of {args.jumps} jumps")
    sys.exit(by_kind["all"].differences > 0)


if __name__ == "__main__":
    main()
