"""The conventions of PECOS."""

from typing import ClassVar

from daskxmlc.conventions.convention import Convention, Rules


class Pecos(Convention):
    """PECOS (libpecos), commit 7b989e0."""

    name: ClassVar[str] = "pecos"
    summary: ClassVar[str] = "PECOS, which counts documents without labels as 0"

    def rules(self) -> Rules:
        """Give the value of every rule."""
        return Rules(documents="all", absent="not-retrieved")
