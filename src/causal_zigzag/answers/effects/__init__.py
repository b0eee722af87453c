"""Causal effects averaged over classes: parent sets, regressions, the Effect value and the table of effects."""
