"""What holds when causes may be hidden: a posterior over maximal ancestral graphs."""
