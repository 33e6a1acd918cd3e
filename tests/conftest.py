"""How much the laws are tried: `quick` at the desk, `ci` where the variable CI is set."""

import os

from hypothesis import settings

settings.register_profile("quick", max_examples=30, deadline=None)
settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "quick")
