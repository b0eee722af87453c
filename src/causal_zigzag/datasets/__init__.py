"""Bundled tables with their sources and licences, and simulators of graphs and tables.

>>> import causal_zigzag as cz
>>> cz.datasets.names()
('alzheimer', 'college-plans', 'farm', 'galton', 'sachs', 'sachs-discrete', 'sachs-log')
>>> cz.datasets.load("sachs").shape
(7466, 11)
"""

from causal_zigzag.datasets.bundled import Description, describe, load, names, reference_edges, with_reference
from causal_zigzag.datasets.random_graphs import random_classes, random_dag
from causal_zigzag.datasets.simulated import discrete, linear_gaussian

__all__ = [
    "Description",
    "describe",
    "discrete",
    "linear_gaussian",
    "load",
    "names",
    "random_classes",
    "random_dag",
    "reference_edges",
    "with_reference",
]
