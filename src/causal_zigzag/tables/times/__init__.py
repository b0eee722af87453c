"""Times of rows: dates, steps between rows, and what depends on the time alone."""
