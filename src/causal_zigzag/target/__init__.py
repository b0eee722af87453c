"""The target distribution: score, coldness, edge prior and bounds."""
