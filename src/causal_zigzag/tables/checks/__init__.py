"""Checks of a table against the assumptions of the scores, each a function that yields findings."""
