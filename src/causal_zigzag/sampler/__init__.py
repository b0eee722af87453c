"""The sampler: settings, starts, one chain from its start to its end."""
