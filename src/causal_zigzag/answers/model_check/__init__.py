"""Whether the model of a score fits the table: implied independences and residuals, tested on its rows."""
