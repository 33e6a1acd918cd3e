"""What daskxmlc raises on purpose: one root, one line a message.

A message reads ``where: what does not fit, got value; what would fit``: small first letter, no
full stop, never an array's content. The command line prints it as it stands and leaves with the
class's `exit_status`.
"""

from typing import ClassVar


class DaskxmlcError(Exception):
    """The root of everything that daskxmlc raises on purpose."""

    exit_status: ClassVar[int] = 1


class DataError(DaskxmlcError):
    """The data do not fit: a broken store, a NaN, ids that do not match."""


class RunError(DaskxmlcError):
    """The run failed: no worker, a limit too small, a lost cluster."""


class UsageError(DaskxmlcError, ValueError):
    """The request itself is wrong, whatever the data are: an unknown measure, k = 0."""

    exit_status: ClassVar[int] = 2
