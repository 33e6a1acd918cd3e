"""The conventions of MULAN."""

from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class Mulan(Convention):
    """MULAN, commit 43f6389: of equal scores the last label ranks highest, everywhere."""

    name: ClassVar[str] = "mulan"
    summary: ClassVar[str] = "MULAN, in which the last of equal scores ranks highest"

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(
            ties="last",
            rank_ties="placed",
            empty_rank_losses="1,0,0,left-out",
            dead_labels="one",
            micro_empty="1",
        )
