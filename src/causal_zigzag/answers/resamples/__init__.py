"""Answers from resampled tables: the mixture of their weighted classes."""
