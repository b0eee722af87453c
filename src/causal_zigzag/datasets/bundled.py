"""The bundled tables: their descriptions, sources and licences, and how they are read."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from causal_zigzag.errors import SettingsError
from causal_zigzag.support.validation import is_hashable

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import pandas as pd

EXAMPLES = "the collection example-causal-datasets of the cmu-phil group, where it is CC0-1.0"


@dataclass(frozen=True)
class Description:
    """The contents, the source and the licences of a bundled table.

    >>> import causal_zigzag as cz
    >>> about = cz.datasets.describe("galton")
    >>> about.rows, about.columns
    (898, ('father', 'mother', 'Gender', 'Height'))
    >>> about.licences
    ('CC0-1.0',)
    """

    name: str
    title: str
    rows: int
    columns: tuple[str, ...]
    about: str
    source: str
    licences: tuple[str, ...]
    is_simulated: bool = False

    def licence_text(self) -> str:
        """The full texts of the licences.

        >>> import causal_zigzag as cz
        >>> print(cz.datasets.describe("sachs").licence_text()[:46])
        Creative Commons Legal Code
        <BLANKLINE>
        CC0 1.0 Universal
        """
        return "\n\n".join(_file("licences", f"{name}.txt").read_text(encoding="utf-8") for name in self.licences)

    def __str__(self) -> str:
        facts = {
            "name": self.name,
            "table": f"{self.rows:,} rows, {len(self.columns)} columns: {', '.join(self.columns)}",
            "about": self.about,
            "source": self.source,
            "licence": " and ".join(self.licences),
        }
        lines = [
            textwrap.fill(text, 100, initial_indent=f"{key:<9}", subsequent_indent=" " * 9)
            for key, text in facts.items()
        ]
        return "\n".join([self.title, *lines])


FARM = (
    "rain", "sun", "temperature", "irrigation", "fertilizer", "soil_moisture", "pests", "growth", "yield", "price",
)  # fmt: skip
PROTEINS = ("raf", "mek", "plc", "pip2", "pip3", "erk", "akt", "pka", "pkc", "p38", "jnk")
SACHS = (
    "K. Sachs, O. Perez, D. Pe'er, D. A. Lauffenburger and G. P. Nolan: Causal protein-signaling networks derived "
    "from multiparameter single-cell data. Science 308:523-529, 2005; from " + EXAMPLES
)

TABLES = {
    table.name: table
    for table in (
        Description(
            "alzheimer",
            "Alzheimer's disease: markers in cerebrospinal fluid",
            333,
            ("age", "male", "e4", "Ab_42", "p_tau", "tau", "impaired"),
            "One row per person. Ab_42, p_tau and tau: the concentrations of three proteins, transformed; e4: the "
            "number of ε4 alleles of the gene APOE; impaired: 1 for cognitive impairment; age: transformed, increasing "
            "with the age.",
            "R. Craig-Schapiro et al.: Multiplexed immunoassay panel identifies novel CSF biomarkers for Alzheimer's "
            "disease diagnosis and prognosis. PLoS ONE 6(4):e18850, 2011 (CC BY), by way of the R package modeldata "
            "(MIT); seven columns of it, the genotype counted as alleles",
            ("CC-BY-4.0", "MIT-modeldata"),
        ),
        Description(
            "college-plans",
            "College plans of Wisconsin high-school seniors",
            10_318,
            ("sex", "iq", "cp", "pe", "ses"),
            "One row per senior, all columns discrete. iq: quarters of intelligence; ses: quarters of socioeconomic "
            "status; cp: plans to go to college; pe: parental encouragement.",
            "W. H. Sewell and V. P. Shah: Social class, parental encouragement, and educational aspirations. American "
            "Journal of Sociology 73:559-572, 1968; from " + EXAMPLES,
            ("CC0-1.0",),
        ),
        Description(
            "farm",
            "A simulated farm: weather, soil, pests, harvest and price",
            800,
            FARM,
            "One row per field, simulated from a linear Gaussian model whose graph is known; see reference_edges. In "
            "units of standard deviations: temperature = 0.7 sun + noise, irrigation = -0.6 rain + noise, "
            "soil_moisture = 0.6 rain + 0.5 irrigation - 0.4 temperature + noise, pests = 0.5 temperature + noise, "
            "growth = 0.5 soil_moisture + 0.4 sun + 0.35 fertilizer + noise, yield = 0.7 growth - 0.3 pests + noise, "
            "price = -0.5 yield + noise.",
            "simulated for this package",
            ("CC0-1.0",),
            is_simulated=True,
        ),
        Description(
            "galton",
            "Galton's families: the statures of parents and children",
            898,
            ("father", "mother", "Gender", "Height"),
            "One row per adult child: the heights of father, mother and child in inches; Gender: 0 for a "
            "son, 1 for a daughter. The number of the family, by which the file is sorted, is left out: "
            "siblings are not independent rows.",
            "F. Galton: Regression towards mediocrity in hereditary stature. Journal of the Anthropological Institute "
            "15:246-263, 1886; from " + EXAMPLES,
            ("CC0-1.0",),
        ),
        Description(
            "sachs",
            "Protein signalling in single human cells",
            7466,
            PROTEINS,
            "One row per cell: how much of each of 11 phosphorylated proteins and phospholipids was measured. All "
            "conditions are pooled, those with interventions as well. The columns are far from normal: 'sachs-log' "
            "suits Gaussian scores better.",
            SACHS,
            ("CC0-1.0",),
        ),
        Description(
            "sachs-discrete",
            "Protein signalling in single human cells, in three levels",
            5400,
            PROTEINS,
            "One row per cell: each of the 11 quantities of 'sachs' as low (1), medium (2) or high (3), for the cells "
            "of the published analysis.",
            SACHS,
            ("CC0-1.0",),
        ),
        Description(
            "sachs-log",
            "Protein signalling in single human cells, on a logarithmic scale",
            7466,
            PROTEINS,
            "log(x + 10) of every cell of the table 'sachs'.",
            SACHS,
            ("CC0-1.0",),
        ),
    )
}


def names() -> tuple[str, ...]:
    """The names of the bundled tables.

    >>> import causal_zigzag as cz
    >>> "college-plans" in cz.datasets.names()
    True
    """
    return tuple(TABLES)


def describe(name: str) -> Description:
    """The description of a bundled table: contents, source and licences.

    >>> import causal_zigzag as cz
    >>> print(cz.datasets.describe("sachs-log").title)
    Protein signalling in single human cells, on a logarithmic scale
    """
    table = TABLES.get(name) if is_hashable(name) else None
    if table is None:
        raise SettingsError(
            f"there is no bundled table {name!r}; the bundled tables are {', '.join(map(repr, TABLES))}"
        )
    return table


def load(name: str) -> pd.DataFrame:
    """A bundled table as a new DataFrame; its name is in ``attrs``, from which reports take it.

    >>> import causal_zigzag as cz
    >>> cz.datasets.load("galton").head(2)
       father  mother  Gender  Height
    0    78.5    67.0       0    73.2
    1    78.5    67.0       1    69.2
    """
    about = describe(name)
    if name == "sachs-log":
        frame = (_read("sachs.txt") + 10).apply(np.log)
    else:
        frame = _read(f"{name}.csv" if name in ("farm", "alzheimer") else f"{name}.txt")
    if name == "alzheimer":
        frame = frame.astype({"male": "int64", "e4": "int64", "impaired": "int64"})
    frame = frame.loc[:, list(about.columns)].copy()
    frame.attrs["name"] = name
    return frame


def with_reference() -> tuple[str, ...]:
    """The names of the bundled tables for which ``reference_edges`` has a graph.

    >>> import causal_zigzag as cz
    >>> cz.datasets.with_reference()
    ('farm', 'sachs', 'sachs-discrete', 'sachs-log')
    """
    return tuple(name for name in TABLES if name == "farm" or name.startswith("sachs"))


def reference_edges(name: str) -> tuple[tuple[str, str], ...]:
    """The known edges of a bundled table, as pairs of cause and effect.

    For "farm" they are those of the model that it was simulated from. For the tables of Sachs they are the 20 edges
    that the literature agrees on.

    >>> import causal_zigzag as cz
    >>> truth = cz.CPDAG.from_dag(cz.datasets.reference_edges("sachs"), nodes=cz.datasets.load("sachs").columns)
    >>> len(truth), truth.edge_count
    (11, 20)
    """
    if describe(name).name not in with_reference():
        raise SettingsError(
            f"there is no reference graph for {name!r}, only for {', '.join(map(repr, with_reference()))}"
        )
    lines = _file("files", f"{name.partition('-')[0]}-network.txt").read_text(encoding="utf-8").splitlines()
    arrows = [line.split(". ")[1].split(" --> ") for line in lines if "-->" in line]
    return tuple((cause, effect) for cause, effect in arrows)


def _read(name: str) -> pd.DataFrame:
    import pandas as pd

    with _file("files", name).open("r", encoding="utf-8") as file:
        return pd.read_csv(file, sep="," if name.endswith(".csv") else "\t")


def _file(folder: str, name: str) -> Traversable:
    return files("causal_zigzag.datasets").joinpath(folder, name)
