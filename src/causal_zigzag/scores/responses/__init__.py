"""Responses: the posteriors of E[g(y) | do(x = a)] given a set of parents, one file per family of scores."""
