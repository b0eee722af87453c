"""Scores: one file per family, the choice of a score, and user-defined scores."""
