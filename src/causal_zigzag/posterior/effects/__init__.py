"""Effects of a sampled posterior: the weights of its classes and draws, and Monte Carlo errors."""
