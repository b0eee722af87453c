"""Search for one good class."""
