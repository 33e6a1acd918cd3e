"""The convention of daskxmlc itself."""

from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class Default(Convention):
    """Undefined cases are left out or 0, never hidden; every rule at its own default."""

    name: ClassVar[str] = "default"
    summary: ClassVar[str] = "the rules of daskxmlc, one answer for every undefined case"

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules()
