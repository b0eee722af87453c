"""Which experiment to make next."""
