"""The conventions of napkinXC."""

from collections.abc import Mapping
from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules

_SOME_LABELS = "averages over the labels from 0 to the largest that occurs"


class NapkinXC(Convention):
    """napkinXC, commit e95fb3f.

    Its sort is not stable: of equal scores it gives the first in short rows, and in long ones the
    order is not defined. Where no label is true and none predicted its micro averages fail, and
    are 0 here.
    """

    name: ClassVar[str] = "napkinxc"
    summary: ClassVar[str] = "napkinXC, which predicts all that is retrieved"
    lacks: ClassVar[Mapping[str, str]] = {
        "macro_precision": _SOME_LABELS,
        "macro_recall": _SOME_LABELS,
        "macro_f1": _SOME_LABELS,
        "macro_f1_of_averages": _SOME_LABELS,
    }

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(
            documents="all",
            threshold_rule="stored",
            absent="not-retrieved",
            example_empty="0",
            hamming_loss="documents",
        )
