"""Causal discovery with honest uncertainty: distributions over Markov equivalence classes of causal structures.

import causal_zigzag as cz

cz.audit(data)                           what is wrong with the table: a DataFrame, an array or a file
posterior = cz.sample(data)              the posterior; knowledge=cz.Knowledge(...) says what is known before
posterior.diagnostics()                  has it converged?
posterior.edge_table()                   the probability of every edge, as a DataFrame
posterior.plot(); posterior.consensus()  pictures; one graph that summarizes the edges
posterior.effect("x", "y")               the effect of x on y; posterior.effects(outcomes="y") has those of all
posterior.resample()                     what holds when rows are resampled, as cz.sample does by default
posterior.hidden_causes()                what holds when causes may be hidden
posterior.judge("x -> y")                what the data say about a graph of your own
posterior.report("report.html")          all of it as one page
posterior.save("run.czz")                for cz.load("run.czz")
"""

import lazy_loader

# __init__.pyi lists the public names; each is imported when it is first used. Where a function has the name of a
# room (search), lazy_loader keeps the name for the function.
_import, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ = [name for name in __all__ if name != "CausalZigZag"]  # `import *` does not need scikit-learn


def __getattr__(name: str) -> object:
    if name == "__version__":
        from causal_zigzag.support.version import package_version

        return package_version()
    return _import(name)
