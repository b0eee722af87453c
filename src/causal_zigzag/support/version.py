"""The version of the installed package."""

DISTRIBUTION = "causal-zigzag"


def package_version() -> str:
    """The version of this package."""
    from importlib.metadata import version

    return version(DISTRIBUTION)
