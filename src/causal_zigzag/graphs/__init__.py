"""Graphs: CPDAGs with their labels, the operators between them, and formats in and out."""
