"""Scores for curved relations: additive Gaussian processes, and polynomials of normal scores."""
