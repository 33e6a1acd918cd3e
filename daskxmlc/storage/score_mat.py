"""Score files of FastXML, Parabel, Bonsai and PfastreXML: the repository's text, probabilities."""

from typing import ClassVar

from daskxmlc.storage.matrix import Kind, ScoreKind
from daskxmlc.storage.xmc_text import XmcTextFormat


class ScoreMat(XmcTextFormat):
    """What the C++ tree methods write: ``documents labels``, then ``label:score`` lines."""

    name: ClassVar[str] = "score-mat"
    summary: ClassVar[str] = "score files of FastXML, Parabel, Bonsai, PfastreXML (probabilities)"
    kinds: ClassVar[tuple[Kind, ...]] = ("scores",)
    score_kind: ClassVar[ScoreKind] = "probability"

    def owns(self, path: str) -> bool:
        """Tell by the header and the first lines; the header has two numbers."""
        from daskxmlc.storage.files import first_bytes

        return len(first_bytes(path, 4096).split(b"\n", 1)[0].split()) == 2 and super().owns(path)
