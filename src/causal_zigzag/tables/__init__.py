"""Tables: any table of observations as validated columns with their kinds."""
