"""Resampling: what remains of a posterior when the rows of its table are drawn again."""
