"""Queries to any distribution over classes, sampled or exact: edges, statements, summary graphs, drawn DAGs."""

from causal_zigzag.answers import statements as statements  # ``cz.statements``
