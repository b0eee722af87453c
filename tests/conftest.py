"""Settings of Hypothesis for all tests: no deadline, because busy machines and sanitizers are slow."""

import os

from hypothesis import settings

settings.register_profile("local", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "local")
