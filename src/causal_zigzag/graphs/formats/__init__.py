"""Graphs as text: one file per format."""
