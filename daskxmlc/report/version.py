"""Which daskxmlc made a result."""

from functools import cache


@cache
def version() -> str:
    """Give the installed version, or ``"0+unknown"`` in a source tree that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # 15 ms that --help does without

    try:
        return version("daskxmlc")
    except PackageNotFoundError:
        return "0+unknown"
