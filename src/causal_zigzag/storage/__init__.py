"""One container format with a checksum and without pickle, for posteriors, runs and chains."""
