"""Order excursions: which parents their tables hold, how long they are and how often they are made."""
