"""Autocorrelation time of the Causal Zig-Zag on the uniform target, which ``random_classes`` must wait for.

    python benchmarks/uniform_mixing.py

The autocorrelation time, in jumps, is the length of a run divided by its effective sample size. The table has the
median and the maximum over all arrows x -> y, and the median over all adjacencies. Two chains of 20 n³ jumps.
"""

import numpy as np
from common import machine

import causal_zigzag as cz


def main() -> None:
    """Print one row per size."""
    print(machine())
    print(f"{'n':>4} {'jumps':>9} {'arrows, median':>15} {'/ n³':>6} {'longest':>8} {'/ n³':>6} {'adjacencies':>12}")
    for n in (6, 10, 15, 20, 30, 40):
        jumps = max(50_000, 20 * n**3)
        posterior = cz.sample(
            cz.Uniform(n), jumps=jumps, chains=2, rng=5, settings=cz.Settings(max_classes=2), progress=False
        )
        table = posterior.diagnostics().table.iloc[2:]
        lengths = 2 * jumps / table["ess"].to_numpy()
        arrows = lengths[table["quantity"].str.contains("->").to_numpy()]
        joined = lengths[table["quantity"].str.contains("--").to_numpy()]
        median, longest = np.median(arrows), arrows.max()
        print(
            f"{n:>4} {jumps:>9} {median:>15.0f} {median / n**3:>6.2f} {longest:>8.0f} {longest / n**3:>6.2f} "
            f"{np.median(joined):>12.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
