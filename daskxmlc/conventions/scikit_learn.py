"""The conventions of scikit-learn."""

from collections.abc import Mapping
from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class ScikitLearn(Convention):
    """`sklearn.metrics` 1.9 with ``zero_division=0``."""

    name: ClassVar[str] = "scikit-learn"
    summary: ClassVar[str] = "sklearn.metrics with zero_division=0"
    lacks: ClassVar[Mapping[str, str]] = {
        "ndcg@k": "averages over all orders of equal scores",
    }

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(documents="all", empty_rank_losses="1,0,0,1", example_empty="0")
