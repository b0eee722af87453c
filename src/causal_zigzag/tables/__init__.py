"""Tables of observations: reading, validation, kinds of columns, and writing."""
