"""Convergence: R-hat, Monte Carlo errors, the verdict in words."""
