"""What any distribution over classes can be asked: edges, statements, one graph for all, member DAGs."""

from causal_zigzag.answers import statements as statements  # ``cz.statements``
