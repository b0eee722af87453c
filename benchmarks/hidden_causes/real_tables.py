"""Causes that cannot be: how often four methods claim them on real tables, where age, sex or dose is never an effect.

    OMP_NUM_THREADS=1 python benchmarks/hidden_causes/real_tables.py run WORK
    python benchmarks/hidden_causes/real_tables.py print WORK > benchmarks/hidden_causes/real_tables.txt

Of each table some columns are *first*, which no other column can cause (age, sex, a dose or a year that was set, what
was measured years earlier), and some are *last*, which can cause none (what was measured or reported after all others).
No method is told. Numbers with more than ten values are replaced by normal scores, categories of two levels by 0 and 1,
rows with missing cells are left out; all methods get the same numbers. ``run`` writes one file per table and method
into the folder WORK and continues where it was stopped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from methods import CLAIM, METHODS, TITLES, Peer, answered, ask, read

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import machine

FEW_VALUES = 10


class Real(NamedTuple):
    """A table: where it is, and its columns."""

    package: str
    item: str
    first: str
    others: str
    last: str = ""

    @property
    def columns(self) -> list[str]:
        return [*self.first.split(), *self.others.split(), *self.last.split()]


TABLES = (
    Real("sklearn", "diabetes", "age sex", "bmi bp s1 s2 s3 s4 s5 s6"),
    Real("modeldata", "concrete", "age cement blast_furnace_slag fly_ash water superplasticizer coarse_aggregate", "",
         "compressive_strength"),
    Real("carData", "Davis", "sex", "weight height", "repwt repht"),
    Real("carData", "Wong", "age sex", "duration", "piq viq"),
    Real("MatchIt", "lalonde", "age", "educ re74 re75", "re78"),
    Real("AER", "PSID1976", "age hage", "hours education wage hhours heducation hwage fincome experience"),
    Real("AER", "CreditCard", "age", "income share expenditure months active"),
    Real("AER", "TeachingRatings", "age", "beauty eval students allstudents"),
    Real("AER", "Medicaid1986", "age", "income school health1 health2 access visits"),
    Real("survival", "pbc", "age sex", "bili chol albumin copper alk.phos ast trig platelet protime"),
    Real("survival", "mgus2", "age sex dxyr", "hgb creat mspike"),
    Real("survival", "flchain", "age sex", "kappa lambda creatinine"),
    Real("survival", "rotterdam", "year age", "nodes pgr er"),
    Real("survival", "gbsg", "age", "size nodes pgr er"),
    Real("survival", "nafld1", "age male", "weight height bmi"),
    Real("survival", "veteran", "age", "karno diagtime", "time"),
    Real("MASS", "Pima.te", "age ped", "npreg glu bp skin bmi"),
    Real("MASS", "crabs", "sex sp", "FL RW CL CW BD"),
    Real("ISLR", "Auto", "year", "mpg displacement horsepower weight acceleration"),
    Real("ISLR", "Credit", "Age", "Income Rating Cards Education Balance"),
    Real("openintro", "bdims", "age sex", "hgt wgt che_gi sho_gi wai_gi hip_gi thi_gi bic_gi"),
    Real("openintro", "babies", "age height", "gestation weight", "bwt"),
    Real("openintro", "births14", "fage mage", "weeks visits gained", "weight"),
    Real("DAAG", "ais", "sex", "rcc wcc hc hg ferr ssf pcBfat ht wt"),
    Real("DAAG", "possum", "sex age", "hdlngth skullw totlngth taill footlgth earconch eye chest belly"),
    Real("heplots", "NeuroCog", "Age Sex", "Speed Attention Memory Verbal Visual ProbSolv SocialCog"),
    Real("psych", "sat.act", "age gender", "education ACT SATV SATQ"),
    Real("palmerpenguins", "penguins", "sex", "bill_length_mm bill_depth_mm flipper_length_mm body_mass_g"),
    Real("mediation", "jobs", "age", "econ_hard depress1 job_seek", "depress2"),
    Real("Ecdat", "Griliches", "med age", "iq kww school expr tenure", "lw80"),
    Real("Ecdat", "Schooling", "age76 daded momed", "ed76 kww iqscore lwage76"),
    Real("Ecdat", "BudgetUK", "age", "wfood wfuel wcloth walc wtrans totexp income"),
    Real("nlme", "bdf", "sex", "IQ.verb IQ.perf aritPRET langPRET ses", "aritPOST langPOST"),
    Real("stevedata", "ESS9GB", "agea female", "imbgeco imueclt imwbcnt eduyrs hinctnta lrscale"),
    Real("datasets", "airquality", "Month Day Solar.R", "Wind Temp", "Ozone"),
)  # fmt: skip


def numbers(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Normal scores of numbers, 0 and 1 for two categories, without rows that have missing cells."""
    frame = frame.dropna()
    found = []
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind not in "if":
            column = pd.Series(pd.factorize(column, sort=True)[0], index=column.index)
        if column.nunique() > FEW_VALUES:
            ranks = (column.rank() - 0.5) / len(column)
            column = ranks.map(NormalDist().inv_cdf)
        found.append(column.to_numpy(dtype=np.float64))
    return np.stack(found, axis=1)


