"""Checkpoints: directories from which an interrupted run continues."""
