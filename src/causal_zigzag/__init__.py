"""Causal discovery with honest uncertainty: distributions over Markov equivalence classes of causal structures."""

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
