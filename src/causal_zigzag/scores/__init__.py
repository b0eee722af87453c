"""The scores: one file a family, each of them a ``Score``."""
