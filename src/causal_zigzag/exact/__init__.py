"""Exact answers: all classes of up to 6 nodes, the best graph, sums over all DAGs."""
