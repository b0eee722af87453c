"""Exact answers: all classes of few nodes, the best graph, sums over all DAGs."""
