"""Monte Carlo errors of the probabilities of a sampled posterior."""
