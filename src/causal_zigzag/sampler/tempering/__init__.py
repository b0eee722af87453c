"""Parallel tempering: the ladder of coldness and the tempered chain."""
