"""Other packages: ArviZ, scikit-learn."""
