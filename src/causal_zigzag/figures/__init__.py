"""Figures: graph layout, SVG and matplotlib plots."""
