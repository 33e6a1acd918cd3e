"""The conventions of MEKA."""

from collections.abc import Mapping
from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class Meka(Convention):
    """MEKA, commit f9ffe23.

    To MEKA a score of exactly -1 is a missing one; here it is a score, so that such matrices are
    to be evaluated by other rules.
    """

    name: ClassVar[str] = "meka"
    summary: ClassVar[str] = "MEKA, of matrices without a score of -1, which means missing to it"
    lacks: ClassVar[Mapping[str, str]] = {
        "ranking_loss": "orders equal scores by an unstable sort",
    }

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(empty_rank_losses="1,0,0,1", example_empty="1,0")
