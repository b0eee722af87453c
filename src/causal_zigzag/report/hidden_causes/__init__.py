"""Hidden causes in reports: what arrows withstand, and the page of a posterior over ancestral graphs."""
