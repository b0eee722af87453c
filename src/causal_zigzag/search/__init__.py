"""Search for the best class."""
