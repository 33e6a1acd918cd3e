"""The conventions of LibMultiLabel."""

from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class LibMultiLabel(Convention):
    """LibMultiLabel, commit 5cd775a; it leaves open which of equal scores ranks higher."""

    name: ClassVar[str] = "libmultilabel"
    summary: ClassVar[str] = (
        "LibMultiLabel, which leaves the order of equal scores open; here the first ranks highest"
    )

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(documents="all", threshold_rule="gt")
