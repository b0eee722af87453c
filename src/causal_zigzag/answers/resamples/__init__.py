"""Answers from resampled tables: the mixture of their weighted classes, and what holds of the model."""
