"""One sealed file format without pickle, for posteriors, runs and checkpoints."""