def impossible(table: Real) -> NDArray[np.bool_]:
    """[i, j]: column i cannot cause column j."""
    first, last = {*table.first.split()}, {*table.last.split()}
    names = table.columns
    return np.array([[a != b and (b in first or a in last) for b in names] for a in names])


def run(work: Path) -> None:
    """Write the answers that are missing."""
    peer = Peer(work / "environment")
    for table in sorted(TABLES, key=lambda one: len(one.columns)):
        file = work / f"{table.package}-{table.item}.csv"
        if not file.exists():
            peer.ask(table=[table.package, table.item], file=str(file))
        x = numbers(pd.read_csv(file, low_memory=False)[table.columns])
        ask(work, f"{table.package}-{table.item}".replace(".", "_"), x, 1, peer)


def show(work: Path) -> None:
    """Print a line per table, and the sums."""
    print(f"{machine()}; causal-zigzag, FCI of causal-learn\n")
    print(
        "Claims (probability above 0.95) that a column causes another: all, and those that cannot be. *: the chains\n"
        "of MAGs disagree. Last line: the mean probability of what cannot be, and how many pairs of it are above 0.5.\n"
    )
    heads = "".join(f"{TITLES[method].strip():>18}" for method in METHODS)
    print(f"{'table':28}{'rows':>6}{'cols':>5}{'pairs that cannot be':>22}  {heads}")
    found: dict[str, dict[str, NDArray[np.float64]]] = {}
    agree: list[str] = []
    for table in TABLES:
        name = f"{table.package}-{table.item}".replace(".", "_")
        if not answered(work, name):
            continue
        cannot = impossible(table)
        off, counts = ~np.eye(len(cannot), dtype=bool), {}
        for method in METHODS:
            said = read(work, name, method)["said"]
            claims = (said > CLAIM) & off
            numbers_of = (
                claims.sum(),
                (claims & cannot).sum(),
                said[cannot].sum(),
                (said[cannot] > 0.5).sum(),
                cannot.sum(),
            )
            counts[method] = np.array(numbers_of, dtype=np.float64)
        found[name] = counts
        agree += [name] if read(work, name, "mag")["agree"] else []
        cells = "".join(f"{f'{c[0]:.0f} / {c[1]:.0f}':>18}" for c in counts.values())
        label = f"{table.package} {table.item}{'' if name in agree else ' *'}"
        print(f"{label:28}{int(read(work, name, 'dag')['rows']):6}{len(cannot):5}{cannot.sum():22}  {cells}")
    for title, names in (("all", list(found)), ("chains agree", agree)):
        sums = {method: sum((found[name][method] for name in names), np.zeros(5)) for method in METHODS}
        cells = "".join(f"{f'{s[0]:.0f} / {s[1]:.0f}':>18}" for s in sums.values())
        print(f"{f'{title}: {len(names)} tables':28}{'':11}{sums['dag'][4]:22.0f}  {cells}")
    means = (f"{s[2] / s[4]:.3f}, {s[3]:.0f}" if m not in ("forced", "fci") else "" for m, s in sums.items())
    print(f"{'mean probability, above 0.5':61}  {''.join(f'{mean:>18}' for mean in means)}")


def main() -> None:
    """Run or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "print"])
    parser.add_argument("work", type=Path)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if given.what == "run":
        run(given.work)
    else:
        show(given.work)


if __name__ == "__main__":
    main()
