"""The posterior of a run: classes, edges, statements, draws, reweighting, merging, its file."""
