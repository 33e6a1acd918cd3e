"""The conventions of pyxclib."""

from collections.abc import Mapping
from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class Pyxclib(Convention):
    """pyxclib, commit 5d13086, on sparse scores; it has no set measures.

    Its sort is not stable: on sparse scores it gives the last of few equal ones, and of many the
    order is not defined.
    """

    name: ClassVar[str] = "pyxclib"
    summary: ClassVar[str] = "pyxclib, sparse: of equal scores the last label ranks highest"
    lacks: ClassVar[Mapping[str, str]] = {
        "recall@k": "leaves documents without labels out of it alone",
    }

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(ties="last", documents="all", threshold_rule="stored", absent="not-retrieved")
