"""Graphs as text and as objects of other packages: one file per format."""
