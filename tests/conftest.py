"""What all tests share: no deadline for an example, since a busy or sanitized run is slow and not wrong."""

import os

from hypothesis import settings

settings.register_profile("local", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "local")
