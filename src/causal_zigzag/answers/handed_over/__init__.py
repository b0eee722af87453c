"""What users take away to other packages: weighted DAGs and networkx graphs, and the methods for it."""
