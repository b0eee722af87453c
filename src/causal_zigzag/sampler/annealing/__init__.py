"""Annealed starts: chains that begin hot and are cooled to the target before they sample it."""
